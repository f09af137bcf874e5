"""The analysed campaign as frames."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import polars as pl

from busmark.analysis.across import dimensions as dim
from busmark.analysis.model import Campaign, CaseSummary
from busmark.compare import Comparison
from busmark.frames.columns import (
    CASES,
    CHANGES,
    FINDINGS,
    MEASURES,
    PARAMETERS,
    Measure,
    statistics,
)
from busmark.model.parameters import Parameters
from busmark.model.quantities import LATENCIES, NUMBERS
from busmark.model.statistics import POOLED
from busmark.store.columns import Column, polars_type
from busmark.store.manifest import Finding

Row = dict[str, Any]

PREFIX = "param_"
"""Prefix of a further parameter whose name is already a column of `cases`."""


def schema(columns: Iterable[Column]) -> dict[str, pl.DataType]:
    """Names and polars types."""
    return {column.name: polars_type(column.kind) for column in columns}


def parameters(cases: Sequence[tuple[str, Parameters]]) -> pl.DataFrame:
    """One row per case, given as (identifier, parameters); columns `case`, those that every
    campaign has, and those that this one has."""
    flats = {case: dim.flatten(params) for case, params in cases}
    known = [column.name for column in PARAMETERS]
    names = dict.fromkeys(name for flat in flats.values() for name in flat)
    further = {name: _column_name(name) for name in names if name not in known}
    frame = pl.DataFrame(
        [
            {"case": case, **{name: flat.get(name) for name in known}}
            for case, flat in flats.items()
        ],
        schema={"case": pl.String(), **schema(PARAMETERS)},
        strict=False,
    )
    return frame.with_columns(
        _series(title, [flat.get(name) for flat in flats.values()])
        for name, title in further.items()
    )


def _column_name(name: str) -> str:
    plain = name.replace(".", "_")
    return PREFIX + plain if plain in {column.name for column in CASES} else plain


def _series(name: str, values: Sequence[Any]) -> pl.Series:
    """Numbers as numbers, switches as switches, all else as text."""
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {int, float} and kinds:
        return pl.Series(name, values, pl.Int64 if kinds == {int} else pl.Float64, strict=False)
    if kinds == {bool}:
        return pl.Series(name, values, pl.Boolean)
    texts = [v if v is None or isinstance(v, str) else json.dumps(v) for v in values]
    return pl.Series(name, texts, pl.String)


def cases(campaign: Campaign, params: pl.DataFrame) -> pl.DataFrame:
    """`Results.cases`: identity, parameters, counts, estimates."""
    known = {column.name for column in PARAMETERS}
    figures = pl.DataFrame(
        [_case(case) for case in campaign.cases],
        schema=schema(column for column in CASES if column.name not in known),
        strict=False,
    )
    joined = figures.join(params, on="case", how="left", maintain_order="left")
    further = [name for name in params.columns if name not in known and name != "case"]
    order = [column.name for column in CASES]
    place = order.index(PARAMETERS[-1].name) + 1
    return joined.select(*order[:place], *further, *order[place:])


def _case(case: CaseSummary) -> Row:
    row: Row = {
        "case": case.id, "label": case.label, "status": case.status, "reason": case.reason,
        "is_floor": case.is_floor, "os": case.os, "rounds_ok": case.rounds.ok,
        "rounds_marked": case.rounds.marked, "rounds_failed": case.rounds.failed,
        **{one.key: one.pick(case) for one in NUMBERS if one.frames},
        **{f"load_{load.kind}_asked": load.asked for load in case.loads},
        **{f"load_{load.kind}_achieved": load.achieved for load in case.loads},
    }  # fmt: skip
    for of in LATENCIES:
        found = of.pick(case)
        if found:
            row[f"{of.key}_count"] = found.count
            row[f"{of.key}_rounds"] = found.median.rounds
            row |= {f"{of.key}_{one.key}": found.time_ns(one.key) for one in POOLED}
        for measure in statistics(of):
            row |= _limits(measure, case)
    for measure in MEASURES:
        row |= _limits(measure, case)
    return row


def _limits(measure: Measure, case: CaseSummary) -> Row:
    figure = measure.pick(case)
    value, low, high = (column.name for column in measure.columns())
    return {value: figure.value, low: figure.low, high: figure.high} if figure else {}


def changes(found: Comparison) -> pl.DataFrame:
    """`Results.compare`."""
    rows = [
        {"label": pair.label, "case": pair.baseline_case, "other_case": pair.candidate_case,
         "figure": one.name, "headline": one.headline, "kind": one.kind,
         "change": one.change.value if one.change else None,
         "low": one.change.low if one.change else None,
         "high": one.change.high if one.change else None,
         "p_adjusted": one.p_adjusted, "verdict": one.verdict, "reason": one.reason}
        for pair in found.pairs
        for one in pair.changes
    ]  # fmt: skip
    return pl.DataFrame(rows, schema=schema(CHANGES), strict=False)


def findings(found: Sequence[Finding]) -> pl.DataFrame:
    """`Results.findings`."""
    lists = {"cases": ", ", "explains": "; "}
    names = [column.name for column in FINDINGS if column.name not in lists]
    rows = [
        {
            **{name: getattr(one, name) for name in names},
            **{name: sign.join(getattr(one, name)) or None for name, sign in lists.items()},
        }
        for one in found
    ]
    return pl.DataFrame(rows, schema=schema(FINDINGS))
