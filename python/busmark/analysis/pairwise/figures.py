"""All figures of a case, as they are compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from busmark.analysis.case.by_round import ByRound
from busmark.analysis.figures import Quantity, mean_over_rounds, over_rounds
from busmark.analysis.model import CaseSummary
from busmark.analysis.pairwise.measured import (
    HEADLINE_OF,
    CaseMeasured,
    Figures,
    Measured,
)
from busmark.analysis.read.rounds import Row
from busmark.model.entry import Compared
from busmark.model.parameters import Parameters
from busmark.model.quantities import COMPARED


def measured(
    case: CaseSummary, rows: Sequence[Row], step_ns: float, problems: Iterable[str] = ()
) -> CaseMeasured:
    """Its figures, the one first that the scenario wants it to be compared by. `rows`: of the
    rounds that count; `step_ns`: the step of the clock, 0 where it is not known."""
    figures: Figures = {}
    if case.test == "capacity":
        sustained = case.capacity.sustained if case.capacity else None
        reason = None if sustained else "the search found no rate"
        figures["goodput.throughput"] = Measured(sustained, reason=reason)
    elif case.test == "throughput":
        figures |= of_rounds(case.test, case.params, rows, of_stream=True)
    for latency in case.by_round:
        for name, each in latency.statistics.items():
            figures[f"{name}.{latency.name}"] = _of(each, latency.quantity, step_ns)
    figures |= of_rounds(case.test, case.params, rows, of_stream=False)
    figures |= dict(_asked(case))
    headline = HEADLINE_OF.get(case.headline.kind, "goodput.throughput") if case.headline else None
    count = _rounds(figures.get(headline or "")) or len(rows)
    seconds = sum(row["measured_s"] or 0.0 for row in rows)
    return CaseMeasured(figures, count, seconds, list(problems), headline)


def _rounds(headline: Measured | None) -> int:
    if headline is None or headline.figure is None:
        return 0
    return len(headline.values) or headline.figure.rounds


def _of(each: ByRound, quantity: Quantity, step_ns: float) -> Measured:
    halved = quantity == "half_round_trip"
    return Measured(
        each.figure,
        values=dict(zip(each.rounds, each.values, strict=True)),
        level=each.level,
        latency=quantity,
        step_ns=step_ns / 2 if halved else step_ns,
        reason=each.reason,
        lost=each.lost,
    )


def _asked(case: CaseSummary) -> Iterator[tuple[str, Measured]]:
    """What is compared because the scenario asks for it."""
    kind = case.headline.kind if case.headline else ""
    if case.headline and kind == "matching":
        found = {each.round: 1e9 * each.discovery_s for each in case.attempts
                 if each.status == "ok" and each.discovery_s is not None}  # fmt: skip
        yield "discovery", Measured(case.headline.figure, values=found)
    elif case.headline and kind == "recovery":
        yield "recovery", Measured(case.headline.figure)


def of_rounds(test: str, params: Parameters, rows: Sequence[Row], *, of_stream: bool) -> Figures:
    """What is compared besides latencies; `of_stream`: of what a stream carried."""
    found = {
        name: _shares(one, rows) if one.share_of_round else _per_round(one, params, rows)
        for name, one in COMPARED.items()
        if test in one.tests and name.endswith(".throughput") == of_stream
    }
    return {
        name: each for name, each in found.items() if each.values or not COMPARED[name].optional
    }


def _per_round(one: Compared, params: Parameters, rows: Sequence[Row]) -> Measured:
    assert one.of_round
    found = {row["round"]: v for row in rows if (v := one.of_round(row, params)) is not None}
    counted = [row for row in rows if row["round"] in found]
    total = sum((row[one.counted] or 0) if one.counted else 1 for row in counted)
    mean = over_rounds(list(found.values()), one.unit(params), total)
    return Measured(mean, values=found, reason=None if mean else one.otherwise)


def _shares(one: Compared, rows: Sequence[Row]) -> Measured:
    assert one.share_of_round
    counts = {row["round"]: c for row in rows if (c := one.share_of_round(row)) is not None}
    if not counts:
        return Measured(None, reason=one.otherwise)
    hits, totals = zip(*counts.values(), strict=True)
    shares = {number: some / of for number, (some, of) in counts.items()}
    mean = mean_over_rounds(list(shares.values()), "1", sum(totals))
    if mean is not None and mean.high is not None:
        mean = mean.model_copy(update={"high": min(1.0, mean.high)})
    return Measured(mean, values=shares, counts=(hits, totals))
