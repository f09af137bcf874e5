"""One tool of a load at work, here or on another machine, in the hands of a shell beside it.

For every line of its input the shell tells what the tool and all its descendants have done by now,
by the kernel's own account; the tools themselves tell it at their end only, over a time that begins
before they do anything. When the input ends, whoever ends it, the shell ends the tool.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from busmark.errors import UserError, nearest
from busmark.launcher import MARK, STDOUT, Launched, Start, marker
from busmark.model import units
from busmark.processes import Killed, ending

Kind = Literal["cpu", "net", "disk"]
KINDS: tuple[Kind, ...] = get_args(Kind)

OF: dict[Kind, str] = {"cpu": "share", "net": "bandwidth", "disk": "disk"}
"""Kind of a level's amount."""
EXAMPLES: dict[Kind, str] = {"cpu": "cpu 80%", "net": "net 50mbit", "disk": "disk 10MB"}
MOST = {"cpu": 1.0, "net": 1e11, "disk": 1e11}
UNLIMITED = "max"
SEVERAL = "+"
REMEDY = (
    f"Write it as in {', '.join(EXAMPLES.values())}; without a limit as in net {UNLIMITED}; "
    f"several at once as in cpu 50% {SEVERAL} net 50mbit."
)


@dataclass(frozen=True)
class Load:
    """A kind of load and how much of it."""

    kind: Kind
    level: float | None
    """cpu: share of each CPU; net: bits per second; disk: bytes per second of reads, and of
    writes. None: as much as it gets."""

    @property
    def asked(self) -> str:
        """The level that is asked for, in words."""
        if self.level is None:
            return "no limit"
        return f"{amount_text(self.kind, self.level)} asked for"


def amount_text(kind: Kind, level: float) -> str:
    """Return a level with its unit, as text."""
    if kind == "cpu":
        return f"{100 * level:.3g} % of each CPU"
    return f"{level / 1e6:.4g} {'Mbit/s' if kind == 'net' else 'MB/s'}"


def parse(text: str) -> tuple[Load, ...]:
    """Return the loads that a text names, which run at once; none for an empty text.

    Raises:
        UserError: one of them is no load, or there are two of a kind.
    """
    if not text.strip():
        return ()
    loads = tuple(_one(part) for part in text.split(SEVERAL))
    kinds = [load.kind for load in loads]
    if twice := next((kind for kind in kinds if kinds.count(kind) > 1), None):
        raise UserError(
            f"{text!r} has two loads of the kind {twice}",
            remedy="Each kind runs once at a time: name the sum.",
        )
    return loads


def _one(text: str) -> Load:
    words = text.lower().split(maxsplit=1)
    kind = next((known for known in KINDS if words and known == words[0]), None)
    if kind is None:
        near = nearest(words[0] if words else "", KINDS, always=REMEDY)
        raise UserError(f"{text.strip()!r} is no load", remedy=near)
    said = words[1].strip() if len(words) > 1 else ""
    if said == UNLIMITED:
        return Load(kind, None)
    try:
        level = units.read(said, OF[kind], bare=False)
    except ValueError as wrong:
        why = str(wrong).partition("\n")[0] if said else "no message"
        raise UserError(f"{text.strip()!r} names no level: {why}", remedy=REMEDY) from None
    if not 0 < level <= MOST[kind]:
        most = {"cpu": "100 % of each CPU", "net": "100 Gbit/s", "disk": "100 GB/s"}[kind]
        raise UserError(
            f"{text.strip()!r}: a level is above 0, and at most {most}",
            remedy=REMEDY,
        )
    return Load(kind, level)


