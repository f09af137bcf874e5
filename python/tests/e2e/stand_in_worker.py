"""A worker with a fault: in front of the real one, which does all the work.

Named to the controller by BUSMARK_WORKER. Variables say what to do:
STAND_IN_REAL the real worker; STAND_IN_PLAN faults by round and participant, as JSON such as
{"0.active": ["dies in the run"]}, each at one attempt, unless STAND_IN_ALWAYS;
STAND_IN_MEMORY a folder to remember faults in; STAND_IN_CHILD that each leaves a daemon behind;
STAND_IN_RECORD a folder for everything that crosses the pipe.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from contextlib import suppress
from typing import BinaryIO, NoReturn

ENDLESS = b"x" * (17 * 1024 * 1024)


def sleep_for_ever() -> NoReturn:
    while True:
        time.sleep(60)


def say(data: bytes) -> None:
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def die() -> NoReturn:
    print("stand-in: this is the end", file=sys.stderr, flush=True)
    os._exit(7)


def miswired(line: bytes) -> bytes:
    """Connect endpoints to the other topic's locators."""
    command = json.loads(line)
    if command["cmd"] == "connect":
        for side in ("locators", "writer_locators"):
            topics = command[side]
            command[side] = dict(zip(topics, reversed(list(topics.values())), strict=True))
    return json.dumps(command).encode() + b"\n"


class StandIn:
    """Passes lines and frames on, but for the fault."""

    def __init__(self, fault: str, record: str | None) -> None:
        self.fault = fault
        self.asked: dict[int, str] = {}
        arguments = [os.environ["STAND_IN_REAL"], *sys.argv[1:]]
        self.worker = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.worker.stdin is not None and self.worker.stdout is not None
        self.commands: BinaryIO = self.worker.stdin  # type: ignore[assignment]
        self.answers: BinaryIO = self.worker.stdout  # type: ignore[assignment]
        path = f"{record}/{os.getpid()}.jsonl" if record else os.devnull
        self.record = open(path, "ab", buffering=0)  # noqa: SIM115  # for the process's life

    def run(self) -> int:
        self.greet()
        answers = threading.Thread(target=self.answer, daemon=True)
        answers.start()
        for line in sys.stdin.buffer:
            self.keep("request", line)
            if self.fault == "is miswired":
                line = miswired(line)
            command = json.loads(line)
            self.asked[command["id"]] = command["cmd"]
            self.commands.write(line)
            self.commands.flush()
        self.commands.close()
        answers.join()
        return self.worker.wait()

    def keep(self, kind: str, line: bytes) -> None:
        self.record.write(json.dumps({"kind": kind, "message": json.loads(line)}).encode() + b"\n")

    def greet(self) -> None:
        hello = self.answers.readline()
        if self.fault == "says nothing":
            sleep_for_ever()
        if self.fault == "speaks another protocol":
            hello = json.dumps({**json.loads(hello), "protocol": 4711}).encode() + b"\n"
        if self.fault == "refuses":
            refusal = {"id": 0, "ok": False, "error": {"kind": "invalid", "message": "not today"}}
            hello = json.dumps(refusal).encode() + b"\n"
        if b"hello" in hello:
            self.keep("hello", hello)
        say(hello)

    def answer(self) -> None:
        """Pass on what the worker says, also while it is asked for more."""
        while line := self.answers.readline():
            message = json.loads(line)
            if "frame" in message:
                self.keep("frame_head", line)
                self.frame(line, self.answers.read(message["bytes"] + 1))
                continue
            if "id" in message:
                self.keep("reply", line)
                spoiler = SPOILERS.get((self.fault, self.asked[message["id"]]))
                line = spoiler(line) if spoiler else line
            say(line)

    def frame(self, head: bytes, data: bytes) -> None:
        kind = json.loads(head)["frame"]
        if self.fault == "dies within a frame":
            say(head + data[: len(data) // 2])
            die()
        if self.fault == "stops within a frame":
            say(head + data[: len(data) // 2])
            sleep_for_ever()
        if self.fault == f"garbles {kind}":
            data = bytes(len(data) - 1) + b"\n"
        if self.fault == "sends a frame of another length":
            data += b"more\n"
        if self.fault != "forgets a frame" or kind != "samples":
            say(head + data)


def _die(_: bytes) -> bytes:
    die()


def _crash(_: bytes) -> bytes:
    os.abort()


def _close(_: bytes) -> bytes:
    os.close(1)
    sleep_for_ever()


def _other(line: bytes) -> bytes:
    return json.dumps({**json.loads(line), "id": 4711}).encode() + b"\n"


def _error(_: bytes) -> bytes:
    """Report an error, which spoils the round, though the answer never comes."""
    failure = {"kind": "failed", "message": "no more of this"}
    say(json.dumps({"event": "error", "writer": 1, "error": failure}).encode() + b"\n")
    sleep_for_ever()


def _misshapen(line: bytes) -> bytes:
    return json.dumps({**json.loads(line), "result": 5}).encode() + b"\n"


SPOILERS = {
    ("dies after setup", "setup"): _die,
    ("crashes in the run", "run"): _crash,
    ("closes its output", "match"): _close,
    ("writes garbage", "setup"): lambda _: b"Segmentation fault, or so\n",
    ("writes a line without end", "setup"): lambda _: ENDLESS,
    ("answers another command", "match"): _other,
    ("tells a failure", "run"): _error,
    ("answers run in another shape", "run"): _misshapen,
}


def planned_fault() -> str:
    """Return the fault of this worker, which its log's name identifies; "" for none."""
    log = os.path.basename(os.readlink("/proc/self/fd/2"))
    _, number, name, _ = log.rsplit(".", 3)
    plan = json.loads(os.environ.get("STAND_IN_PLAN", "{}"))
    faults = plan.get(f"{int(number.removeprefix('r'))}.{name}", plan.get(f"any.{name}", []))
    for fault in map(str, faults):
        if "STAND_IN_ALWAYS" in os.environ:
            return fault
        with suppress(FileExistsError):
            os.mkdir(f"{os.environ['STAND_IN_MEMORY']}/{log}, {fault}")
            return fault
    return ""


def main() -> int:
    record = os.environ.get("STAND_IN_RECORD")
    if sys.argv[1] == "participate":
        if "STAND_IN_CHILD" in os.environ:
            # Keeps the worker's pipes open, as a daemon of some middleware would.
            child = [sys.executable, "-c", "import time; time.sleep(10000)"]
            subprocess.Popen(child, start_new_session=True)
        fault = planned_fault()
        if record or fault:
            return StandIn(fault, record).run()
    os.execv(os.environ["STAND_IN_REAL"], [os.environ["STAND_IN_REAL"], *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
