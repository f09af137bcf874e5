"""A load on another machine: the script that a shell there runs, and what it says.

The tool runs until the script's input ends, whoever ends it, and no longer than a limit. The script
tells when the tool has begun, how it has ended, and the CPU time that it took.
"""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass

from busmark.load.level import Load
from busmark.load.running import BLOCK_BYTES, DATAGRAM_BYTES, FILE_BYTES, TOOLS
from busmark.processes import ending

SCRIPT = """
cd {folder} || exit 1
exec 3<&0
tie=
! command -v setpriv >/dev/null || tie="setpriv --pdeathsig KILL"
read -r began _ </proc/uptime
$tie {tool} </dev/null &
tool=$!
(cat <&3 >/dev/null; echo "$0 stopped"; kill -TERM $tool) 2>/dev/null &
echo "$0 running"
wait $tool
code=$?
read -r ended _ </proc/uptime
echo
echo "$0 ended $code $began $ended"
times
echo "$0 told"
rm -f busmark-load.data
"""
"""`$0` is a word by which its own lines are known. The input is kept as 3, for what runs in the
background has none."""


@dataclass(frozen=True)
class Said:
    """What the script has printed by now."""

    running: bool
    ended: int | None
    """Exit code of the tool; that of a signal is negative. None while it runs."""
    stopped: bool
    """It was asked to end."""
    seconds: float
    """For which it ran."""
    cpu_s: float
    tool: str
    """The tool's own words."""

    @property
    def ending(self) -> str | None:
        """How the tool has ended of its own accord; None if it did not."""
        if self.ended is None or self.stopped:
            return None
        last = next((line for line in reversed(self.tool.splitlines()) if line.strip()), "")
        how = ending(self.ended)
        return f"{how}: {last.strip()[:200]}" if self.ended > 0 and last else how


def words(tool: list[str], folder: str, mark: str) -> list[str]:
    """The command that runs this tool in that folder, until its input ends."""
    script = SCRIPT.format(folder=shlex.quote(folder), tool=shlex.join(tool))
    return ["sh", "-c", script, mark]


def tool(load: Load, limit_s: float) -> list[str]:
    """A load of CPUs or of the disk, in its folder, for no longer than that."""
    seconds = f"{limit_s:.0f}"
    if load.kind == "cpu":
        return ["stress-ng", "--cpu", "0", "--cpu-load", f"{load.level * 100:.0f}", "--timeout",
                f"{seconds}s", "--quiet", "--temp-path", "."]  # fmt: skip
    return ["fio", "--name=busmark", "--filename=busmark-load.data", f"--size={FILE_BYTES}",
            "--rw=randrw", f"--bs={BLOCK_BYTES}", f"--rate={load.level:.0f},{load.level:.0f}",
            "--time_based", f"--runtime={seconds}", "--output-format=json"]  # fmt: skip


def receiver(address: str, port: int) -> list[str]:
    """Of a network load."""
    return ["iperf3", "--server", "--one-off", "--bind", address, "--port", str(port), "--json"]


def sender(load: Load, address: str, port: int, limit_s: float) -> list[str]:
    """Of a network load to a receiver that listens there."""
    return ["iperf3", "--client", address, "--port", str(port), "--udp", "--length",
            str(DATAGRAM_BYTES), "--bitrate", f"{load.level:.0f}", "--time", f"{limit_s:.0f}",
            "--json"]  # fmt: skip


def lacking(load: Load) -> tuple[str, str]:
    """A command that prints nothing where the load's tool is missing, and what to say then."""
    name = TOOLS[load.kind]
    return f"command -v {name} || :", f"load {load.kind} needs {name}: apt-get install {name}"


def said(text: str, mark: str) -> Said:
    """Reads what the script has printed; lines before its first are a login's."""
    _, running, text = text.partition(f"{mark} running\n")
    end = re.search(
        rf"^{mark} ended (\d+) ([\d.]+) ([\d.]+)\n(.*?)^{mark} told$", text, re.M | re.S
    )
    own = text[: end.start()] if end else text
    code = int(end[1]) if end else None
    return Said(
        running=bool(running),
        ended=code if code is None or code <= 128 else 128 - code,
        stopped=f"{mark} stopped\n" in text,
        seconds=float(end[3]) - float(end[2]) if end else 0.0,
        cpu_s=sum(map(_seconds, end[4].split()[2:])) if end else 0.0,
        tool=own.replace(f"{mark} stopped\n", ""),
    )


def _seconds(time: str) -> float:
    """Of the form of times(1p), such as 0m1.25s."""
    found = re.fullmatch(r"(\d+)m([\d.,]+)s", time)
    return int(found[1]) * 60 + float(found[2].replace(",", ".")) if found else 0.0


def achieved(
    load: Load, told: Said, cpus: int | None, seconds: float | None = None
) -> float | None:
    """What it came to, in the unit of the load's level; None if the tool does not say.

    Args:
        cpus: of the machine.
        seconds: for which it was to run, where that is not for how long this part of it ran.
    """
    elapsed = told.seconds if seconds is None else seconds
    try:
        if load.kind == "cpu":
            return told.cpu_s / elapsed / cpus if cpus else None
        report = json.loads(told.tool[told.tool.index("{") : told.tool.rindex("}") + 1])
        if load.kind == "net":
            return int(report["end"]["sum_received"]["bytes"]) * 8 / elapsed
        job = report["jobs"][0]
        return min(float(job["read"]["bw_bytes"]), float(job["write"]["bw_bytes"]))
    except (ValueError, KeyError, IndexError, TypeError, ZeroDivisionError):
        return None
