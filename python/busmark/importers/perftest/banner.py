"""What Perftest tells of itself on the standard error stream, where that was captured too."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, field
from typing import Any

from busmark.importers.text import SourceText

_BEGIN = "RTI Perftest "
_VERSION = re.compile(r"^RTI Perftest (\d[\w.]*|Develop|Master)(?:.*\(([^()]*)\)\s*$)?")
_LINES: tuple[tuple[re.Pattern[str], dict[str, Any]], ...] = (
    (re.compile(r"^\s*Reliability:\s*Reliable"), {"qos": {"reliability": "reliable"}}),
    (re.compile(r"^\s*Reliability:\s*Best Effort"), {"qos": {"reliability": "best_effort"}}),
    (re.compile(r"^Mode: LATENCY TEST"), {"arrivals": "closed"}),
    (re.compile(r"^\s*Receive using:\s*WaitSets"), {"wait": "waitset"}),
    (re.compile(r"^\s*Receive using:\s*Listeners"), {"wait": "listener"}),
)
_RATE = re.compile(r"^\s*Publication Rate:\s*(\d+) Samples/s")
_BATCH = re.compile(r"^\s*Batching:\s*(\d+) Bytes")


@dataclass(slots=True)
class Banner:
    """What one run tells."""

    line: int = 0
    """Where it begins."""
    version: str | None = None
    middleware: str | None = None
    params: dict[str, Any] = field(default_factory=dict)


def banners(source: SourceText) -> list[Banner]:
    """Banners of all runs in the file, in order. The first describes what stands before any line
    that names Perftest: such a line begins a run."""
    found = Banner()
    every = [found]
    for line in source.lines:
        if line.text.startswith(_BEGIN):
            found = Banner(line.number)
            every.append(found)
        if version := _VERSION.match(line.text):
            found.version, found.middleware = version[1], version[2]
        for pattern, params in _LINES:
            if pattern.match(line.text):
                found.params |= params
        if rate := _RATE.match(line.text):
            found.params["rate_hz"] = float(rate[1])
        if batch := _BATCH.match(line.text):
            found.params["settings"] = {"batch_bytes": int(batch[1])}
    return every


def above(every: list[Banner], line: int) -> Banner:
    """The latest that begins above this line."""
    return every[bisect_left(every, line, key=lambda one: one.line) - 1]
