"""The other side as a bare loop: the programs of `bench/bare`."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from busmark.adapters import environment
from documents import made
from ours import DOMAIN, of_peer
from processes import PATIENCE_S, run, server
from task import MAIN, ROUND_TRIPS, MeasurementError, Task, Values

PATH_VARIABLE = "BUSMARK_BENCH_BIN"
BUILT = Path(__file__).resolve().parent.parent / "target" / "release"
PROGRAMS = {
    "udp": ("bare-sockets", "--transport", "udp"),
    "tcp": ("bare-sockets", "--transport", "tcp"),
    "uds": ("bare-sockets", "--transport", "uds"),
    **{
        name: (f"bare-{name}",)
        for name in ("cyclonedds", "dustdds", "fastdds", "fastdds-jazzy", "fastdds3", "grpc",
                     "iceoryx2", "mqtt", "nats", "omnievents", "omniorb", "opendds", "rmw",
                     "rmw-jazzy", "rti", "rustdds", "zenoh", "zerodds", "zeromq")
    },
    # The agent that a round starts knows the round's domain.
    "microxrcedds": ("bare-microxrcedds", "--domain", str(DOMAIN)),
}  # fmt: skip
"""Program of each adapter's library, with its first arguments."""
TRIAL = 500
"""Samples of the first run, which only tells how many make up the time."""
GROWTH = 20
"""If growth is larger than this, a run that is longer by this factor shows it better."""
NS = 1e9

Server = Callable[[Task], AbstractContextManager[str | None]]
"""Starts the server at which both ends meet, and gives its address; None where they need none."""


def find(program: str) -> Path | None:
    """Find a built program in the environment's folders, then in the checkout; None without one."""
    named = [Path(part) for part in os.environ.get(PATH_VARIABLE, "").split(os.pathsep) if part]
    paths = (folder / program for folder in [*named, BUILT])
    return next((path for path in paths if os.access(path, os.X_OK)), None)


class Bare:
    """Runs bare loops for about as long as Busmark's rounds."""

    def __init__(self, seconds: float, warmup_s: float, folder: Path, server: Server) -> None:
        self._seconds = seconds
        self._warmup_s = warmup_s
        self._folder = folder
        self._server = server
        self._rates: dict[tuple[Task, bool], float] = {}
        self._count = 0

    def unavailable(self, task: Task) -> str | None:
        """Return the reason why this cannot be measured here; None if it can."""
        program = PROGRAMS[task.adapter][0]
        return None if find(program) else f"{program} is not built: `make bench` builds it"

    def measure(self, task: Task, *, inlined: bool = False) -> Values:
        """Run both ends and return the values; where the rate is unknown, run trials first."""
        key, seconds = (task, inlined), task.seconds or self._seconds
        count = TRIAL
        while key not in self._rates:
            rate = self._run(task, inlined, count, 0)[1]
            if rate * seconds <= count * GROWTH:
                self._rates[key] = rate
            count *= GROWTH
        count, warmup = (int(self._rates[key] * s) for s in (seconds, self._warmup_s))
        values, self._rates[key] = self._run(task, inlined, max(count, 100), warmup)
        return values

    def _run(self, task: Task, inlined: bool, count: int, warmup: int) -> tuple[Values, float]:
        with self._server(task) as address:
            return self._exchange(task, inlined, (count, warmup), address)

    def _exchange(
        self, task: Task, inlined: bool, counts: tuple[int, int], server_address: str | None
    ) -> tuple[Values, float]:
        program, *first = PROGRAMS[task.adapter]
        path = find(program)
        assert path is not None
        self._count += 1
        address = str(self._folder / f"bare-{self._count}")
        options = [
            *first,
            "--wait",
            task.wait,
            "--size",
            str(task.size),
            "--count",
            str(counts[0]),
            "--warmup",
            str(counts[1]),
        ]
        passive, active = task.roles
        limit_s = (task.seconds or self._seconds) * 10 + PATIENCE_S
        options += ["--calls", "inlined"] if inlined else []
        for key, value in of_peer(task).items():
            options += [f"--{key.replace('_', '-')}", value]
        options += ["--server", server_address] if server_address else []
        if task.security != "none":
            options += [
                "--security",
                str(made(self._folder).directory),
                "--security-profile",
                task.security,
            ]
        surroundings = environment()
        with server(
            [path, passive, *options, "--address", address],
            task.cpus[0],
            self._folder,
            surroundings,
        ) as other:
            ready = _object(other.first_line())
            options += ["--address", str(ready.get("address", address))]
            command: list[str | Path] = [path, active, *options]
            if task.test in ROUND_TRIPS:
                printed = run(command, task.cpus[1], limit_s, surroundings)
                # The last ping tells the other side to end, and to leave nothing behind.
                with contextlib.suppress(MeasurementError):
                    other.finish(PATIENCE_S / 10)
            else:
                # The subscriber's word counts. It may close before the publisher has said its last.
                with contextlib.suppress(MeasurementError):
                    run(command, task.cpus[1], limit_s, surroundings)
                printed = other.finish(PATIENCE_S)
        return parse(task, _object(printed))


def parse(task: Task, figures: dict[str, Any]) -> tuple[Values, float]:
    """Return the values that are compared, and the samples that were sent per second."""
    if task.test in ROUND_TRIPS:
        return {MAIN: figures["median_ns"]}, NS / figures["median_ns"]
    rate, received = figures["samples_per_s"], figures["received"]
    if not rate:
        raise MeasurementError(f"{received} samples received")
    sent = received + figures["lost"]
    return {MAIN: rate, "lost": figures["lost"]}, rate * sent / received


def _object(text: str) -> dict[str, Any]:
    """Parse the last line, which is JSON; raise `MeasurementError` if it is not."""
    lines: Sequence[str] = text.strip().splitlines()
    try:
        found = json.loads(lines[-1])
    except (IndexError, ValueError):
        raise MeasurementError(f"not a line of JSON: {text[-80:]!r}") from None
    assert isinstance(found, dict)
    return found
