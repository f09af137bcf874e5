"""Figures of both sides in the columns of performance_test, where one of them was imported from it.

Whoever has its logs knows its columns; what Busmark measured of the same workload stands below them
under the same names and in the same units. The columns of a side that does not know a figure are
empty: performance_test has no percentiles, and half a run does not know what the other half does.
"""

from __future__ import annotations

from collections.abc import Sequence

from busmark.compare.campaign import summarise
from busmark.compare.model import Pair, TheirRow
from busmark.compare.sides import Side
from busmark.estimate.case import CaseSummary
from busmark.model import text

TOOL = "performance_test"

MS, KIB, PERCENT = 1e6, 1024, 100.0


def in_their_columns(sides: Sequence[Side], pairs: Sequence[Pair]) -> list[TheirRow]:
    """Both cases of every pair, one after the other; none where no side is of that tool."""
    if not pairs or not any(_tool(side) for side in sides):
        return []
    # Sides of one result are summed up once.
    of_result = {side.result.directory: side.result for side in sides}
    known = {
        directory: {case.id: case for case in summarise(result, with_series=False).cases}
        for directory, result in of_result.items()
    }
    by_name = {side.name: side for side in sides}
    rows: dict[tuple[str, str], TheirRow] = {}
    for pair in pairs:
        ends = ((sides[0].name, pair.baseline_case), (pair.candidate, pair.candidate_case))
        for name, case in ends:
            side = by_name[name]
            found = known[side.result.directory].get(case)
            if found is not None:
                rows[name, case] = TheirRow(
                    side=name,
                    tool=_tool(side) or "Busmark",
                    label=_label(found),
                    columns=_row(found),
                )
    return list(rows.values())


def _label(case: CaseSummary) -> str:
    workload = case.workload.items()
    further = [f"{name} {value}" for name, value in workload if value != text.ABSENT]
    return ", ".join([case.label, text.size_text(case.size), *further])


def _tool(side: Side) -> str:
    """The tool and its version, if the side was imported from it; else empty."""
    source = side.result.manifest.source
    told = source.tools if source else []
    return next((tool for tool in told if tool.startswith(TOOL)), "")


def _row(case: CaseSummary) -> dict[str, float | None]:
    """Figures of a typical round; counts over all that count."""
    stream = case.throughput
    one_way = stream.probe_one_way if stream else None
    stated = next((each for each in case.stated if each.quantity == "one_way"), None)

    def latency(name: str) -> float | None:
        if stated is not None:
            found = stated.figure(name)
            return found.value if found else None
        if one_way is None:
            return None
        return one_way.mean.value if name == "mean" else one_way.time_ns(f"{name}_ns")

    std = latency("std")
    memory = [each.rss_bytes for each in case.resources if each.rss_bytes is not None]
    loss = stream.loss_share if stream else None
    return {
        "received": stream.received if stream else None,
        "sent": stream.sent if stream else None,
        "lost": stream.lost if stream else None,
        "relative_loss (%)": loss.value * PERCENT if loss else None,
        "latency_min (ms)": _over(latency("min"), MS),
        "latency_max (ms)": _over(latency("max"), MS),
        "latency_mean (ms)": _over(latency("mean"), MS),
        "latency_variance (ms²)": _over(std * std if std is not None else None, MS * MS),
        "cpu_usage (%)": case.cpus_used.value * PERCENT if case.cpus_used else None,
        "ru_maxrss (KiB)": max(memory) / KIB if memory else None,
    }


def _over(value: float | None, unit: float) -> float | None:
    return None if value is None else value / unit
