"""Whether a case has rounds enough for the interval that its scenario asks for, and what the
classic fixed schedule would have given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from busmark.analysis.model import Precision
from busmark.model.parameters import Parameters
from busmark.stats import Spread

FIXED_ROUNDS = 20
FIXED_SAMPLES = 2000
"""The schedule of MiddleMeasure (2010) and of many a benchmark since, of which no number was ever
justified."""

Row = Mapping[str, Any]


def precision(
    scenario: Mapping[str, Any], params: Parameters, rows: Sequence[Row]
) -> Precision | None:
    """Precision of the counted rounds `rows` of a case; None if the scenario has no target."""
    target = float((scenario.get("rounds") or {}).get("target") or 0.0)
    known = [row for row in rows if row.get("statistic_value") is not None]
    if not target or not known:
        return None
    spread = None
    if len(known) > 1:
        values = [row["statistic_value"] for row in known]
        spread = Spread.of(values, [row["statistic_variance"] for row in known])
    width = spread.relative_half_width() if spread else None
    fixed = _fixed(spread, params, known) if spread else None
    return Precision(
        statistic=str(params.statistic),
        target=target,
        relative_half_width=width,
        reached=width is not None and width <= target,
        chosen_s=_chosen(known),
        spent_s=sum(_total_s(row) + float(row["failed_s"] or 0.0) for row in known),
        fixed_relative_half_width=fixed[0] if fixed else None,
        fixed_s=fixed[1] if fixed else None,
    )


def _total_s(row: Row) -> float:
    return sum(float(row[part] or 0.0) for part in ("warmup_s", "measured_s", "overhead_s"))


def _fixed(spread: Spread, params: Parameters, rows: Sequence[Row]) -> tuple[float | None, float]:
    """Relative half-width and time of the fixed schedule, as these rounds, which may differ in
    length, let expect them. Streams are not counted in samples: they keep their length."""
    round_s = sum(_total_s(row) for row in rows) / len(rows)
    counted = [row for row in rows if row["samples"]]
    if params.test == "latency" and counted:
        samples = sum(row["samples"] for row in counted)
        # What one sample more would take from the variation inside is the same in all of them.
        of_one = sum(row["statistic_variance"] * row["samples"] for row in counted) / len(counted)
        if spread.inside > 0.0 and of_one > 0.0:
            spread = spread.with_samples(spread.inside * FIXED_SAMPLES / of_one)
        measured_s = sum(float(row["measured_s"] or 0.0) for row in rows)
        round_s += measured_s * (FIXED_SAMPLES / samples - 1.0 / len(rows))
    return spread.relative_half_width(FIXED_ROUNDS), FIXED_ROUNDS * round_s


def _chosen(rows: Sequence[Row]) -> tuple[float, float] | None:
    known = [float(row["chosen_s"]) for row in rows if row.get("chosen_s")]
    return (min(known), max(known)) if known else None
