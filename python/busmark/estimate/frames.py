"""Frames: the raw tables of a result, a file for each round, its cases, estimates and machines."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from busmark.errors import UserError
from busmark.estimate.columns import (
    CASES,
    ESTIMATES,
    FINDINGS,
    MACHINES,
    MEASURES,
    PARAMETERS,
    CaseMeasure,
    statistics,
)
from busmark.model import naming as dim
from busmark.model.case import CaseSummary
from busmark.model.figures import Estimated, Figures
from busmark.model.parameters import Parameters
from busmark.model.quantities import LATENCIES, NUMBERS
from busmark.model.quantities.parts import LOAD_ACHIEVED, LOAD_ASKED
from busmark.model.statistics import POOLED
from busmark.store import Result
from busmark.store.columns import StoredColumn, polars_schema, polars_type
from busmark.store.manifest import Finding, Manifest
from busmark.store.result import file_stem
from busmark.store.tables import UNREADABLE, check_file

Round = tuple[str, int]
"""Case and number."""


def is_needed(table: str, test: str | None) -> bool:
    """Return whether a round of this test is not whole without a file of this table."""
    return table == "samples" or (table == "intervals" and test == "throughput")


@dataclass(frozen=True, slots=True)
class TableFiles:
    """The files of one table, and why others are left out."""

    table: str
    usable: list[Path]
    problems: list[str]


def rounds(
    result: Result, case: str | None = None, number: int | None = None, status: str | None = "ok"
) -> list[Round]:
    """List the rounds of one case or of all, of this status or of any but failed."""
    rows = result.cases.filter(pl.col("status") != "failed")
    chosen = {"case": case, "round": number, "status": status}
    for column, value in chosen.items():
        rows = rows if value is None else rows.filter(pl.col(column) == value)
    return list(rows.sort("case", "round").select("case", "round").iter_rows())


def files(result: Result, table: str, wanted: Iterable[Round]) -> TableFiles:
    """Find the files of these rounds whose footers can be read, and the problems of others."""
    found = TableFiles(table, [], [])
    tests = dict(result.cases.select("case", "test").iter_rows())
    for case, number in wanted:
        path = result.directory / table / f"{file_stem(case, number)}.parquet"
        try:
            check_file(path)
        except FileNotFoundError:
            if is_needed(table, tests[case]):
                found.problems.append(f"{path}: this file of the result is missing")
        except UserError as error:
            found.problems.append(str(error).partition("\n")[0])
        except UNREADABLE as error:
            first = str(error).partition("\n")[0]
            found.problems.append(f"{path}: not a readable Parquet file ({first})")
        else:
            found.usable.append(path)
    return found


def scan(found: TableFiles) -> pl.LazyFrame:
    """Scan the table with the columns of the format: columns that a file lacks are null, further
    ones are left out."""
    schema = polars_schema(found.table)
    if not found.usable:
        return pl.LazyFrame(schema=schema)
    return pl.scan_parquet(
        found.usable,
        schema=schema,
        missing_columns="insert",
        extra_columns="ignore",
        # Some versions wrote shorter integers.
        cast_options=pl.ScanCastOptions(integer_cast="upcast"),
    )


def with_parameters(
    frame: pl.LazyFrame, params: pl.DataFrame, names: bool | Sequence[str]
) -> pl.LazyFrame:
    """Add the parameters of each row's case: all, none, or those named. A parameter that has the
    name of a column of the table is not added."""
    if names is False:
        return frame
    present = frame.collect_schema().names()
    wanted = params.columns if names is True else names
    added = [name for name in wanted if name not in present]
    return frame.join(params.lazy().select("case", *added), on="case", how="left")


Row = dict[str, Any]

PREFIX = "param_"
"""Prefix of a further parameter whose name is already a column of `cases`."""


def schema(columns: Iterable[StoredColumn]) -> dict[str, pl.DataType]:
    """Return the polars type of each column, by name."""
    return {column.name: polars_type(column.kind) for column in columns}


def parameters(cases: Sequence[tuple[str, Parameters]]) -> pl.DataFrame:
    """Make a row per case, given as (identifier, parameters); columns are `case`, the parameters
    that every campaign has, and further ones of this campaign."""
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
    """Make a column of numbers, or of switches, where all values are such, else of text."""
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {int, float} and kinds:
        return pl.Series(name, values, pl.Int64 if kinds == {int} else pl.Float64, strict=False)
    if kinds == {bool}:
        return pl.Series(name, values, pl.Boolean)
    texts = [v if v is None or isinstance(v, str) else json.dumps(v) for v in values]
    return pl.Series(name, texts, pl.String)


def estimates(cases: Iterable[CaseSummary]) -> pl.DataFrame:
    """Return the estimates of all cases; columns are `columns.ESTIMATES`."""
    names = [column.name for column in ESTIMATES]
    rows = [
        [case.id if name == "case" else getattr(row, name) for name in names]
        for case in cases
        for row in case.figures
    ]
    return pl.DataFrame(rows, schema=schema(ESTIMATES), orient="row", strict=False)


def figures(table: pl.DataFrame) -> dict[str, StoredFigures]:
    """Return the rows of the table of estimates by case."""
    names = [one.name for one in fields(Estimated)]
    split: dict[str, list[tuple[Any, ...]]] = {}
    # All rows at once: of each case alone it takes three times as long.
    for case, row in zip(table["case"], table.select(names).iter_rows(), strict=True):
        split.setdefault(case, []).append(row)
    return {case: StoredFigures(rows) for case, rows in split.items()}


class StoredFigures(Figures):
    """Rows of the table of estimates of a case, made of the table when they are first asked for."""

    def __init__(self, rows: Sequence[tuple[Any, ...]]) -> None:
        """Take the rows of one case, their values in the order of the fields of `Estimated`."""
        self._values = rows

    @cached_property
    def rows(self) -> list[Estimated]:
        """All rows, in the order of the table."""
        return [Estimated(*row) for row in self._values]

    def __len__(self) -> int:
        return len(self._values)


def cases(analysed: Iterable[CaseSummary], params: pl.DataFrame) -> pl.DataFrame:
    """Return `Results.cases`: identity, parameters, counts, estimates."""
    known = {column.name for column in PARAMETERS}
    figures = pl.DataFrame(
        [_case(case) for case in analysed],
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
        "case": case.id,
        "label": case.label,
        "status": case.status,
        "reason": case.reason,
        "is_floor": case.is_floor,
        "os": case.os,
        "rounds_ok": case.rounds.ok,
        "rounds_marked": case.rounds.marked,
        "rounds_failed": case.rounds.failed,
        **{one.key: one.value(case) for one in NUMBERS if one.frames},
        **{f"load_{load.of}_asked": load.value(LOAD_ASKED) for load in case.parts("load")},
        **{f"load_{load.of}_achieved": load.value(LOAD_ACHIEVED) for load in case.parts("load")},
    }
    for of in LATENCIES:
        found = of.in_case(case)
        if found:
            row[f"{of.key}_count"] = found.count
            row[f"{of.key}_rounds"] = found.median.rounds
            row |= {f"{of.key}_{one.key}": found.time_ns(one.key) for one in POOLED}
        for measure in statistics(of):
            row |= _limits(measure, case)
    for measure in MEASURES:
        row |= _limits(measure, case)
    return row


def _limits(measure: CaseMeasure, case: CaseSummary) -> Row:
    figure = measure.pick(case)
    value, low, high = (column.name for column in measure.columns())
    return {value: figure.value, low: figure.low, high: figure.high} if figure else {}


def machines(manifest: Manifest) -> pl.DataFrame:
    """Return `Results.machines`."""
    hosts: list[tuple[str | None, int | None, dict[str, Any]]] = [
        (node or None, None, host) for node, host in manifest.hosts.items()
    ]
    hosts += [
        (node or None, one.first_order, host)
        for one in manifest.resumptions
        for node, host in {"": one.host, **one.nodes}.items()
    ]
    facts = [dict(_facts(host)) for *_, host in hosts]
    names = dict.fromkeys(name for own in facts for name in own)
    rows = [{"node": node, "from_order": since} for node, since, _ in hosts]
    frame = pl.DataFrame(rows, schema=schema(MACHINES))
    return frame.with_columns(_series(name, [own.get(name) for own in facts]) for name in names)


def _facts(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the facts of a profile by the names of their columns."""
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from _facts(value, f"{prefix}{name}_")
        else:
            yield f"{prefix}{name}", value


def findings(found: Sequence[Finding]) -> pl.DataFrame:
    """Return `Results.findings`."""
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
