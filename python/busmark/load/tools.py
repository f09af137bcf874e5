"""The tools that make loads, as they are called in the folder in which they run."""

from __future__ import annotations

import shutil

from busmark.load.level import Kind, Load

TOOLS: dict[Kind, str] = {"cpu": "stress-ng", "net": "iperf3", "disk": "fio"}
DATAGRAM_BYTES = 1400
BLOCK_BYTES = 64 << 10
FILE_BYTES = 64 << 20
DATA = "busmark-load.data"
"""The file that a load of the disk reads and writes."""


def lack(load: Load) -> str:
    """What to say where the tool of a load is missing."""
    return f"load {load.kind} needs {TOOLS[load.kind]}: apt-get install {TOOLS[load.kind]}"


def missing_tool(loads: tuple[Load, ...]) -> str | None:
    """Why one of these loads cannot run on this machine; None if all can."""
    return next((lack(load) for load in loads if shutil.which(TOOLS[load.kind]) is None), None)


def question(load: Load) -> str:
    """A command that prints nothing where the tool of a load is missing."""
    return f"command -v {TOOLS[load.kind]} || :"


def before(load: Load) -> str:
    """What a shell does before the tool begins. Without its file, fio writes one at full speed and
    then pauses: neither is the load that was asked for."""
    return f"head -c {FILE_BYTES} /dev/zero >{DATA}" if load.kind == "disk" else ":"


def cpu_or_disk(load: Load, limit_s: float) -> list[str]:
    """Loads the machine for no longer than that."""
    if load.kind == "cpu":
        share = 1.0 if load.level is None else load.level
        return ["stress-ng", "--cpu", "0", "--cpu-load", f"{share * 100:.0f}", "--timeout",
                f"{limit_s:.0f}s", "--quiet", "--temp-path", "."]  # fmt: skip
    rate = [] if load.level is None else [f"--rate={load.level:.0f},{load.level:.0f}"]
    # Threads, not processes: those would outlive a fio that is killed.
    return ["fio", "--name=busmark", "--thread", f"--filename={DATA}", f"--size={FILE_BYTES}",
            "--rw=randrw", f"--bs={BLOCK_BYTES}", *rate, "--time_based",
            f"--runtime={limit_s:.0f}", "--eta=never"]  # fmt: skip


def receiver(address: str, port: int) -> list[str]:
    """Receiver of a network load."""
    return ["iperf3", "--server", "--one-off", "--bind", address, "--port", str(port), "--json"]


def sender(load: Load, address: str, port: int, limit_s: float) -> list[str]:
    """To a receiver that listens there."""
    # To iperf3 a rate of 0 is none.
    return ["iperf3", "--client", address, "--port", str(port), "--udp", "--length",
            str(DATAGRAM_BYTES), "--bitrate", f"{load.level or 0:.0f}", "--time",
            f"{limit_s:.0f}", "--json"]  # fmt: skip
