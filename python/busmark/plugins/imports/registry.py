"""The tools whose results can be read. One line, and one module or package, each; other plug-ins
add theirs as `Plugin.importers`.

A module has `recognise(text) -> bool`, whether a file's content is of this tool; `read(source) ->
Imported`; `FLAWS`, what is known to be wrong with the tool's figures; and, where parts of one run
are in several files, `combine(runs)`, the runs with these parts as one. A module of another plug-in
has `FORMAT`, its name and what can be read.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from types import ModuleType

from busmark.errors import UserError, nearest
from busmark.plugin import parts
from busmark.plugins.imports.model import Flaw, ImportedFile, Run
from busmark.plugins.imports.text import NoResult, SourceText

FORMATS = {
    "perftest": "RTI Perftest: CSV, JSON, legacy text, latency file",
    "ddsperf": "ddsperf of Cyclone DDS: its text",
    "performance_test": "performance_test of Apex.AI: CSV, JSON",
    "opendds": "OpenDDS Bench: JSON of the test controller; summary, JSON or text",
    "fastdds": "latency and throughput tests of Fast DDS: table, CSV, raw samples",
    "sockperf": "sockperf: its text, full log",
    "omb": "OpenMessaging Benchmark: JSON",
}
"""Name and what can be read; the module of that name reads it."""
READABLE = f"Can be read: {'; '.join(FORMATS.values())}."

UNREAD = {
    "iperf3, JSON": r"\{\s*\"start\"\s*:\s*\{\s*\"connected\"",
    "an HdrHistogram log": r"#\[(Histogram log format|Logged with jHiccup)",
    "nats bench, text": r"[\s\S]{0,4000}^NATS [\w/-]+ stats:",
    "Bencher Metric Format, JSON": r'(\{\s*"[^"]+"\s*:\s*){2}\{\s*"value"\s*:',
    "a recording of rosbag2 (MCAP), which has messages and no figures": r"\x89MCAP0\r\n",
    "a database of SQLite, such as a recording of rosbag2": r"SQLite format 3",
}
"""Formats that are known and not read: how a file of each begins, as a pattern."""


def unread(text: str) -> str | None:
    """Return the name of a known format that is not read; None: the text is of none."""
    return next((name for name, begin in UNREAD.items() if re.match(begin, text, re.M)), None)


@dataclass(frozen=True)
class Importer:
    """An importer of another tool's results."""

    name: str
    recognise: Callable[[str], bool]
    reader: Callable[[SourceText], ImportedFile]
    flaws: tuple[Flaw, ...]
    combine: Callable[[list[Run]], list[Run]]

    def read(self, source: SourceText) -> ImportedFile:
        """Return one file. Raises `UserError` where it is not as its format is."""
        try:
            return self.reader(source)
        except (ValueError, OverflowError) as error:
            # Numbers that are numbers, but whose product or duration is beyond 64 bits.
            raise UserError(
                f"expected figures of a run, found numbers that cannot be ({error})",
                where=f"{source.name}, line 1 or after",
                remedy="The file was changed, or is damaged.",
            ) from None


def _others() -> dict[str, ModuleType]:
    modules = [module for _, module in parts(lambda plugin: plugin.importers)]
    return {module.FORMAT[0]: module for module in modules}


def formats() -> dict[str, str]:
    """Return name and what can be read, of other plug-ins as well."""
    return FORMATS | {name: str(module.FORMAT[1]) for name, module in _others().items()}


@cache
def importer(name: str) -> Importer:
    """Return the one of this name. Raises `UserError` if there is none."""
    known = formats()
    if name not in known:
        raise UserError(
            f"no format {name!r}",
            where="--format",
            remedy=nearest(name, known, always=f"There are {', '.join(known)}."),
        )
    module = _others().get(name) or import_module(f"busmark.plugins.imports.{name}")
    combine = getattr(module, "combine", list)
    return Importer(name, module.recognise, module.read, tuple(module.FLAWS), combine)


def importers() -> list[Importer]:
    """Return the importers of all plug-ins."""
    return [importer(name) for name in formats()]


def recognised(text: str) -> list[Importer]:
    """Return the importers that recognise this text."""
    return [found for found in importers() if found.recognise(text)]


def the_one(source: SourceText) -> Importer:
    """Return the one whose file this is. Raises `UserError` if there is none, or several."""
    found = recognised(source.text)
    if len(found) == 1:
        return found[0]
    if found:
        raise UserError(
            f"may be of {' or '.join(one.name for one in found)}",
            where=source.name,
            remedy="Name its format with --format.",
        )
    if name := unread(source.text):
        raise NoResult(f"{name}: this format is not read", where=source.name, remedy=READABLE)
    first = next((line for line in source.text.splitlines() if line.strip()), "")
    raise NoResult(
        f"of no known format; it begins with {' '.join(first.split())[:60]!r}"
        if first
        else "the file is empty",
        where=f"{source.name}, line 1",
        remedy=READABLE,
    )
