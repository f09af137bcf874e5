"""Processes on a CPU, in a group of their own, that never outlive the measurement."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from task import MeasurementError

PATIENCE_S = 10.0
"""How long a server may take to be ready, and any process to end once it should."""
GLANCE_S = 0.002
LISTEN = "0A"
"""State of a listening socket in /proc/net/tcp; a bound UDP socket has 07."""
BOUND = "07"


def pinned(arguments: Sequence[str | Path], cpu: int) -> list[str]:
    """Return the command on one CPU; it is killed if the process that starts it dies."""
    guard = ["setpriv", "--pdeathsig", "KILL", "taskset", "--cpu-list", str(cpu)]
    return [*guard, *map(str, arguments)]


def run(
    arguments: Sequence[str | Path], cpu: int, limit_s: float, env: Mapping[str, str] | None = None
) -> str:
    """Run a command to its end and return its output."""
    process = subprocess.Popen(
        pinned(arguments, cpu),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=_environment(env),
        start_new_session=True,
    )
    try:
        output, errors = process.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        raise MeasurementError(f"{arguments[0]}: not finished after {limit_s:.0f} s") from None
    finally:
        _end(process)
    if process.returncode != 0:
        last = (errors.strip() or output.strip()).splitlines()[-1:] or ["no reason given"]
        raise MeasurementError(f"{arguments[0]}: exit code {process.returncode}: {last[0]}")
    return output


class Server:
    """A process that runs in the background, with its output in a file."""

    def __init__(self, process: subprocess.Popen[bytes], log: Path) -> None:
        self._process = process
        self._log = log

    def output(self) -> str:
        """Return its output so far."""
        return self._log.read_text(errors="replace")

    def first_line(self) -> str:
        """Wait for its first line and return it."""
        self._until(lambda: "\n" in self.output(), "printed nothing")
        return self.output().partition("\n")[0]

    def bound(self, port: int, kind: socket.SocketKind) -> None:
        """Wait until it has opened its port, without touching it."""
        self._until(lambda: _is_bound(port, kind), f"did not open port {port}")

    def finish(self, limit_s: float) -> str:
        """Wait until it ends by itself and return its output."""
        try:
            code = self._process.wait(limit_s)
        except subprocess.TimeoutExpired:
            raise MeasurementError("the passive side did not end") from None
        if code != 0:
            last = self.output().strip().splitlines()[-1:] or ["no reason given"]
            raise MeasurementError(f"the passive side: exit code {code}: {last[0]}")
        return self.output()

    def _until(self, ready: object, reason: str) -> None:
        assert callable(ready)
        deadline = time.monotonic() + PATIENCE_S
        while not ready():
            ended = self._process.poll() is not None
            if ended or time.monotonic() > deadline:
                last = self.output().strip().splitlines()[-1:]
                raise MeasurementError(f"the passive side {reason}: {''.join(last)}")
            time.sleep(GLANCE_S)


@contextmanager
def server(
    arguments: Sequence[str | Path], cpu: int, folder: Path, env: Mapping[str, str] | None = None
) -> Iterator[Server]:
    """Start a command in the background; it ends with the block at the latest."""
    log = folder / f"server-{time.monotonic_ns()}.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            pinned(arguments, cpu),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env=_environment(env),
            start_new_session=True,
        )
    try:
        yield Server(process, log)
    finally:
        _end(process)
        log.unlink(missing_ok=True)


def free_port(kind: socket.SocketKind) -> int:
    """Return a port of the loopback address that nobody has."""
    with socket.socket(socket.AF_INET, kind) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _environment(extra: Mapping[str, str] | None) -> dict[str, str]:
    return {**os.environ, **(extra or {})}


def _is_bound(port: int, kind: socket.SocketKind) -> bool:
    tcp = kind == socket.SOCK_STREAM
    table = Path("/proc/net/tcp" if tcp else "/proc/net/udp").read_text().splitlines()[1:]
    for line in table:
        _, local, _, state = line.split()[:4]
        if local.endswith(f":{port:04X}") and state == (LISTEN if tcp else BOUND):
            return True
    return False


def _end(process: subprocess.Popen[bytes] | subprocess.Popen[str]) -> None:
    """End the process and whatever is in its group."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        # Not reaped before its group is killed: until then nobody else can have its number.
        deadline = time.monotonic() + 1.0
        while not _has_ended(process.pid) and time.monotonic() < deadline:
            time.sleep(GLANCE_S)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    for stream in (process.stdout, process.stderr):
        if stream is not None:
            stream.close()


def _has_ended(pid: int) -> bool:
    """Return whether a child has ended, without reaping it."""
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
