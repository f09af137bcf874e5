"""What Perftest tells of itself on the standard error stream, where that was captured too."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from busmark.importers.text import SourceText

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
    """What was found."""

    version: str | None = None
    middleware: str | None = None
    params: dict[str, Any] = field(default_factory=dict)


def banner(source: SourceText) -> Banner:
    """Of the first run in the file."""
    found = Banner()
    for line in source.lines:
        version = _VERSION.match(line.text)
        if version and found.version is None:
            found.version, found.middleware = version[1], version[2]
        for pattern, params in _LINES:
            if pattern.match(line.text):
                found.params |= params
        if rate := _RATE.match(line.text):
            found.params["rate_hz"] = float(rate[1])
        if batch := _BATCH.match(line.text):
            found.params["settings"] = {"batch_bytes": int(batch[1])}
    return found
