"""Who took part in a round, when endpoints had matched, and what became of every flow between a
writer and a reader."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl

from busmark.control import tables
from busmark.control.rates import of_reader, of_writer, rate
from busmark.control.round import RoundData
from busmark.plan.flows import End, PlannedFlow
from busmark.store import Case
from busmark.store.columns import ASKING, TIMED, polars_schema


def participants(case: Case, round_number: int, data: RoundData) -> pl.DataFrame:
    """Return the rows of the table `participants`."""
    key = {"case": case.id, "round": round_number}
    rows = [{**key, **row} for row in data.participants]
    return pl.DataFrame(rows, schema=polars_schema("participants"))


def flows(case: Case, round_number: int, data: RoundData, samples: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of the table `flows`: each writer's samples at each reader."""
    key = {"case": case.id, "round": round_number}
    rows = [{**key, **row} for row in _rows(case, data, samples)]
    return pl.DataFrame(rows, schema=polars_schema("flows"))


def _rows(case: Case, data: RoundData, samples: pl.DataFrame) -> Iterator[dict[str, Any]]:
    begin_ns = tables.begin_ns(data)
    recorded = samples.filter(pl.col("role").is_in(ASKING)).partition_by("writer", as_dict=True)
    timed = samples.filter(pl.col("role") == TIMED).partition_by("writer", "reader", as_dict=True)
    written = {report["writer"]: report for report in data.run}
    roles = {role["writer"]: role for role in data.roles}
    for flow in data.flows.flows:
        for writer, reader, counting in _pairs(flow):
            own = roles.get(counting.number, {})
            account = _report_of(writer, own.get("accounts", []))
            if account is None:
                continue
            sent = written.get(writer.number, {})
            yield {
                "flow": flow.name,
                "writer": writer.number,
                "participant": writer.participant.name,
                "reader": reader.number if reader else None,
                "reader_participant": reader.participant.name if reader else None,
                **_counts(flow, sent.get("sent", 0), account, data),
                **_round_trips(case, flow, reader, recorded.get((writer.number,))),
                **_one_way(timed, writer, reader),
                "ended": sent.get("ended"),
                **_times(flow, sent, _report_of(writer, own.get("intervals", [])), data, begin_ns),
            }


def _pairs(flow: PlannedFlow) -> Iterator[tuple[End, End | None, End]]:
    """Yield each writer with each reader, and the end that counts its samples there. A pinger
    counts pings that all responders have answered: of several, the reader is None."""
    for writer in flow.writers:
        if flow.kind == "service":
            yield writer, flow.readers[0], writer
        elif flow.kind == "pings":
            yield writer, flow.answering[0] if len(flow.answering) == 1 else None, writer
            yield from ((writer, reader, reader) for reader in flow.listening)
        else:
            yield from ((writer, reader, reader) for reader in flow.readers)


def _report_of(end: End, reports: list[dict[str, Any]]) -> dict[str, Any] | None:
    return next((report for report in reports if report.get("writer") == end.number), None)


def _counts(
    flow: PlannedFlow, sent: int, account: dict[str, Any], data: RoundData
) -> dict[str, Any]:
    expected = sent if flow.kind in ("pings", "service") else flow.admitted_samples(sent)
    received, ancient = account["received"], account.get("ancient", 0)
    share = expected / sent if sent else 1.0
    known = flow.rate_hz and not data.rate_changes(flow.name)
    return {
        "theoretical_per_s": flow.rate_hz * share if known else None,
        "sent": sent,
        "expected": expected,
        "received": received,
        "lost": max(expected - received - ancient, 0),
        "duplicated": account["duplicated"],
        "out_of_order": account["out_of_order"],
        "ancient": ancient,
    }


def _round_trips(
    case: Case, flow: PlannedFlow, reader: End | None, recorded: pl.DataFrame | None
) -> dict[str, Any]:
    """Summarise round trips of a writer's pings or probes, if this reader answers them."""
    answers = reader is None or reader in flow.answering or flow.kind == "service"
    if recorded is None or not answers or not (flow.answers or flow.kind == "service"):
        return {}
    params = case.params.changed(filter_below=None, instances=None) if flow.own else case.params
    return tables.of_asking(recorded, params)


def _one_way(
    timed: dict[tuple[Any, ...], pl.DataFrame], writer: End, reader: End | None
) -> dict[str, Any]:
    """Summarise the times that a reader measured, of every sample of a stream at a rate."""
    own = timed.get((writer.number, reader.number)) if reader else None
    return {} if own is None else tables.of_reading(own)


def _times(
    flow: PlannedFlow,
    sent: dict[str, Any],
    counted: dict[str, Any] | None,
    data: RoundData,
    begin_ns: int,
) -> dict[str, Any]:
    """Return rates and times that take two stamps: the stamps of each come from one clock."""
    full_speed = flow.kind == "stream" and not flow.rate_hz
    known = {"written_per_s": rate(of_writer(sent, full_speed=full_speed)) if sent else None}
    if not counted or not counted["span_ns"]:
        return known
    first, last = counted["span_ns"]
    return {
        **known,
        "bytes": int(np.sum(counted["bytes"])),
        "read_per_s": rate(of_reader(counted, sent)),
        "start_ns": first - begin_ns if data.one_clock else None,
        "duration_ns": last - first,
    }


FEWEST = 3
"""Endpoints for which there is a table: of one writer and one reader `cases` has the time."""


def table(case: Case, number: int, data: RoundData) -> pl.DataFrame | None:
    """Return one row for each endpoint, in the order of time; None where there are few or none has
    a time, where participants have different clocks, and for all tests but streams."""
    rows = [
        {
            "participant": name,
            "topic": one["topic"],
            "endpoint": "writer" if one["writes"] else "reader",
            "counterparts": one["counterparts"],
            "matched_ns": _since(one["matched_ns"], data.ready_ns),
            "matched_least_ns": _since(one["after_ns"], data.ready_ns),
        }
        for name, found in data.matched.items()
        for one in found["endpoints"]
    ]
    if case.params.test != "throughput" or not data.one_clock or len(rows) < FEWEST:
        return None
    if all(row["matched_ns"] is None for row in rows):
        return None
    schema = polars_schema("matches")
    whole = [{"case": case.id, "round": number, **row} for row in rows]
    return pl.DataFrame(whole, schema=schema).sort("matched_ns", nulls_last=True)


def _since(at_ns: int | None, ready_ns: int) -> int | None:
    return None if at_ns is None else at_ns - ready_ns
