"""Memory of the participant that has most."""

from __future__ import annotations

from typing import TYPE_CHECKING

from busmark.analysis.catalogue.entry import Heading, Number

if TYPE_CHECKING:
    from busmark.analysis.model import CaseSummary

MIB = 1 << 20


def _most(case: CaseSummary) -> float | None:
    known = [one.rss_bytes for one in case.resources if one.rss_bytes is not None]
    return max(known) / MIB if known else None


_HEADING = Heading("Memory", minor=True, last=True)

FIGURE = Number(
    key="memory_mib",
    unit="MiB",
    meaning="most memory in RAM of a participant, of the one that had most",
    pick=_most,
    tables={"latency": _HEADING, "throughput": _HEADING, "capacity": _HEADING},
    summary="Memory, MiB",
)
