"""What two cases spent, one over the other: CPU time, bytes, packets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import median

from busmark import stats
from busmark.analysis.figures import CONFIDENCE, Figure, figure
from busmark.analysis.model import CaseSummary, RoundSummary
from busmark.analysis.read.rounds import Row, last_attempts
from busmark.model.quantities.wire import per_sample

CPU, BYTES, PACKETS = "cpu", "bytes", "packets"

SPENT = {
    CPU: "CPU time per sample",
    BYTES: "bytes on the wire per sample",
    PACKETS: "packets per sample",
}
"""In their order, for people."""

WIDEST = 100.0
"""An interval whose ends differ by more says nothing."""

ByRound = Mapping[int, float]


def spent(case: CaseSummary, rows: Sequence[Row]) -> dict[str, ByRound]:
    """What each of its counted rounds spent, as far as it is known, in units of its own."""
    counted = [row for row in last_attempts(rows) if row["status"] == "ok"]
    attempts = {each.round: each for each in case.attempts if each.status == "ok"}
    ways: dict[str, Callable[[Row], float | None]] = {
        CPU: lambda row: _cpu_s(attempts.get(row["round"]), row),
        BYTES: lambda row: per_sample("wire_bytes", row),
        PACKETS: lambda row: per_sample("wire_packets", row),
    }
    return {
        name: {row["round"]: value for row in counted if (value := way(row))}
        for name, way in ways.items()
    }


def _cpu_s(attempt: RoundSummary | None, row: Row) -> float | None:
    """For each sample that was exchanged: of a latency test pings and pongs."""
    exchanged = 2 * (row["samples"] or 0) if row["test"] == "latency" else row["received"]
    if attempt is None or attempt.cpus is None or not row["measured_s"] or not exchanged:
        return None
    return attempt.cpus * float(row["measured_s"]) / exchanged


def ratios(
    case: Mapping[str, ByRound], other: Mapping[str, ByRound], *, paired: bool
) -> dict[str, Figure]:
    """`case` over `other`, of all that is known of both in two rounds at least."""
    found = {}
    for name in SPENT:
        mine, theirs = case[name], other[name]
        shared = sorted(mine.keys() & theirs.keys())
        if paired and len(shared) > 1:
            change = stats.paired_change(
                [mine[n] for n in shared], [theirs[n] for n in shared], CONFIDENCE
            )
        elif not paired and min(len(mine), len(theirs)) > 1:
            change = stats.independent_ratio(list(mine.values()), list(theirs.values()), CONFIDENCE)
        else:
            continue
        typical = [median(list(side.values())) for side in (mine, theirs)]
        change = change.stated(typical[0] / typical[1])
        found[name] = figure(change.estimate, "1", len(shared) or len(mine))
    return found


def is_open(ratio: Figure) -> bool:
    """Whether its rounds disagree too much to say one."""
    return ratio.low is not None and ratio.high is not None and ratio.high > WIDEST * ratio.low
