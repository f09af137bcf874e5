"""Cases of an imported result: what samples do not contain is taken from the source's
statements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import polars as pl

from busmark.analysis.case.by_round import LatencyByRound
from busmark.analysis.case.series import CaseSeries, RoundValues
from busmark.analysis.figures import Distribution, Quantity
from busmark.analysis.model import Latency, Throughput
from busmark.analysis.read import stated as st
from busmark.analysis.read.stated import Stated
from busmark.model.parameters import Parameters

Row = Mapping[str, Any]

ARRIVALS: dict[str, Literal["closed", "open", "paced", "unstated"]] = {
    "closed": "closed", "constant": "open", "poisson": "open", "paced": "paced",
}  # fmt: skip

HALVES = (("half_round_trip", 0.5), ("round_trip", 1.0))
"""Quantities that tell a round trip, and which part of it they are."""


def completed(
    measures: dict[str, Any], params: Parameters, rows: Sequence[Row], found: list[Stated],
    summaries: pl.DataFrame,
) -> dict[str, Any]:  # fmt: skip
    """The measures of one case, made of its samples if it has any, with what is stated.
    `summaries`: its rows of that table."""
    made = {**measures, "stated": found}
    if measures.get("latency"):
        made |= _latency(measures["latency"], measures.get("series"), params, rows, found)
    elif measures.get("throughput"):
        made |= _throughput(measures["throughput"], measures.get("series"), found)
    sampled = any(
        each.figure for latency in _by_round(made) for each in latency.statistics.values()
    )
    if not sampled and (source := _source(found)):
        by_round = st.by_round(summaries, [row["round"] for row in rows], *source)
        for part in ("latency", "throughput"):
            if made.get(part):
                made[part] = made[part].model_copy(update={"by_round": [by_round]})
    return made


def _by_round(made: Mapping[str, Any]) -> list[LatencyByRound]:
    measured = made.get("latency") or made.get("throughput")
    return measured.by_round if measured else []


def _source(found: Sequence[Stated]) -> tuple[str, Quantity, float] | None:
    """The quantity as the source calls it, what it is here, and the factor between them."""
    stated = st.by_quantity(found)
    for name, part in HALVES:
        if name in stated:
            return name, "half_round_trip", 0.5 / part
    return ("one_way", "one_way", 1.0) if "one_way" in stated else None


def _latency(
    measured: Latency, drawn: CaseSeries | None, params: Parameters,
    rows: Sequence[Row], found: list[Stated],
) -> dict[str, Any]:  # fmt: skip
    changes: dict[str, Any] = {
        "arrivals": ARRIVALS.get(str(params.stated().get("arrivals")), "unstated"),
        "sent": _total(rows, "sent"),
        "lost": _total(rows, "lost"),
    }
    series = drawn
    for quantity, part in HALVES:
        one = st.by_quantity(found).get(quantity)
        if measured.round_trip is not None or one is None or "round_trip" in changes:
            continue
        changes["round_trip"] = st.distribution(one, "round_trip", 1 / part)
        changes["half_round_trip"] = st.distribution(one, "half_round_trip", 0.5 / part)
        if drawn is not None:
            series = drawn.model_copy(
                update={
                    "curve": st.curve(one, "half_round_trip", 0.5 / part),
                    "medians": _medians(rows),
                }
            )
    return {"latency": measured.model_copy(update=changes), "series": series}


def _medians(rows: Sequence[Row]) -> RoundValues | None:
    medians = st.values_by_round(rows, "median_ns")
    if not medians:
        return None
    halves = [value / 2 for value in medians.values()]
    return RoundValues(rounds=list(medians), values=halves, unit="ns")


def _throughput(
    measured: Throughput, drawn: CaseSeries | None, found: list[Stated]
) -> dict[str, Any]:
    one = st.by_quantity(found).get("one_way")
    if measured.probe_one_way is not None or one is None:
        return {}
    probes: Distribution | None = st.distribution(one, "one_way")
    series = drawn and drawn.model_copy(update={"curve": st.curve(one, "one_way")})
    return {"throughput": measured.model_copy(update={"probe_one_way": probes}), "series": series}


def _total(rows: Sequence[Row], column: str) -> int | None:
    known = [int(row[column]) for row in rows if row[column] is not None]
    return sum(known) if len(known) == len(rows) else None
