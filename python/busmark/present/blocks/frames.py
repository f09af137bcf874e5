"""The frames of a result as tables: every case, round and part of a case, and the raw tables that
have a row for each round. A column has its meaning from the reference of `frames`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from busmark.estimate.columns import FRAMES, SCOPES
from busmark.model.case import TIMED
from busmark.model.distribution import INSIDE, TYPICAL
from busmark.model.quantities import NUMBERS, QUANTITIES
from busmark.present.blocks.rows import fact
from busmark.present.document import ABSENT, Cell, Column, Kind, Row, Section, Table
from busmark.results import Results
from busmark.store import columns as stored

MOST_ROWS = 20_000
"""Rows of a table; more are for programs, which read the frames themselves."""

RAW = (
    *("participants", "flows", "changes", "batches", "discoveries", "goals", "matches"),
    *(name for name, of in stored.OF_PLUGINS.items() if of.is_shown),
)
"""Tables of rounds that people read; samples, intervals, hops and counters have too many rows."""

OF_CASE = ("label", "test", "placement", "size")
"""Columns of the frame of cases that come first in every other table."""

ESTIMATED = {
    "min_ns",
    "max_ns",
    "mean_ns",
    "variance_ns2",
    "median_ns",
    "p99_ns",
    "statistic_value",
    "statistic_variance",
    "statistic_variance_blocks",
    "samples_per_s",
    "mbit_per_s",
    "written_per_s",
    "qos",
}
"""Columns of the table of rounds that are left out. The estimates of a round have each quantity in
a column of its own, where these hold round trips of one case and one-way times of another."""

UNITS = {"ns": ("µs", 1e-3), "ns²": ("µs²", 1e-6), "1/s": ("per s", 1.0), "1e-6": ("ppm", 1.0)}
"""Units of frames that have another in all tables, whatever their values, and its factor."""

SUFFIXES = ("_mbit_per_s", "_bytes", "_per_s", "_ns2", "_mib", "_ns", "_s", "_hz", "_ppm")
"""Ends of names that say the unit, which the heading has."""

DESCRIBED = {frame.call.removesuffix("()"): frame for frame in FRAMES}

Key = tuple[Any, ...]


def sections(results: Results) -> Iterator[Section]:
    """Return a section for each frame and each scope of the estimates that has rows."""
    own = results.estimates.with_columns(_words("quantity"), _words("statistic"))
    of_case = pl.col("scope") == "case"
    # The frame has no counters of the system.
    counted = [(one.quantity or one.key).replace("_", " ") for one in NUMBERS if not one.frames]
    counters = own.filter(of_case, pl.col("quantity").is_in(counted))
    timed = [name.replace("_", " ") for name in TIMED]
    yield from _section(
        "Cases",
        "Every case with its parameters and estimates",
        results,
        results.cases,
        "cases",
        _pivot(counters, ("case",), ("quantity", "statistic"), results.cases.select("case").rows()),
    )
    yield from _estimates(
        "Distributions",
        "All samples of a case together, and all but its slowest",
        results,
        own.filter(
            of_case, pl.col("quantity").is_in(timed), ~pl.col("over").is_in((TYPICAL, INSIDE))
        ),
        ("quantity", "over"),
        ("statistic",),
    )
    for scope, meaning in SCOPES.items():
        if scope not in ("case", "round"):
            found = own.filter(pl.col("scope") == scope)
            title = f"{scope.capitalize()}s" if scope != "traffic" else "Traffic"
            yield from _estimates(
                title,
                f"Estimates of {meaning}",
                results,
                found,
                ("of", "over"),
                ("quantity", "statistic"),
            )
    rounds = results.rounds.drop(
        name
        for name in results.rounds.columns
        if name in ESTIMATED or (name in results.parameters.columns and name != "case")
    )
    of_rounds = own.filter(pl.col("scope") == "round")
    yield from _section(
        "Rounds",
        "Every round of every case, whatever its outcome",
        results,
        rounds,
        "rounds",
        _pivot(
            of_rounds,
            ("case", "round"),
            ("quantity", "statistic"),
            rounds.select("case", "round").rows(),
        ),
    )
    for name in RAW:
        frame = getattr(results, name)().head(MOST_ROWS + 1).collect()
        yield from _section(
            f"{name.capitalize()} by round",
            f"A row for {DESCRIBED[name].row}",
            results,
            frame,
            name,
            (),
        )
    yield from _section(
        "Findings",
        "What spoils, or may spoil, the measurement",
        results,
        results.findings,
        "findings",
        (),
    )
    yield from _section(
        "Stated figures",
        "Figures that the source of the result states",
        results,
        results.reported,
        "reported",
        (),
    )


def _words(name: str) -> pl.Expr:
    return pl.col(name).str.replace_all("_", " ", literal=True)


def _estimates(
    title: str,
    meaning: str,
    results: Results,
    found: pl.DataFrame,
    index: Sequence[str],
    on: Sequence[str],
) -> Iterator[Section]:
    """Yield a row for each part of a case, with a column for each figure of it."""
    # What all have in common needs no column.
    names = ["case", *(name for name in index if found[name].n_unique() > 1)]
    keys = found.select(names).unique(maintain_order=True)
    columns = [_counts(found, names, keys.rows()), *_pivot(found, names, on, keys.rows())]
    yield from _section(title, meaning, results, keys, "estimates", columns)


def _counts(found: pl.DataFrame, index: Sequence[str], rows: Sequence[Key]) -> Column:
    """Count the samples that the figures of a row rest on, where that is the same for all."""
    counts: dict[Key, set[int]] = {}
    for row in found.drop_nulls("count").iter_rows(named=True):
        counts.setdefault(tuple(row[name] for name in index), set()).add(row["count"])
    known = [counts.get(row, set()) for row in rows]
    cells = [Cell(min(each)) if len(each) == 1 else ABSENT for each in known]
    return Column("samples", cells, "count", note="samples that the figures of the row rest on")


def _pivot(
    found: pl.DataFrame, index: Sequence[str], on: Sequence[str], rows: Sequence[Key]
) -> list[Column]:
    """Make a column for each figure, named and described by its quantity and statistic."""
    cells: dict[Key, dict[Key, Cell]] = {}
    for row in found.iter_rows(named=True):
        named = (*(row[name] for name in on if row[name] not in ("value", "count")), row["unit"])
        cells.setdefault(named, {})[tuple(row[name] for name in index)] = Cell(
            row["value"], row["low"], row["high"], note=row["reason"] or ""
        )
    columns = []
    for (*words, unit), own in cells.items():
        title = " ".join(words)
        meaning = QUANTITIES.get(words[0].replace(" ", "_"))
        columns.append(
            _column(
                title,
                unit,
                "figure",
                [own.get(row, ABSENT) for row in rows],
                f"{title}: {meaning.meaning}" if meaning else title,
            )
        )
    return columns


def _section(
    title: str,
    meaning: str,
    results: Results,
    frame: pl.DataFrame,
    described: str,
    further: Iterable[Column],
) -> Iterator[Section]:
    """Yield the frame's own columns, then further ones of the same rows; nothing without rows."""
    if frame.is_empty():
        return
    kept = frame.head(MOST_ROWS)
    known = {column.name: column for column in DESCRIBED[described].columns}
    more = [replace(column, cells=column.cells[:MOST_ROWS]) for column in further]
    names = {column.title for column in more}
    columns = [column for column in _columns(kept, known) if column.title not in names]
    columns = [
        column
        for column in (*columns, *more)
        if any(cell.value is not None for cell in column.cells)
    ]
    rows = [Row() for _ in range(kept.height)]
    if "case" in kept.columns and described != "findings":
        own = results.cases.select("case", "is_floor", *OF_CASE)
        joined = kept.select("case").join(own, on="case", how="left", maintain_order="left")
        rows = [
            Row("floor" if floor else "", case=case)
            for case, floor in joined.select("case", "is_floor").iter_rows()
        ]
        of_cases = {column.name: column for column in DESCRIBED["cases"].columns}
        names = {column.title for column in columns}
        first = [c for c in _columns(joined.select(OF_CASE), of_cases) if c.title not in names]
        columns = [
            *first,
            *(c for c in columns if c.title != "case"),
            *(c for c in columns if c.title == "case"),
        ]
    notes = []
    if frame.height > MOST_ROWS:
        notes.append(fact("Shown", f"the first {MOST_ROWS} rows; `busmark.open` has all"))
    key = title.lower().replace(" ", "-")
    table = Table(columns, rows, notes=notes, key=key)
    yield Section(title, [table], summary=meaning, detail=True, key=key)


