"""The tables of a result directory, column by column.

`columns.toml` is the single source of the format: the writer casts to it, the reader checks against
it, and the reference page is generated from it. Times are int64 nanoseconds of CLOCK_MONOTONIC of
the host that took them unless the name says otherwise; sizes are bytes. A value that is not there
is null, never 0.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, cast

from busmark.model.parameter import Kind
from busmark.model.parameters import STORED
from busmark.plugin import Plugin, active, beside, declared

if TYPE_CHECKING:
    import polars as pl

ESTIMATES_FILE = "estimates.parquet"
SERIES_FILE = "series.parquet"
"""File of what is computed from all other tables; see `busmark.compare.stored`."""

FORMAT_VERSION = 1
"""Raised when a reader of the older format would misread the newer one."""


@dataclass(frozen=True)
class StoredColumn:
    """One column: its name, kind of value, unit where it has one, and meaning."""

    name: str
    kind: Kind
    unit: str
    meaning: str
    required: bool = False
    """Whether it is never null."""


PARAMETERS = tuple(StoredColumn(each.name, each.kind, each.unit, each.column) for each in STORED)
"""Parameters that a case can state. The keys of `params` in the manifest have the same names."""

TICK_NS = 10_000_000
"""Step of the kernel's counters of CPU time: USER_HZ is 100 on every architecture in use."""

LOAD_UNITS = {"cpu": "", "net": "bit/s", "disk": "B/s"}
"""Units by kind of background load. For CPUs it is the share of each; for a disk what was read, and
as much was written."""

_SHARE = {"cpu": ", share of each CPU", "net": "", "disk": ", read and as much written"}

LOADS = tuple(
    column
    for kind, unit in LOAD_UNITS.items()
    for column in (
        StoredColumn(
            f"load_{kind}_asked",
            "float",
            unit,
            f"level of the background load {kind} as asked for{_SHARE[kind]}; null: none, or one "
            "without a limit",
        ),
        StoredColumn(
            f"load_{kind}_achieved",
            "float",
            unit,
            f"what it achieved while the round was measured{_SHARE[kind]}; on several nodes where "
            "that was least",
        ),
    )
)
"""A level for each kind of background load: several may run at once."""

Value = list[str] | str
OTHERS = {"parameters": PARAMETERS, "loads": LOADS}
"""Columns for which a name stands in the file."""


TABLES_KEY = "tables"
"""Table of a plug-in's file: of each new table what a row is, its title, and "shown" where it has
few rows."""


def _read(path: Path) -> dict[str, dict[str, Value]]:
    found: dict[str, dict[str, Value]] = tomllib.loads(path.read_text(encoding="utf-8"))
    return found


def _columns(rows: Mapping[str, Value]) -> Iterator[StoredColumn]:
    for name, of in rows.items():
        if isinstance(of, str):
            yield from OTHERS[name]
        else:
            kind, unit, meaning, *required = of
            yield StoredColumn(name, cast("Kind", kind), unit, meaning, bool(required))


def _of_plugin(plugin: Plugin) -> dict[str, StoredColumn]:
    """Return the columns that a plug-in brings, by table and name."""
    read = _read(beside(plugin.columns)) if plugin.columns else {}
    return {
        f"{table}.{column.name}": column
        for table, rows in read.items()
        if table != TABLES_KEY
        for column in _columns(rows)
    }


def _tables() -> dict[str, tuple[StoredColumn, ...]]:
    read = _read(Path(__file__).with_name("columns.toml"))
    tables = {table: [*_columns(rows)] for table, rows in read.items()}
    core = [f"{table}.{column.name}" for table, own in tables.items() for column in own]
    for name, column in declared(core, "column", _of_plugin).items():
        tables.setdefault(name.partition(".")[0], []).append(column)
    return {table: tuple(own) for table, own in tables.items()}


TABLES = _tables()
"""The columns of each table, the columns of plug-ins last."""


@dataclass(frozen=True)
class TableOfRounds:
    """A table that a plug-in brings, a file for each round."""

    row: str
    """Meaning of a row of the table."""
    title: str
    is_shown: bool
    """Whether people read it, in the workbook: it has few rows."""


OF_PLUGINS = {
    name: TableOfRounds(of[0], of[1], "shown" in of[2:])
    for _, plugin in active()
    if plugin.columns
    for name, of in _read(beside(plugin.columns)).get(TABLES_KEY, {}).items()
}
"""Tables that plug-ins bring."""

EXCHANGE = ("sent_ns", "echo_read_ns", "echo_sent_ns", "read_ns")
"""Columns of `samples`: T1 and T4 by the asker's clock, between them two by the answerer's."""

TIMED = "reader"
"""Role in `samples` of what each reader of a stream at a rate timed."""

ASKING = ("pinger", "transmitter", "client")
"""Roles whose samples may hold exchanges."""

WARM_UP = 1
"""Bit of `flags`: the sample was sent before the measurement began."""


def polars_type(kind: Kind) -> pl.DataType:
    """Return the type of a column of this kind in polars."""
    import polars as pl

    types: dict[Kind, pl.DataType] = {
        "text": pl.String(),
        "int": pl.Int64(),
        "float": pl.Float64(),
        "bool": pl.Boolean(),
    }
    return types[kind]


@cache
def polars_schema(table: str) -> dict[str, pl.DataType]:
    """Return the column names and polars types of one of `TABLES`."""
    return {column.name: polars_type(column.kind) for column in TABLES[table]}