SCRIPT = """
cd {folder} || exit 1
exec 3<&0
tie=
! command -v setpriv >/dev/null || tie="setpriv --pdeathsig KILL"
{before} || {{ rm -f {data}; exit 1; }}
$tie {tool} </dev/null &
tool=$!
echo "$0 begins"
family() {{
  all=
  set -- $tool
  while [ $# -gt 0 ]; do
    all="$all $1"
    for task in /proc/$1/task/*/children; do
      own=
      read -r own <$task
      set -- "$@" $own
    done
    shift
  done
}}
account() {{
  family
  read -r now _ </proc/uptime
  state=gone cpu=0 got=0 gave=0
  for each in $all; do
    line= ran=
    read -r line </proc/$each/stat
    [ $each != $tool ] || [ -z "$line" ] || state=${{line##*) }}
    read -r ran _ </proc/$each/schedstat
    cpu=$((cpu + ran))
    while read -r key value; do
      case $key in
        rchar:) got=$((got + value)) ;;
        wchar:) gave=$((gave + value)) ;;
      esac
    done </proc/$each/io
  done
  printf '\\n%s at %s %s %s %s %s\\n' $0 $now ${{state%% *}} $cpu $got $gave
}}
while read -r _ <&3; do account 2>/dev/null; done
family 2>/dev/null
kill -TERM $tool 2>/dev/null
looks={looks}
while [ $looks -gt 0 ] && {{ read -r line </proc/$tool/stat; }} 2>/dev/null; do
  case $line in *") Z "*) break ;; esac
  looks=$((looks - 1))
  sleep 0.05
done
kill -KILL $all 2>/dev/null
wait $tool
printf '\\n%s ended %s\\n' $0 $?
rm -f {data}
"""
"""`$0` is a word by which its own lines are known. The input is kept as 3, because background
processes have none. CPU time comes from the scheduler, in nanoseconds: ticks are too coarse for a
round of a tenth of a second."""

TERM_LOOKS = 40
PATIENCE_S = 20.0
STOP_S = 10.0
LOOK_S = 0.01
MOST_SAID = 1 << 20
"""Characters of what a tool says: what is beyond has no end."""


@dataclass(frozen=True)
class LoadSite:
    """A place where a tool can run."""

    folder: str
    """Folder for the files of the tool."""
    launch: Callable[[list[str]], Start]
    """Function that makes the start of a command at the site."""
    cpus: int | None
    address: str
    name: str = ""
    """Name of a node; empty: this machine."""
    patience_s: float = PATIENCE_S
    """A place that says nothing for this time is given up."""

    @property
    def where(self) -> str:
        """The place, as part of a sentence."""
        return f" on node {self.name}" if self.name else ""


def here(folder: Path, prefix: Sequence[str] = (), address: str = "127.0.0.1") -> LoadSite:
    """Return this machine as a site, whose commands run behind this prefix."""
    return LoadSite(str(folder), lambda words: Start([*prefix, *words]), os.cpu_count(), address)


@dataclass(frozen=True)
class Account:
    """Account of what a tool and its descendants have done by a moment of its machine's clock."""

    moment_s: float
    runs: bool
    cpu_s: float
    read_bytes: int
    """Bytes read by system calls, from files and sockets alike."""
    written_bytes: int


class LoadPart:
    """One tool of a load at one site."""

    def __init__(
        self, site: LoadSite, what: str, tool: list[str], output: Path, before: str = ":"
    ) -> None:
        """Start the tool.

        Args:
            what: load that it belongs to, for messages.
            output: file for all that it says.
            before: command that its shell runs first; no part of the load.
        """
        self.site = site
        self.what = f"{what}{site.where}: {tool[0]}"
        self._output = output
        self._mark = marker()
        self._asked = 0
        script = SCRIPT.format(
            folder=shlex.quote(site.folder),
            tool=shlex.join(tool),
            data=DATA,
            looks=TERM_LOOKS,
            before=before,
        )
        start = site.launch(["sh", "-c", script, self._mark])
        self._process = Launched(start, "round", stdout=output, stderr=STDOUT)
        self._process.write(start.question + start.order)

    @property
    def process(self) -> int:
        """Number of the process on this machine: the shell, or the way to it."""
        return self._process.pid

    def account(self) -> Account:
        """Return what it has done by now.

        Raises:
            Killed: nobody answers.
        """
        # Not before: a shell on the way may read ahead, and what it has read is lost.
        self._lines("begins", 1)
        self._asked += 1
        self._process.write(b"\n")
        number = "([0-9]{1,19})"
        form = rf"at ([0-9.]{{1,20}}) (\w+) {number} {number} {number}"
        moment, state, cpu_ns, read, written = self._lines(form, self._asked)[-1]
        runs = state not in ("Z", "X", "gone")
        return Account(float(moment), runs, int(cpu_ns) / 1e9, int(read), int(written))

    def ended(self) -> Killed:
        """Return how it has ended before its time, of one that does not run."""
        said = self.stop()
        found = re.search(rf"^{self._mark} ended ([0-9]{{1,3}})$", said, re.M)
        if found is None:
            return Killed(f"{self.what} ended ({self._way()})")
        code = int(found[1])
        how = ending(code if code <= 128 else 128 - code)
        last = self._last_line(said) if 0 < code <= 128 else ""
        return Killed(f"{self.what} ended ({how}{': ' if last else ''}{last})")

    def stop(self) -> str:
        """End the tool and return all that it said; empty where it was stopped before."""
        if not self._output.exists():
            return ""
        self._process.stop(STOP_S)
        said = self._said()
        self._output.unlink(missing_ok=True)
        return said

    def _lines(self, form: str, wanted: int) -> list[Any]:
        """Return its own lines of this form, as soon as this many have come.

        Raises:
            Killed: they do not come.
        """
        end = time.monotonic() + self.site.patience_s
        while True:
            over = self._process.returncode is not None
            found = re.findall(rf"^{self._mark} {form}$", self._said(), re.M)
            if len(found) >= wanted:
                return found
            if over or time.monotonic() > end:
                # Before it begins, what is said is why it does not.
                why = "" if self._asked else self._last_line(self._said())
                raise Killed(f"{self.what} ended ({why or self._way()})")
            time.sleep(LOOK_S)

    def _way(self) -> str:
        """Return what has become of the shell, or of the way to it."""
        killed = self._process.killed
        return f"the way to it was {killed}" if killed else "the way to it has broken"

    def _said(self) -> str:
        # What was stopped, maybe by another thread, has no more words.
        with contextlib.suppress(FileNotFoundError), self._output.open(errors="replace") as file:
            return file.read(MOST_SAID)
        return ""

    def _last_line(self, said: str) -> str:
        lines = (line.strip() for line in reversed(said.splitlines()) if line.strip())
        own = (line for line in lines if not line.startswith(MARK))
        return next(own, "")[:200]