def _columns(frame: pl.DataFrame, known: Mapping[str, stored.StoredColumn]) -> Iterator[Column]:
    """Yield the columns of a frame; an estimate has its limits in its cells."""
    for name in frame.columns:
        described = known.get(name)
        stem, suffix = _apart(name)
        if stem.endswith(("_low", "_high")) and f"{stem.rpartition('_')[0]}{suffix}" in known:
            continue
        # A parameter is described by its own reference; its name has the unit.
        unit = described.unit if described else "s" if suffix == "_s" else ""
        values = frame[name].to_list()
        limits = [f"{stem}_{end}{suffix}" for end in ("low", "high")]
        if limits[0] in frame.columns:
            low, high = (frame[limit].to_list() for limit in limits)
            cells = [Cell(*each) for each in zip(values, low, high, strict=True)]
            kind: Kind = "figure"
        else:
            kind = _kind(frame.schema[name], unit)
            if frame.schema[name] == pl.Boolean:
                values = [None if value is None else "yes" if value else "no" for value in values]
            cells = [ABSENT if value is None else Cell(value) for value in values]
        title = (stem if unit else name).replace("_", " ")
        yield _column(title, unit, kind, cells, f"{name}: {described.meaning}" if described else "")


def _apart(name: str) -> tuple[str, str]:
    """Split a name into the name without its unit, and the unit."""
    suffix = next((end for end in SUFFIXES if name.endswith(end)), "")
    return name.removesuffix(suffix), suffix


def _kind(of: pl.DataType, unit: str) -> Kind:
    if not of.is_numeric():
        return "text"
    return "count" if of.is_integer() and not unit else "number"


def _column(title: str, unit: str, kind: Kind, cells: Sequence[Cell], note: str) -> Column:
    base, factor = UNITS.get(unit, (unit, 1.0))
    if factor != 1:
        cells = [
            Cell(_times(cell.value, factor), _times(cell.low, factor), _times(cell.high, factor))
            for cell in cells
        ]
    return Column(title, cells, kind, base, note=note)


def _times(value: float | str | None, factor: float) -> float | None:
    return None if value is None else float(value) * factor
