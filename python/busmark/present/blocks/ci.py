"""Figures in files for tools of CI: what each case was measured for."""

from __future__ import annotations

import re
from collections.abc import Sequence

import polars as pl

from busmark.model.case import CaseSummary
from busmark.model.quantities import QUANTITIES
from busmark.present.layout import IN_CI, IN_CI_BY_ANSWER, PHASED

NUMBER = re.compile(r"^\d{3,}-")


def ci_figures(estimates: pl.DataFrame, cases: Sequence[CaseSummary]) -> pl.DataFrame:
    """Return the estimates that have a value, in the order of the cases and of `IN_CI`.

    Columns: all of the table of estimates; `name`, the case without its number unless two cases
    differ by nothing else, so that it keeps its name when others come before it; `figure`, such as
    p99(half_round_trip); `more_is_better`.
    """
    names = {case.id: NUMBER.sub("", case.id) for case in cases}
    if len(set(names.values())) < len(names):
        names = {one: one for one in names}
    wanted = [
        (case.id, names[case.id], quantity, statistic)
        for case in cases
        for quantity, statistic in (
            *IN_CI.get(case.test, ()),
            *IN_CI_BY_ANSWER.get(case.answer, ()),
        )
    ]
    keys = ["case", "quantity", "statistic"]
    schema = dict.fromkeys(("case", "name", "quantity", "statistic"), pl.String)
    found = pl.DataFrame(wanted, schema=schema, orient="row").join(
        estimates.filter(
            # Phases have most quantities of their case again.
            pl.col("scope")
            == pl.when(pl.col("quantity") == PHASED)
            .then(pl.lit("phase"))
            .otherwise(pl.lit("case")),
            pl.col("over") == "rounds",
            pl.col("round").is_null(),
            pl.col("value").is_finite(),
        ),
        on=keys,
        how="inner",
        maintain_order="left_right",
    )
    of_samples = [one.name for one in QUANTITIES.values() if one.of_samples]
    of = pl.when(pl.col("of").is_not_null()).then(pl.format(", {}", "of")).otherwise(pl.lit(""))
    figure = (
        pl.when(pl.col("quantity").is_in(of_samples))
        .then(pl.format("{}({})", "statistic", "quantity"))
        .otherwise(pl.col("quantity"))
    )
    better = [one.name for one in QUANTITIES.values() if one.more_is_better]
    return found.with_columns(figure=figure + of, more_is_better=pl.col("quantity").is_in(better))
