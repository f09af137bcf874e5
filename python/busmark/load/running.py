"""Loads while they run: stress-ng, iperf3 and fio, each in a session of its own."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from busmark.errors import UserError
from busmark.load.level import Load
from busmark.processes import Killed, ending, marked

TOOLS = {"cpu": "stress-ng", "net": "iperf3", "disk": "fio"}
FOREVER_S = 24 * 3600
DATAGRAM_BYTES = 1400
FILE_BYTES = 64 << 20
BLOCK_BYTES = 64 << 10
LISTEN_S = 10.0
STOP_S = 5.0


def missing_tool(load: Load) -> str | None:
    """Why this load cannot run here; None if it can."""
    tool = TOOLS[load.kind]
    return None if shutil.which(tool) else f"load {load.kind} needs {tool}: apt-get install {tool}"


@dataclass
class Running:
    """A load that runs."""

    load: Load
    processes: list[subprocess.Popen[bytes]]
    begin: float
    report: Path
    """Where the tool writes what it did."""
    leftovers: list[Path] = field(default_factory=list)

    @property
    def trouble(self) -> str | None:
        """How it has ended before its time; None while it runs."""
        codes = [code for process in self.processes if (code := process.poll()) is not None]
        # One that was killed takes its peer with it: whichever it was, both are told.
        how = ", ".join(dict.fromkeys(map(ending, codes)))
        return f"load {self.load.kind}: {TOOLS[self.load.kind]} ended ({how})" if codes else None

    def stop(self) -> float | None:
        """Ends it. What it achieved, in the unit of its level; None if it does not say.

        Raises:
            Killed: it had ended before.
        """
        seconds = time.monotonic() - self.begin
        cpu_s = _cpu_seconds(self.processes[0].pid) if self.load.kind == "cpu" else 0.0
        try:
            if trouble := self.trouble:
                raise Killed(trouble)
            for process in reversed(self.processes):
                self._interrupt(process)
            if self.load.kind == "cpu":
                return cpu_s / seconds / (os.cpu_count() or 1)
            return _achieved(self.load, self.report, seconds)
        finally:
            self.kill()

    def kill(self) -> None:
        """Ends it at once."""
        for process in self.processes:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        for path in [*self.leftovers, self.report]:
            path.unlink(missing_ok=True)

    @staticmethod
    def _interrupt(process: subprocess.Popen[bytes]) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(STOP_S)


def start(
    load: Load,
    folder: Path,
    *,
    sender: Sequence[str] = (),
    receiver: Sequence[str] = (),
    address: str = "127.0.0.1",
) -> Running:
    """Starts a load; its files are in `folder`.

    Args:
        sender, receiver: prefixes of commands on the two nodes of a network load.
        address: of the receiver.

    Raises:
        UserError: it cannot be started.
        Killed: it ended at once, by a signal.
    """
    if reason := missing_tool(load):
        raise UserError(reason)
    make = {"cpu": _cpu, "net": _net, "disk": _disk}[load.kind]
    return make(load, folder, sender, receiver, address)


def _cpu(load: Load, folder: Path, sender: Sequence[str], *_: Any) -> Running:
    command = ["stress-ng", "--cpu", "0", "--cpu-load", f"{load.level * 100:.0f}",
               "--timeout", f"{FOREVER_S}s", "--quiet", "--temp-path", str(folder)]  # fmt: skip
    return Running(load, [_spawn([*sender, *command])], time.monotonic(), folder / "load.txt")


def _net(load: Load, folder: Path, sender: Sequence[str], receiver: Sequence[str],
         address: str) -> Running:  # fmt: skip
    report, port = folder / "load-net.json", _free_port()
    server = _spawn([*receiver, "iperf3", "--server", "--one-off", "--bind", address,
                     "--port", str(port), "--json", "--logfile", str(report)])  # fmt: skip
    running = Running(load, [server], time.monotonic(), report)
    client = [*sender, "iperf3", "--client", address, "--port", str(port), "--udp",
              "--length", str(DATAGRAM_BYTES), "--bitrate", f"{load.level:.0f}",
              "--time", str(FOREVER_S), "--json"]  # fmt: skip
    end = time.monotonic() + LISTEN_S
    while True:
        running.begin = time.monotonic()
        process = _spawn(client)
        # A client that finds no server ends at once.
        time.sleep(0.2)
        if process.poll() is None:
            running.processes.append(process)
            return running
        if (process.poll() or 0) < 0:
            running.processes.append(process)
        if trouble := running.trouble:
            running.kill()
            raise Killed(trouble)
        if time.monotonic() > end:
            running.kill()
            raise UserError(f"load net: iperf3 does not reach {address}")


def _disk(load: Load, folder: Path, *_: Any) -> Running:
    data, report = folder / "load-disk.data", folder / "load-disk.json"
    process = _spawn([
        "fio", "--name=busmark", f"--filename={data}", f"--size={FILE_BYTES}", "--rw=randrw",
        f"--bs={BLOCK_BYTES}", f"--rate={load.level:.0f},{load.level:.0f}", "--time_based",
        f"--runtime={FOREVER_S}", "--output-format=json", f"--output={report}",
    ])  # fmt: skip
    return Running(load, [process], time.monotonic(), report, [data])


def _spawn(command: list[str]) -> subprocess.Popen[bytes]:
    """Starts a process that the kernel ends with its parent, where there is setpriv(1)."""
    tie = ["setpriv", "--pdeathsig", "KILL"] if shutil.which("setpriv") else []
    return subprocess.Popen(
        [*tie, *command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, start_new_session=True, env={**os.environ, **marked("round")},
    )  # fmt: skip


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _achieved(load: Load, report: Path, seconds: float) -> float | None:
    try:
        text = report.read_text()
        said = json.loads(text[text.index("{") :])
        if load.kind == "net":
            # Its own rate leaves out what has come since the last full second.
            return int(said["end"]["sum_received"]["bytes"]) * 8 / seconds
        job = said["jobs"][0]
        return min(float(job["read"]["bw_bytes"]), float(job["write"]["bw_bytes"]))
    except (OSError, ValueError, KeyError, IndexError, TypeError):
        return None


def _cpu_seconds(session: int) -> float:
    """CPU time of all processes of a session so far (proc(5), fields 14 and 15 of stat)."""
    ticks = 0
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError, IndexError):
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                if int(fields[3]) == session:
                    ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")
