"""The rows of the table of estimates that answer what a case was measured for."""

from __future__ import annotations

import re

import polars as pl

from busmark.compare.campaign import Campaign
from busmark.model.quantities import QUANTITIES

LATENCY = (("half_round_trip", "median"), ("half_round_trip", "p99"), ("lost_share", "value"))
STREAM = (
    ("goodput", "median"), ("sustained_rate", "median"), ("one_way", "median"), ("one_way", "p99"),
    ("loss", "mean"),
)  # fmt: skip
CPU = ("cpu", "median")

BY_TEST = {
    "latency": (*LATENCY, CPU),
    "throughput": (*STREAM, CPU),
    "capacity": (*STREAM, CPU),
    "discovery": (("first_sample", "median"), CPU),
}
"""Quantities and statistics, by test."""

PHASED = "first_after"
BY_ANSWER = {"matching": (("matched_last", "median"),), "recovery": ((PHASED, "median"),)}
"""Those that streams have besides, by what the scenario wants them to be compared by."""

NUMBER = re.compile(r"^\d{3,}-")


def answer(estimates: pl.DataFrame, campaign: Campaign) -> pl.DataFrame:
    """Return the estimates that have a value, in the order of the cases and of `BY_TEST`.

    Columns: all of the table of estimates; `name`, the case without its number unless two cases
    differ by nothing else, so that it keeps its name when others come before it; `figure`, such as
    p99(half_round_trip); `more_is_better`.
    """
    names = {case.id: NUMBER.sub("", case.id) for case in campaign.cases}
    if len(set(names.values())) < len(names):
        names = {case: case for case in names}
    wanted = [
        (case.id, names[case.id], quantity, statistic)
        for case in campaign.cases
        for quantity, statistic in (*BY_TEST.get(case.test, ()), *BY_ANSWER.get(case.answer, ()))
    ]
    keys = ["case", "quantity", "statistic"]
    schema = dict.fromkeys(("case", "name", "quantity", "statistic"), pl.String)
    found = pl.DataFrame(wanted, schema=schema, orient="row").join(
        estimates.filter(
            # Phases have most quantities of their case again.
            pl.col("scope") == pl.when(pl.col("quantity") == PHASED).then(pl.lit("phase"))
            .otherwise(pl.lit("case")),
            pl.col("over") == "rounds", pl.col("round").is_null(), pl.col("value").is_finite(),
        ),
        on=keys, how="inner", maintain_order="left_right",
    )  # fmt: skip
    quantity = pl.col("quantity").replace("lost_share", "loss")
    of_samples = [one.name for one in QUANTITIES.values() if one.of_samples]
    of = pl.when(pl.col("of").is_not_null()).then(pl.format(", {}", "of")).otherwise(pl.lit(""))
    figure = (
        pl.when(pl.col("quantity").is_in(of_samples))
        .then(pl.format("{}({})", "statistic", "quantity"))
        .otherwise(quantity)
    )
    better = [one.name for one in QUANTITIES.values() if one.more_is_better]
    return found.with_columns(figure=figure + of, more_is_better=pl.col("quantity").is_in(better))
