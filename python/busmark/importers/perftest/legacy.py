"""Perftest's legacy text, also from old builds, which print "us" for "μs"."""

from __future__ import annotations

import re

from busmark.importers.model import Imported
from busmark.importers.perftest.report import (
    NAMES,
    PARTS,
    latency_run,
    percent_of_cpus,
    serialization,
    throughput_run,
)
from busmark.importers.text import SourceText

_NUMBER = r"\s*([-\d.]+)"
_LATENCY = re.compile(rf"^Length:{_NUMBER}\s+Latency:\s*(Ave\b.*)$")
_TIME = re.compile(rf"(Ave|Std|Min|Max|(?<![\d.])[\d.]+%){_NUMBER}\s*(ns|us|µs|μs|ms)\b")
_THROUGHPUT = re.compile(
    rf"^Length:{_NUMBER}\s+Packets:{_NUMBER}\s+Packets/s\(ave\):{_NUMBER}\s+"
    rf"Mbps\(ave\):{_NUMBER}\s+Lost:{_NUMBER}"
)
_CPU = re.compile(r"\bCPU(?:: +([\d.]+) ?(?:%|percent)| +([\d.]+) \(%\))$")
"""Up to 3.0, and since. Since 3.1 C# has neither sign: it prints a hundred times as much."""
_SERIALIZATION = re.compile(
    rf"^Serialization/Deserialization:{_NUMBER}\s*(us|µs|μs) /{_NUMBER}\s*(us|µs|μs) / TOTAL:"
)
_INTERVAL = re.compile(r"^(One-Way Latency:|One way Latency:|Packets:)")


def recognise(text: str) -> bool:
    """By the begin of a summary line."""
    return bool(re.search(r"^Length:\s*\d+\s+(Latency: |Packets: )", text, re.MULTILINE))


def read(source: SourceText, imported: Imported) -> None:
    """All summaries, in order."""
    intervals: list[int] = []
    for line in source.lines:
        if _INTERVAL.match(line.text):
            intervals.append(line.number)
        if imported.runs and (parts := _SERIALIZATION.match(line.text)):
            for name, value, unit in zip(PARTS, parts.group(1, 3), parts.group(2, 4), strict=True):
                serialization(imported.runs[-1], name, source.time(line, value, unit), line.number)
        if not line.text.startswith("Length:"):
            continue
        if found := _LATENCY.match(line.text):
            size = source.count(line, found[1], "a size in bytes")
            times = {
                name: source.time(line, value, unit)
                for name, value, unit in _TIME.findall(found[2])
                if name in NAMES
            }
            if not times:
                raise source.malformed(line, 'a latency summary, as "Length: 32 Latency: Ave …"')
            imported.runs.append(latency_run(size, times, line.number))
        elif found := _THROUGHPUT.match(line.text):
            size, total, lost = (source.count(line, found[n]) for n in (1, 2, 5))
            per_s, mbit = (source.number(line, found[n], "a rate") for n in (3, 4))
            imported.runs.append(throughput_run(size, total, per_s, mbit, lost, line.number))
        else:
            raise source.malformed(line, "a summary of latency or throughput")
        if share := _CPU.search(line.text.rstrip()):
            percent = source.number(line, share[1] or share[2], "a share")
            percent_of_cpus(imported.runs[-1], percent)
    if intervals:
        imported.left_out.append(
            f"{source.name}, line {intervals[0]}: interval lines ({len(intervals)}) are not read: "
            "they repeat single samples and running means"
        )
    if not imported.runs:
        raise source.nothing('a summary, as "Length: 32 Latency: Ave …"')
