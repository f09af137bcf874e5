"""Damaged lines of the control protocol, in both directions: to a worker, which must answer in
words, and from one, which spoils its round and nothing else."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from random import Random
from typing import Any

from tools.mutations import values

from busmark.adapters.installed import libraries, worker

STREAM: dict[str, Any] = {
    "payload": "octet",
    "size": 64,
    "wait": "poll",
    "qos": {},
    "verify": True,
    "instances": 0,
    "filter_below": 0,
    "sizes": [64, 32],
    "body_file": None,
}
SCHEDULE: dict[str, Any] = {
    "arrivals": "constant",
    "rate_hz": 1000.0,
    "seed": 1,
    "warmup_ns": 0,
    "duration_ns": 1_000_000,
    "samples": 3,
    "capacity": 20,
    "timeout_ns": 1_000_000,
}
CONFIG: dict[str, Any] = {
    "domain": 0,
    "interface_name": "lo",
    "interface_address": "127.0.0.1",
    "transport": "process",
    "profile": "default",
    "run_dir": "",
    "settings": [],
}
ROLES: list[dict[str, Any]] = [
    {"role": "pinger", "writer": 1, "from": [2], "ping": "a", "pong": "b", "stream": STREAM,
     "schedule": SCHEDULE},
    {"role": "responder", "writer": 2, "ping": "a", "pong": "b", "stream": STREAM},
    {"role": "transmitter", "writer": 3, "topic": "c", "echo": "d", "probe_every": 2,
     "stream": STREAM, "schedule": SCHEDULE, "interval_ns": 1_000_000},
    {"role": "receiver", "writer": 4, "from": [3], "topic": "c", "echo": "d", "probe_every": 2,
     "batch": 0, "stream": STREAM, "capacity": 20, "interval_ns": 1_000_000,
     "intervals": 10},
    {"role": "batcher", "writer": 5, "from": [6], "topic": "e", "echo": "f", "batch": 3,
     "each": False, "stream": STREAM, "schedule": SCHEDULE, "interval_ns": 1_000_000},
    {"role": "receiver", "writer": 6, "from": [5], "topic": "e", "echo": "f", "probe_every": 0,
     "batch": 3, "stream": STREAM, "capacity": 20, "interval_ns": 1_000_000,
     "intervals": 10},
]  # fmt: skip


class Protocol:
    """A worker, started again where it ends."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.worker: subprocess.Popen[bytes] | None = None
        self.lines = self._lines()

    def _lines(self) -> list[dict[str, Any]]:
        library = str(libraries()["null"])
        config = CONFIG | {"run_dir": str(self.folder)}
        prepared = [
            {
                "cmd": "prepare",
                "adapter": library,
                "cookie": "ff",
                "yields": True,
                "participants": [{"config": config, "roles": roles}],
            }
            for roles in (ROLES[:2], ROLES[2:4], ROLES[4:])
        ]
        others: list[dict[str, Any]] = [
            {"cmd": "serve", "adapter": library, "config": config},
            {"cmd": "connect", "locators": {"a": ["x"]}, "writer_locators": {"a": ["y"]}},
            {"cmd": "match", "timeout_s": 0.01, "expect": {"a": {"writers": 1, "readers": 1}}},
            {"cmd": "start"},
            {
                "cmd": "set",
                "writer": 1,
                "rate_hz": 2000.0,
                "paused": False,
                "stop": False,
                "qos": {"lifespan_ns": 1_000_000},
            },
            {"cmd": "set", "writer": 3, "rate_hz": None, "paused": None, "stop": True},
            {"cmd": "drain", "expect": [{"writer": 3, "sent": 3}], "idle_s": 0.0, "limit_s": 0.0},
            {"cmd": "collect"},
        ]
        setups = [step for one in prepared for step in (one, {"cmd": "setup"})]
        return [*setups, *setups, *others]

    def line(self, number: int, rng: Random) -> None:
        """Send one damaged line; the worker answers it, or refuses it."""
        request: Any = {"id": 1, **json.loads(json.dumps(rng.choice(self.lines)))}
        if rng.randrange(6):
            values.change(request, rng, values.places(request))
            text = json.dumps(request)
        else:
            text = values.text(json.dumps(request), rng).replace("\n", " ")
        self._ask(text.encode(errors="surrogatepass"))

    def _ask(self, line: bytes) -> None:
        process = self._running()
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(line + b"\n")
            process.stdin.flush()
            answer = process.stdout.readline()
            while answer and (b'"frame"' in answer or b'"event"' in answer):
                if b'"frame"' in answer:
                    process.stdout.read(json.loads(answer)["bytes"] + 1)
                answer = process.stdout.readline()
        except BrokenPipeError:
            answer = b""
        if answer:
            json.loads(answer)
            return
        code = process.wait(10)
        self.worker = None
        if code not in (0, 2):
            raise AssertionError(f"the worker ended by {code}: {line[:300]!r}")

    def _running(self) -> subprocess.Popen[bytes]:
        if self.worker is None or self.worker.poll() is not None:
            self.worker = subprocess.Popen(
                [worker(), "participate"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            assert self.worker.stdout is not None
            self.worker.stdout.readline()
        return self.worker
