"""What two cases spent, one over the other: CPU time, bytes, packets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from busmark.analysis.figures import Figure, figure, over_rounds
from busmark.analysis.model import CaseSummary, RoundSummary
from busmark.analysis.pairwise.change import ratio
from busmark.analysis.pairwise.measured import Measured
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
        mine, theirs = (
            Measured(over_rounds([*side[name].values()], "1", None), values=side[name])
            for side in (case, other)
        )
        if mine.values and theirs.values:
            change = ratio(theirs, mine, paired=paired).estimate
            if change.low is not None:
                found[name] = figure(change, "1", change.rounds)
    return found


def is_open(ratio: Figure) -> bool:
    """Whether its rounds disagree too much to say one."""
    return ratio.low is not None and ratio.high is not None and ratio.high > WIDEST * ratio.low
