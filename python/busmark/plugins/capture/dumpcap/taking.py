"""One dumpcap at work on one interface, in the hands of a shell beside it: how it is called, and
what it says.

The shell waits for the end of its input and then ends dumpcap, so that this is the same here and on
a node, and so that dumpcap ends with the process that has started it, however that ends.
"""

from __future__ import annotations

import contextlib
import glob
import io
import os
import re
import shlex
import struct
import time
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from busmark import files
from busmark.errors import UserError
from busmark.launcher import MARK, STDOUT, Launched, Start, marker

RING_FILES = 4
"""Parts of a ring: the oldest is dropped when a new one begins."""
MIB = 1 << 20
KB = 1000
"""dumpcap's unit of file sizes."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of a capture: which packets, and how much of each is kept."""

    filter: str = ""
    """Filter as in pcap-filter(7); empty: everything."""
    snap_length: int = 0
    """Bytes of each packet; 0: all."""
    max_bytes: int = 1 << 30
    """Size of the file."""
    ring: bool = False
    """Whether the last packets are kept when that is reached, in place of the first."""
    buffer_bytes: int = 32 << 20
    """Size of the kernel's buffer."""

    def words(self, interface: str, path: str) -> list[str]:
        """Return the command that writes such a capture to a file; a ring is several files, with a
        number at the end of their names."""
        words = [
            "dumpcap",
            "-q",
            "-i",
            interface,
            "-w",
            path,
            "-B",
            str(-(-self.buffer_bytes // MIB)),
        ]
        if self.snap_length:
            words += ["-s", str(self.snap_length)]
        if self.filter:
            words += ["-f", self.filter]
        if self.ring:
            part = max(self.max_bytes // RING_FILES // KB, 1)
            return [*words, "-b", f"filesize:{part}", "-b", f"files:{RING_FILES}"]
        return [*words, "-a", f"filesize:{self.max_bytes // KB}"]


READY = "\nFile: "
"""Text that dumpcap prints when the interface is open, the filter is set and the file is there."""
NO_SPACE = "no space left on the file system"
TAKEN = re.compile(r"^\r?Packets captured: ([0-9]{1,18})\r?$", re.M)
DROPPED = re.compile(
    r"^Packets received/dropped on interface '[^\n]*': ([0-9]{1,18})/([0-9]{1,18}) "
    r"\(pcap:([0-9]{1,18})/dumpcap:([0-9]{1,18})/flushed:([0-9]{1,18})/ps_ifdrop:([0-9]{1,18})\)",
    re.M,
)
COMPLAINT = re.compile(r"^dumpcap: ([^\n]*)$", re.M)


@dataclass(frozen=True, slots=True)
class Counts:
    """Counts of dumpcap at its end."""

    packets: int
    """Packets in the file, or, for a ring, in all files that there were."""
    kernel_drops: int
    """Packets dropped because the kernel's buffer was full."""
    interface_drops: int
    """Packets that the interface or its driver dropped."""
    dumpcap_drops: int
    """Packets that dumpcap dropped, because it did not write as fast as packets came, or because it
    ended."""

    @property
    def dropped(self) -> int:
        """Number of packets that the capture lost."""
        return self.kernel_drops + self.interface_drops + self.dumpcap_drops


def counts(said: str) -> Counts | None:
    """Return the counters at its end; None where it did not end in good order."""
    found = DROPPED.search(said)
    if found is None:
        return None
    packets, _, kernel, own, flushed, interface = map(int, found.groups())
    total = TAKEN.search(said)
    return Counts(int(total[1]) if total else packets, kernel, interface, own + flushed)


def complaint(said: str) -> str:
    """Return why it cannot, in its own words; empty where it does not complain."""
    found = COMPLAINT.search(said)
    return found[1].strip() if found else ""


SCRIPT = """
exec 3<&0
tie= on=
! command -v setpriv >/dev/null || tie="setpriv --pdeathsig KILL"
[ -z "{cpus}" ] || ! command -v taskset >/dev/null || on="taskset -c {cpus}"
{clear}
$tie $on {tool} </dev/null &
tool=$!
while read -r _ <&3; do :; done
waits=0 looks=0
while [ $waits -lt 3 ] && [ $looks -lt {looks} ]; do
    line=
    {{ read -r line </proc/$tool/stat; }} 2>/dev/null
    case $line in
    "" | *") Z "*) printf '\\n%s early\\n' $0; break ;;
    *") S "*) waits=$((waits + 1)) ;;
    *) waits=0 ;;
    esac
    looks=$((looks + 1))
    sleep 0.01
done
kill -TERM $tool 2>/dev/null
wait $tool
printf '\\n%s ended %s\\n' $0 $?
"""
"""`$0` is a word by which its own lines are known. The input is kept as 3, because background
processes have none. dumpcap is ended when it waits for packets: where it had to wait for a CPU
before, it has not read all that the kernel handed over, and would lose it without a word."""

LOOKS = 1000
"""Looks at dumpcap, 10 ms apart, at most: traffic that never ends may keep it busy for ever."""

PIECE = "_[0-9][0-9][0-9][0-9][0-9]_*.pcapng"
"""End of the names of a ring's files."""
FLUSH_S = 0.5
"""The kernel hands packets over at least every 250 ms, and what it has not handed over when dumpcap
ends is lost."""
PATIENCE_S = 20.0
FETCH_S = 600.0
"""Time within which the capture of a node is brought here."""
LOOK_S = 0.01
WATCH_S = 0.05
MOST_SAID = 1 << 20
BLOCK_BYTES = 1 << 20


class CaptureFailed(Exception):
    """Raised where nothing can be captured."""


class DiskFull(CaptureFailed):
    """Raised where the disk has no room for the capture."""


@dataclass(frozen=True)
class Site:
    """A place where dumpcap runs."""

    launch: Callable[[list[str]], Start]
    """Function that makes the start of a command at the place."""
    name: str = ""
    """Name of a node; empty: this machine."""
    folder: str = ""
    """On another machine, for its files; empty: it has this machine's files."""
    patience_s: float = PATIENCE_S

    @property
    def where(self) -> str:
        """Place, as part of a sentence."""
        return f" on node {self.name}" if self.name else ""


class Taking:
    """A capture of one interface."""

    def __init__(
        self,
        site: Site,
        interface: str,
        settings: Settings,
        path: Path,
        said: Path,
        cpus: Sequence[int] = (),
    ) -> None:
        """Prepare the capture; nothing is begun yet.

        Args:
            path: where the capture is when it has ended.
            said: a file for what dumpcap says.
            cpus: where it may run; empty: anywhere.
        """
        self.site, self.interface, self.settings, self.path = site, interface, settings, path
        self.counts: Counts | None = None
        """Counts; known when it has ended in good order."""
        self.problems: list[str] = []
        """Why the capture is incomplete, besides packets that were dropped; known at its end."""
        self._said_path, self._cpus = said, cpus
        self._mark = marker()
        self._process: Launched | None = None
        self._killed = False
        self._there = f"{site.folder}/{said.stem}.pcapng" if site.folder else str(path)

    @property
    def what(self) -> str:
        """Capture, as part of a sentence."""
        return f"the capture of {self.interface}{self.site.where}"

    def start(self) -> None:
        """Begin the capture; packets are captured when this returns.

        Raises:
            CaptureFailed: it cannot.
        """
        clear = f"rm -f {self._pieces}" if self.settings.ring else ":"
        script = SCRIPT.format(
            cpus=",".join(map(str, self._cpus)),
            clear=clear,
            looks=LOOKS,
            tool=shlex.join(self.settings.words(self.interface, self._there)),
        )
        start = self.site.launch(["sh", "-c", script, self._mark])
        self._process = Launched(start, "round", stdout=self._said_path, stderr=STDOUT)
        self._process.write(start.question + start.order)
        if self._killed:
            self.kill()
        end = time.monotonic() + self.site.patience_s
        while READY not in (said := self._said()):
            over = self._process.returncode is not None or complaint(said)
            if over or time.monotonic() > end:
                self.kill()
                raise self._failed(self._said(), f"it did not begin within {PATIENCE_S:g} s")
            time.sleep(LOOK_S)

    @property
    def over(self) -> bool:
        """Return whether it has ended by itself."""
        said = self._said()
        return counts(said) is not None or bool(complaint(said))

    def stop(self) -> None:
        """End it, once earlier packets have come; the capture is then at `path`.

        Raises:
            CaptureFailed: there is none.
        """
        assert self._process is not None
        time.sleep(FLUSH_S)
        # The shell that waits for it may not have had the time to say so.
        by_itself = counts(self._said()) is not None
        self._process.end_input()
        self._process.wait(self.site.patience_s)
        said = self._said()
        self._process.stop()
        self.counts = counts(said)
        if NO_SPACE in said or self.counts is None:
            raise self._failed(said, "dumpcap was killed")
        early = by_itself or f"\n{self._mark} early" in said
        if reason := complaint(said):
            self.problems.append(f"{self.what} ended before its time: {reason}")
        elif early:
            size = self.settings.max_bytes
            self.problems.append(f"{self.what} ended at its size limit (max_bytes = {size})")
        if self.settings.ring and said.count(READY) > RING_FILES:
            self.problems.append(f"{self.what} has the last packets only (ring = true)")
        try:
            self._fetch() if self.site.folder else self._join()
        except OSError as error:
            raise DiskFull(f"{self.what} cannot be stored: {error.strerror or error}") from error
        finally:
            self._said_path.unlink(missing_ok=True)

    def kill(self) -> None:
        """End it at once, also while another thread begins it; nothing of it remains here."""
        self._killed = True
        if self._process is not None:
            self._process.stop(self.site.patience_s if self.site.folder else 0.0)
        for path in (self.path, *self._parts()):
            if path.is_file():  # not a device
                path.unlink(missing_ok=True)

    @property
    def _pieces(self) -> str:
        """Files of dumpcap there, as a pattern of the shell, in the order of time."""
        if not self.settings.ring:
            return shlex.quote(self._there)
        return f"{shlex.quote(self._there.removesuffix('.pcapng'))}{PIECE}"

    def _parts(self) -> list[Path]:
        """Return the files of a ring here, in the order of time; none where there is no ring."""
        if self.site.folder or not self.settings.ring:
            return []
        return sorted(self.path.parent.glob(f"{glob.escape(self.path.stem)}{PIECE}"))

    def _join(self) -> None:
        """Make one file of a ring's files."""
        if parts := self._parts():
            join(parts, self.path)
            for part in parts:
                part.unlink()

    def _fetch(self) -> None:
        """Bring the capture here, compressed on its way."""
        words = f'for f in {self._pieces}; do [ ! -f "$f" ] || cat "$f"; done | gzip -1c'
        start = self.site.launch(["sh", "-c", f"{words}; rm -f {self._pieces}"])
        packed = self.path.with_suffix(".gz")
        try:
            with Launched(
                start, "round", stdout=packed, most_bytes=2 * self.settings.max_bytes
            ) as fetching:
                fetching.write(start.question + start.order)
                fetching.end_input()
                if fetching.wait(FETCH_S) is None:
                    raise CaptureFailed(f"{self.what} did not come within {FETCH_S:g} s")
            _unpack(packed, start.marker, self.path)
            if self.settings.ring:
                parts = self.path.rename(packed)
                join([parts], self.path)
        except (zlib.error, EOFError) as error:
            raise CaptureFailed(f"{self.what} did not come whole: {error}") from error
        finally:
            packed.unlink(missing_ok=True)

    def _said(self) -> str:
        with contextlib.suppress(FileNotFoundError), self._said_path.open("rb") as file:
            said = file.read(MOST_SAID)
            # A ring says a line for each of its files; what it counts comes last.
            file.seek(max(len(said), file.seek(0, os.SEEK_END) - MOST_SAID))
            return (said + file.read(MOST_SAID)).decode(errors="replace")
        return ""

    def _failed(self, said: str, otherwise: str) -> CaptureFailed:
        """Return why there is none; nothing of it is left."""
        self.kill()
        self._said_path.unlink(missing_ok=True)
        if NO_SPACE in said:
            return DiskFull(f"{self.what}: no space left on the disk")
        lines = (line.strip() for line in reversed(said.splitlines()) if line.strip())
        last = next((line for line in lines if not line.startswith(MARK)), "")
        reason = complaint(said) or (last if READY.strip() not in said else "") or otherwise
        return CaptureFailed(f"{self.what} failed: {reason[:300]}")


def run(
    takings: Sequence[Taking], seconds: float, where: str, stopped: Sequence[object] = ()
) -> None:
    """Capture for this time, until there is something in `stopped`, or until one has ended by
    itself; `where`: the option that an error names.

    Raises:
        UserError: there is no capture.
    """
    try:
        for taking in takings:
            taking.start()
        end = time.monotonic() + seconds
        over = False
        while not stopped and not over and time.monotonic() < end:
            time.sleep(WATCH_S)
            over = any(taking.over for taking in takings)
        for taking in takings:
            taking.stop()
    except BaseException as error:
        for taking in takings:
            taking.kill()
        if isinstance(error, CaptureFailed):
            raise UserError(str(error), where=where) from None
        raise


def _unpack(packed: Path, mark: str, path: Path) -> None:
    """Unpack what came from a node, behind what its login printed and the line of the marker.

    Raises:
        EOFError, zlib.error: it is not whole.
    """
    with files.opened(packed) as source, files.created(path, anew=True) as target:
        head = source.read(MOST_SAID)
        begin = re.search(rb"^" + re.escape(mark.encode()) + rb" [0-9]{1,10}\n", head, re.M)
        if mark and begin is None:
            raise EOFError("the way to the node has broken")
        source.seek(begin.end() if begin else 0)
        stream = zlib.decompressobj(wbits=31)
        while block := source.read(BLOCK_BYTES):
            files.write_all(target.fileno(), stream.decompress(block))
        files.write_all(target.fileno(), stream.flush())
        if not stream.eof:
            raise EOFError("its end is missing")


# Put one behind the other they would be valid too, but each as a section of its own, with an
# interface of its own: whoever follows packets would take each for another network.

SECTION = 0x0A0D0D0A
INTERFACE = 1
MAGIC = 0x1A2B3C4D
HEAD = 12
"""Type and length of a block; of a section's, its byte order as well."""
LONGEST = 1 << 24


def join(parts: Iterable[Path], whole: Path) -> None:
    """Write the blocks of captures of one interface as one section. A part ends where it is
    damaged."""
    first = True
    with io.BufferedWriter(cast(io.RawIOBase, files.created(whole, anew=True))) as target:
        for part in parts:
            with files.opened(part) as source:
                first = _copy(source, target, first=first)


def _copy(source: BinaryIO, target: BinaryIO, *, first: bool) -> bool:
    """Copy blocks; from further sections leave out what describes section and interface. Return
    whether the next section is still the first."""
    order, known = "<", first
    while len(head := source.read(HEAD)) == HEAD:
        if head[:4] == struct.pack("<I", SECTION):  # the same in either byte order
            order = "<" if struct.unpack("<I", head[8:])[0] == MAGIC else ">"
            known, first = first, False
        kind, length = struct.unpack(f"{order}II", head[:8])
        if not HEAD <= length <= LONGEST:
            break
        rest = source.read(length - HEAD)
        if len(rest) < length - HEAD:
            break
        if known or kind not in (SECTION, INTERFACE):
            target.write(head + rest)
    return first
