"""Figures to compare that the rows of a case's rounds hold: nothing else need be read for them."""

from __future__ import annotations

from collections.abc import Sequence

from busmark.analysis.figures import mean_over_rounds, over_rounds
from busmark.analysis.pairwise.measured import Figures, Measured
from busmark.analysis.read.rounds import Row
from busmark.model.entry import Compared
from busmark.model.parameters import Parameters
from busmark.model.quantities import COMPARED


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
