"""The curves of a case, and the table of series that has their points.

The analysis makes curves, charts draw them; in between they are rows of the table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np
import polars as pl

from busmark.estimate.columns import SERIES
from busmark.model.case import Curve
from busmark.store.columns import polars_type

OF_POINTS = ("x", "y", "low", "high")
"""Columns with a value for each point; of all others a curve has one."""


def signed(jitter: str) -> str:
    """Return the name of a variation with its sign."""
    return jitter.replace("jitter", "ipdv")


def table(cases: Iterable[tuple[str, Sequence[Curve]]]) -> pl.DataFrame:
    """Return the series of all cases, given by their identifiers; columns are `columns.SERIES`."""
    curves = [(case, curve) for case, own in cases for curve in own]
    places = np.repeat(np.arange(len(curves)), [len(curve.x) for _, curve in curves])
    columns = []
    for column in SERIES:
        kind, name = polars_type(column.kind), column.name
        if name in OF_POINTS:
            points = (getattr(curve, name) or [None] * len(curve.x) for _, curve in curves)
            columns.append(pl.Series(name, [*chain.from_iterable(points)], kind, strict=False))
        else:
            values = [case if name == "case" else getattr(curve, name) for case, curve in curves]
            columns.append(pl.Series(name, values, kind).gather(places))
    return pl.DataFrame(columns)


def curves(table: pl.DataFrame) -> Iterator[tuple[str, Curve]]:
    """Return the curves of a table, each with the identifier of its case."""
    of_curve = [name for name in table.columns if name not in OF_POINTS]
    begins = table.select(
        pl.any_horizontal(pl.col(name).ne_missing(pl.col(name).shift()) for name in of_curve)
    ).to_series()
    # The first row may be like the nulls before it.
    first = [0, *(place for place in begins.arg_true().to_list() if place)]
    points = {name: table[name].to_list() for name in OF_POINTS}
    heads = table[first].select(of_curve).rows(named=True) if table.height else []
    for begin, end, head in zip(first, [*first[1:], table.height], heads, strict=False):
        own: dict[str, Any] = {name: values[begin:end] for name, values in points.items()}
        for limits in ("low", "high"):
            if all(value is None for value in own[limits]):
                own[limits] = None
        yield head.pop("case"), Curve(**own, **head)
