"""Rounds that depend on when they were run, or after what."""

from __future__ import annotations

from collections.abc import Iterator
from math import expm1, log
from typing import TYPE_CHECKING, Any

from busmark.findings.rule import Observation, Rule
from busmark.findings.text import count, p_value

if TYPE_CHECKING:
    from busmark.store.result import Result

CERTAIN = 0.001
"""A campaign is tested once for each effect; one in a thousand then speaks without cause."""
MIN_CHANGE = 0.03
"""What is certain but smaller matters to nobody who compares middleware."""
MIN_ROUNDS = 3
"""Rounds of a case: with fewer, its own level is not known."""


def check_campaign(result: Result) -> Iterator[Observation]:
    rows = _relative(result)
    yield from _drift(rows)
    yield from _predecessors(rows)


def _relative(result: Result) -> list[dict[str, Any]]:
    """Counted rounds in order of execution, with the logarithm of their value over the case's
    typical one as `change`, and the adapter that ran before as `after`. The trials of a search are
    none: each has a rate of its own."""
    import polars as pl

    table = result.cases
    if "statistic_value" not in table.columns or "order" not in table.columns:
        return []
    table = table.sort("order").with_columns(pl.col("adapter").shift(1).alias("after"))
    counted = table.filter(
        (pl.col("status") == "ok")
        & (pl.col("statistic_value") > 0)
        & (pl.col("test") != "capacity")
    )
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
            f"(Mann-Kendall {p_value(found.p_value)})",
            weight=abs(by),
            title="The machine changed while the campaign ran",
            cause="Temperature, frequency, another tenant, or work that began or ended.",
            remedy="Rounds are interleaved, so comparisons within the campaign stand. Do not "
            "compare its figures with another day's; run it again on a quiet machine.",
        )


def _predecessors(rows: list[dict[str, Any]]) -> Iterator[Observation]:
    from busmark.stats import difference

    rows = [row for row in rows if row["after"] is not None]
    names = sorted({row["after"] for row in rows})
    logs = _without_cases(rows)
    found = difference([
        [log for row, log in zip(rows, logs, strict=True) if row["after"] == name]
        for name in names
    ])  # fmt: skip
    if found is None or found.p_value >= CERTAIN or found.spread < log(1 + MIN_CHANGE):
        return
    yield Observation(
        "warning",
        f"after {names[found.highest]} values are {expm1(found.spread):.1%} above those after "
        f"{names[found.lowest]} (Kruskal-Wallis {p_value(found.p_value)})",
        weight=found.spread,
    )


def _without_cases(rows: list[dict[str, Any]]) -> list[float]:
    """Logarithms without the level of each case, by a least-squares fit of a level per case and an
    effect per predecessor. A case's own median would not do: where half of its rounds follow what
    slows them down, it is a slow one, and the others pass for fast."""
    import numpy as np

    if not rows:
        return []
    cases = sorted({row["case"] for row in rows})
    names = sorted({row["after"] for row in rows})
    design = np.zeros((len(rows), len(cases) + len(names)))
    for line, row in zip(design, rows, strict=True):
        line[cases.index(row["case"])] = 1.0
        line[len(cases) + names.index(row["after"])] = 1.0
    logs = np.array([row["log"] for row in rows])
    # One more parameter than can be told apart: the least squares with the smallest effects.
    fit, *_ = np.linalg.lstsq(design, logs, rcond=None)
    levels: list[float] = (logs - design[:, : len(cases)] @ fit[: len(cases)]).tolist()
    return levels


RULE = Rule(
    id="order-effects",
    title="Rounds depend on what ran before them",
    cause="What an adapter leaves behind affects the next round: processes that end slowly, "
    "caches, shared memory, sockets in TIME_WAIT.",
    remedy="The order is random, so the effect reaches all cases alike; to avoid it, run the "
    "adapters in separate campaigns.",
    check_campaign=check_campaign,
    explains=("rounds-disagree", "target-missed"),
)