TOOLS: dict[Kind, str] = {"cpu": "stress-ng", "net": "iperf3", "disk": "fio"}
DATAGRAM_BYTES = 1400
BLOCK_BYTES = 64 << 10
FILE_BYTES = 64 << 20
DATA = "busmark-load.data"
"""The file that a load of the disk reads and writes."""


def lack(load: Load) -> str:
    """Return what to say where the tool of a load is missing."""
    return f"load {load.kind} needs {TOOLS[load.kind]}: apt-get install {TOOLS[load.kind]}"


def missing_tool(loads: tuple[Load, ...]) -> str | None:
    """Return why one of these loads cannot run on this machine; None if all can."""
    return next((lack(load) for load in loads if shutil.which(TOOLS[load.kind]) is None), None)


def question(load: Load) -> str:
    """Return a command that prints nothing where the tool of a load is missing."""
    return f"command -v {TOOLS[load.kind]} || :"


def preparation(load: Load) -> str:
    """Return what a shell does before the tool begins. Without its file, fio writes one at full
    speed and then pauses: neither is the load that was asked for."""
    return f"head -c {FILE_BYTES} /dev/zero >{DATA}" if load.kind == "disk" else ":"


def cpu_or_disk(load: Load, limit_s: float) -> list[str]:
    """Return the command that loads the CPUs or the disk of a machine, for `limit_s` at most."""
    if load.kind == "cpu":
        share = 1.0 if load.level is None else load.level
        return [
            "stress-ng",
            "--cpu",
            "0",
            "--cpu-load",
            f"{share * 100:.0f}",
            "--timeout",
            f"{limit_s:.0f}s",
            "--quiet",
            "--temp-path",
            ".",
        ]
    rate = [] if load.level is None else [f"--rate={load.level:.0f},{load.level:.0f}"]
    # Threads, not processes: those would outlive a fio that is killed.
    return [
        "fio",
        "--name=busmark",
        "--thread",
        f"--filename={DATA}",
        f"--size={FILE_BYTES}",
        "--rw=randrw",
        f"--bs={BLOCK_BYTES}",
        *rate,
        "--time_based",
        f"--runtime={limit_s:.0f}",
        "--eta=never",
    ]


def receiver(address: str, port: int) -> list[str]:
    """Return the command of the receiver of a network load."""
    return ["iperf3", "--server", "--one-off", "--bind", address, "--port", str(port), "--json"]


def sender(load: Load, address: str, port: int, limit_s: float) -> list[str]:
    """Return the command of the sender of a network load, to the receiver at this address."""
    # To iperf3 a rate of 0 is none.
    return [
        "iperf3",
        "--client",
        address,
        "--port",
        str(port),
        "--udp",
        "--length",
        str(DATAGRAM_BYTES),
        "--bitrate",
        f"{load.level or 0:.0f}",
        "--time",
        f"{limit_s:.0f}",
        "--json",
    ]
