"""Rounds that depend on when they were run, or after what."""

from __future__ import annotations

from collections.abc import Iterator
from math import expm1, log
from typing import TYPE_CHECKING, Any

from busmark.findings.rule import Observation, Rule
from busmark.findings.text import count

if TYPE_CHECKING:
    from busmark.store.result import Result

CERTAIN = 0.001
"""A campaign is tested once for each effect; one in a thousand then speaks without cause."""
MIN_CHANGE = 0.03
"""What is certain but smaller matters to nobody who compares middleware."""
MIN_ROUNDS = 3
"""Of a case: with fewer, its own level is not known."""


def check_campaign(result: Result) -> Iterator[Observation]:
    rows = _relative(result)
    yield from _drift(rows)
    yield from _predecessors(rows)


def _relative(result: Result) -> list[dict[str, Any]]:
    """Counted rounds in order of execution, with the logarithm of their value over the case's
    typical one as `change`, and the adapter that ran before as `after`."""
    import polars as pl

    table = result.cases
    if "statistic_value" not in table.columns or "order" not in table.columns:
        return []
    table = table.sort("order").with_columns(pl.col("adapter").shift(1).alias("after"))
    counted = table.filter((pl.col("status") == "ok") & (pl.col("statistic_value") > 0))
    logs = counted.with_columns(pl.col("statistic_value").log().alias("log")).with_columns(
        (pl.col("log") - pl.col("log").median().over("case")).alias("change"),
        pl.len().over("case").alias("rounds"),
    )
    return logs.filter(pl.col("rounds") >= MIN_ROUNDS).to_dicts()


def _drift(rows: list[dict[str, Any]]) -> Iterator[Observation]:
    from busmark.stats import drift

    for test in dict.fromkeys(row["test"] for row in rows):
        changes = [row["change"] for row in rows if row["test"] == test]
        half = len(changes) // 2
        if not half:
            continue
        found = drift(changes)
        by = sum(changes[half:]) / (len(changes) - half) - sum(changes[:half]) / half
        if found.p_value is None or found.p_value >= CERTAIN or abs(by) < log(1 + MIN_CHANGE):
            continue
        yield Observation(
            "warning",
            f"{'latency' if test == 'latency' else 'goodput'} in the second half of "
            f"{count(len(changes), 'round')} {expm1(by):+.1%} against the first "
            f"(Mann-Kendall p = {found.p_value:.1g})",
            weight=abs(by),
            title="The machine changed while the campaign ran",
            cause="Temperature, frequency, another tenant, or work that began or ended.",
            remedy="Rounds are interleaved, so comparisons within the campaign stand. Do not "
            "compare its figures with another day's; run it again on a quiet machine.",
        )


def _predecessors(rows: list[dict[str, Any]]) -> Iterator[Observation]:
    from busmark.stats import difference

    names = sorted({row["after"] for row in rows if row["after"] is not None})
    found = difference([[r["change"] for r in rows if r["after"] == name] for name in names])
    if found is None or found.p_value >= CERTAIN or found.spread < log(1 + MIN_CHANGE):
        return
    yield Observation(
        "warning",
        f"after {names[found.highest]} values are {expm1(found.spread):.1%} above those after "
        f"{names[found.lowest]} (Kruskal-Wallis p = {found.p_value:.1g})",
        weight=found.spread,
    )


RULE = Rule(
    id="order-effects",
    title="Rounds depend on what ran before them",
    cause="What an adapter leaves behind reaches into the next round: processes that end slowly, "
    "caches, shared memory, sockets in TIME_WAIT.",
    remedy="The order is random and the same effect reaches all cases alike; to be free of it, "
    "run the adapters in campaigns of their own.",
    check_campaign=check_campaign,
)
