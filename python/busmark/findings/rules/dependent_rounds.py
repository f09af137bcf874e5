"""Rounds each of which is like the one before."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from busmark.findings.rule import Observation, Rule
from busmark.findings.text import count, p_value

if TYPE_CHECKING:
    from busmark.stats import Dependence
    from busmark.store.result import Result

CERTAIN = 0.05
"""After adjustment for the number of cases: so many campaigns of independent rounds are accused, of
however many cases."""


def check_campaign(result: Result) -> Iterator[Observation]:
    from busmark.stats import holm

    tested = _tested(result)
    if not tested:
        return
    adjusted = holm([found.p_value for found in tested.values()])
    for (case, found), p in zip(tested.items(), adjusted, strict=True):
        if p <= CERTAIN:
            yield Observation(
                "warning",
                f"successive rounds correlate by {found.correlation:.2f} "
                f"({count(found.rounds, 'round')}, {p_value(found.p_value, 2)})",
                weight=-found.p_value,
                case=case,
            )


def _tested(result: Result) -> dict[str, Dependence]:
    """What the order of its rounds says, by case."""
    import polars as pl

    from busmark.stats import dependence

    table = result.cases
    if "statistic_value" not in table.columns:
        return {}
    trials = {c.id for c in result.manifest.cases if c.params.test == "capacity"}
    counted = table.filter(
        (pl.col("status") == "ok") & pl.col("statistic_value").is_not_null()
    ).sort("case", "round")
    found = {}
    for (case,), rows in counted.group_by("case", maintain_order=True):
        # A search sets each trial's rate by the one before.
        seen = None if case in trials else dependence(rows["statistic_value"].to_numpy())
        if seen is not None:
            found[str(case)] = seen
    return found


RULE = Rule(
    id="dependent-rounds",
    title="Each round is like the one before",
    cause="The machine changes slowly (temperature, frequency, work that comes and goes), so that "
    "ten rounds carry less information than ten independent ones. Intervals from 8 or more "
    "rounds are widened accordingly; intervals from fewer rounds are too narrow for the "
    "long run.",
    remedy="Compare cases within the campaign, whose rounds are interleaved, rather than its "
    "figures with another day's. For the long run spread rounds over hours, or repeat the campaign "
    "on another day.",
    check_campaign=check_campaign,
    concerns=("rounds",),
)
