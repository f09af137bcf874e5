"""Whether figures of another tool can be: what cannot is refused, with file and line, before
anything is written."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any

import polars as pl
from pydantic import ValidationError

from busmark.errors import UserError
from busmark.model import text
from busmark.model.parameters import Parameters
from busmark.plugins.imports.assemble import ImportedCase
from busmark.plugins.imports.model import Flaw, ReportedFigure, Run
from busmark.store.tables import bounds_of

MOST_RUNS = 10_000
"""Runs of an import at most: each becomes files of its own."""
MOST_FIGURES = 2_000_000
"""Figures at most: they are held in memory, and no run has a second for each."""
BY_ONE_CLOCK = ("round_trip", "half_round_trip", "publish", "per_hop")
"""Quantities that end after they begin by the same clock: none of them is below zero. A time
between two clocks may be."""
BETWEEN_CLOCKS = ("one_way", "discovery")
"""Quantities that begin by one process's clock and end by another's."""
SPREADS = ("std", "mad")
"""Statistics of any quantity that are never below zero."""

TWO_CLOCKS = Flaw(
    "import-two-clocks",
    "warning",
    "No latency: the clocks of sender and receiver differ",
    "Latencies are below zero, or longer than the whole run. A sample does not arrive before it is "
    "sent, so its two stamps are of clocks that differ, and none of these latencies is a time that "
    "anything took. They are left out; counts and rates hold.",
    "Measure round trips, or run sender and receiver on one host.",
)
"""Flaw of files of any tool."""

NOTHING = Flaw(
    "import-nothing-received",
    "error",
    "Nothing was received",
    "No sample arrived, so that there is no latency. A tool that counts as lost what is missing "
    "between samples that it received counts no loss either.",
    "See whether the endpoints had matched, and whether their QoS are compatible.",
)
"""Flaw of files of any tool."""


def nothing_received(run: Run) -> None:
    """Note a flaw where the run states that no sample arrived."""
    if run.values.get("received") == 0:
        sent = run.values.get("sent")
        evidence = "0 received" + ("" if sent is None else f" of {sent} sent")
        run.observed.append((NOTHING, evidence))


def of_two_clocks(run: Run) -> None:
    """Take latencies away that show by themselves that the clocks differ."""
    for quantity in BETWEEN_CLOCKS:
        values = [
            s.value_ns
            for s in run.reported
            if s.quantity == quantity and s.statistic not in SPREADS
        ]
        if not values:
            continue
        longest = run.length_s * 1e9 if run.length_s is not None else float("inf")
        if min(values) >= 0 and max(values) <= longest:
            continue
        run.reported = [s for s in run.reported if s.quantity != quantity]
        least, greatest = (text.amount(value / 1e9, "s") for value in (min(values), max(values)))
        evidence = least if least == greatest else f"from {least} to {greatest}"
        if run.length_s is not None:
            evidence += f" in a run of {text.amount(run.length_s, 's')}"
        run.observed.append((TWO_CLOCKS, evidence))


def possible(cases: Sequence[ImportedCase]) -> None:
    """Check that every figure can be stored, and read again.

    Raises:
        UserError: one cannot.
    """
    runs = [run for case in cases for run in case.runs]
    if len(runs) > MOST_RUNS or sum(len(run.reported) for run in runs) > MOST_FIGURES:
        raise UserError(
            f"{len(runs)} runs; at most {MOST_RUNS}, with {MOST_FIGURES} figures together",
            where=runs[0].file,
            remedy="Import the files in several parts.",
        )
    for case in cases:
        _params(case)
    of_cases, of_summaries = bounds_of("cases"), bounds_of("summaries")
    for run in runs:
        for key, value in {**run.params.declared(), **run.values}.items():
            _check(run, run.line, key, value, of_cases.get(key))
        for one in run.reported:
            limits = of_summaries | {"value_ns": _of_value(one, of_summaries["value_ns"])}
            for key in ("value_ns", "percent", "count", "start_s", "duration_s"):
                _check(run, one.line or run.line, key, getattr(one, key), limits[key])
        for name, frame in (("samples", run.samples), ("intervals", run.intervals)):
            if frame is not None:
                _table(run, name, frame)


def _params(case: ImportedCase) -> None:
    """Check that a manifest can hold the parameters of the whole case."""
    try:
        Parameters.model_validate(case.params.declared())
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(part for part in first["loc"] if str(part).isidentifier())  # type: ignore[misc]
        run = case.runs[0]
        raise _cannot_be(run, run.line, f"{key}: {str(first['input'])[:80]}") from None


def _of_value(reported: ReportedFigure, limits: tuple[float, float]) -> tuple[float, float]:
    low, high = limits
    if reported.quantity in BY_ONE_CLOCK or reported.statistic in SPREADS:
        low = 0
    # A round trip is twice as long.
    return (low, high / 2) if reported.quantity == "half_round_trip" else (low, high)


def _check(run: Run, line: int, key: str, value: Any, limits: tuple[float, float] | None) -> None:
    if limits is None or not isinstance(value, int | float):
        return
    if not (isfinite(value) and limits[0] <= value <= limits[1]):
        raise _cannot_be(run, line, f"{key} = {value:g}")


def _table(run: Run, name: str, frame: pl.DataFrame) -> None:
    for key, (low, high) in bounds_of(name).items():
        column = frame.get_column(key, default=None)
        if column is None or not column.len() or column.null_count() == column.len():
            continue
        least, most = column.min(), column.max()
        numbers = isinstance(least, int | float) and isinstance(most, int | float)
        whole = not column.dtype.is_float() or not column.is_nan().any()
        if not (numbers and whole and low <= least <= most <= high):
            raise _cannot_be(run, run.line, f"{key} from {least} to {most}")


def _cannot_be(run: Run, line: int, what: str) -> UserError:
    return UserError(
        f"{what} cannot be",
        where=f"{run.file}, line {line}",
        remedy="The file was changed or cut off, or is of another format: see --format.",
    )
