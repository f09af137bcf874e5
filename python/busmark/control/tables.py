"""From what a round yields to the rows that are stored."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from busmark.control.failure import RoundError
from busmark.control.precision import figures
from busmark.control.round import RoundData
from busmark.scenario.model import Criteria
from busmark.stats import percentile, supported
from busmark.store import Case
from busmark.store.columns import polars_schema
from busmark.store.result import UNREADABLE

WARMUP_FLAG = 1
NS = 1e9


def samples(case: Case, round_number: int, data: RoundData) -> pl.DataFrame:
    """Raw samples of all roles."""
    schema = polars_schema("samples")
    frames = []
    for frame in data.frames:
        constants = {
            "case": case.id, "round": round_number, "role": frame.role,
            "size": case.params["size"], "round_trip_ns": None,
        }  # fmt: skip
        try:
            raw = pl.read_ipc_stream(io.BytesIO(frame.data))
            raw = raw.with_columns(pl.lit(value).alias(name) for name, value in constants.items())
            frames.append(raw.select(pl.col(name).cast(kind) for name, kind in schema.items()))
        except UNREADABLE as error:
            first = str(error).partition("\n")[0]
            raise RoundError("garbage", f"{frame.role}: not a frame of samples: {first}") from None
    received = sum(frame.height for frame in frames)
    announced = sum(role["rows"] for role in data.roles)
    if received != announced:
        raise RoundError("garbage", f"{received} rows of samples, {announced} were announced")
    if not frames:
        return pl.DataFrame(schema=schema)
    whole = pl.concat(frames)
    return _without_late_stamps(whole) if data.one_clock else whole


def _without_late_stamps(frame: pl.DataFrame) -> pl.DataFrame:
    """A sample that was sent after the announcement with which it was taken came in behind others,
    while those were being taken. Nobody announced it, so it has no T3."""
    legs = (
        ("echo_delivered_ns", pl.col("sent_ns")),
        ("delivered_ns", pl.coalesce("echo_sent_ns", "sent_ns")),
    )
    return frame.with_columns(
        pl.when(pl.col(name) >= sent).then(pl.col(name)).alias(name) for name, sent in legs
    )


def begin_ns(data: RoundData) -> int:
    """When the measurement began, CLOCK_MONOTONIC."""
    return min((int(report["begin_ns"]) for report in data.run), default=0)


def intervals(case: Case, round_number: int, data: RoundData) -> pl.DataFrame:
    """Interval counters of all roles that keep them."""
    columns: dict[str, list[Any]] = {name: [] for name in polars_schema("intervals")}
    begin = begin_ns(data)
    counters = [(role["role"], counted) for role in data.roles for counted in role["intervals"]]
    for role, counted in counters:
        if not counted["span_ns"]:
            continue
        # Another clock does not tell when the measurement began.
        first = counted["span_ns"][0] - begin if data.one_clock else 0
        for index, (count, size) in enumerate(
            zip(counted["samples"], counted["bytes"], strict=True)
        ):
            width = counted["width_ns"]
            row = (case.id, round_number, role, counted["writer"], first + index * width,
                   width, count, size)  # fmt: skip
            for column, value in zip(columns.values(), row, strict=True):
                column.append(value)
    return pl.DataFrame(columns, schema=polars_schema("intervals"))


def latencies_ns(frame: pl.DataFrame) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Latencies of a round: round trips of pings, or of echoed probes, from the intended time, and
    in its order: rows of several writers come one after the other."""
    rows = frame.filter(
        pl.col("role").is_in(["pinger", "transmitter"])
        & pl.col("read_ns").is_not_null()
        & (pl.col("flags") & WARMUP_FLAG == 0)
    ).sort("intended_ns", maintain_order=True)
    return (rows["read_ns"] - rows["intended_ns"]).to_numpy().astype(np.float64)


def summary(case: Case, data: RoundData, frame: pl.DataFrame) -> dict[str, Any]:
    """Columns of the round's row in `cases` that come from its measurement."""
    values = latencies_ns(frame)
    pings = case.params["test"] == "latency"
    run = [report for report in data.run if (report["role"] == "pinger") == pings]
    accounts, beside = _accounts(data, "pinger"), _accounts(data, "receiver")
    if not pings:
        accounts, beside = beside, []
    sent = sum(report["sent"] for report in run)
    received = sum(account["received"] for account in accounts)
    expected = sent if pings else data.expected
    seconds = max((r["end_ns"] - r["begin_ns"] for r in run), default=0) / NS
    warmup = max((r["warmup_ns"] for r in run), default=0) / NS
    rates = _rates(data, sent, seconds)
    corrupted = [role["corrupted"] for role in data.roles if role["corrupted"] is not None]
    drained = data.counters
    return {
        "samples": len(values),
        "senders": len(run),
        "sent": sent,
        "received": received,
        "expected": expected,
        "lost": max(expected - received, 0),
        "duplicated": sum(account["duplicated"] for account in accounts),
        "out_of_order": sum(account["out_of_order"] for account in accounts),
        **_stream_beside(data, beside),
        **_batches(case, frame),
        "foreign": sum(role["foreign"] for role in data.roles),
        "corrupted": sum(corrupted) if corrupted else None,
        "warmup_s": warmup,
        "measured_s": seconds,
        "overhead_s": max(data.total_s - warmup - seconds, 0.0),
        "discovery_s": data.discovery_s,
        "load_achieved": data.load_achieved,
        "median_ns": percentile(values, 50) if len(values) else None,
        "p99_ns": percentile(values, 99) if supported(99, len(values)) else None,
        **rates,
        **figures(case.params["statistic"], values, rates["samples_per_s"]),
        **{key: drained.get(key) for key in ("udp_rcvbuf_errors", "tcp_retransmits",
           "softnet_drops", "context_switches", "steal", "cpu_busy")},
        "cpus": data.cpus,
        "nodes": data.nodes,
        "one_clock": data.one_clock,
        "ended": run[0]["ended"] if run else None,
    }  # fmt: skip


def _accounts(data: RoundData, role: str) -> list[dict[str, Any]]:
    return [
        account for report in data.roles if report["role"] == role for account in report["accounts"]
    ]


def _stream_beside(data: RoundData, accounts: list[dict[str, Any]]) -> dict[str, int | None]:
    """Of the stream beside pings."""
    if not accounts:
        return {"stream_expected": None, "stream_lost": None}
    received = sum(account["received"] for account in accounts)
    return {"stream_expected": data.expected, "stream_lost": max(data.expected - received, 0)}


def _batches(case: Case, frame: pl.DataFrame) -> dict[str, int | None]:
    if not case.params["batch"]:
        return {"batches": None, "batches_unacknowledged": None}
    ends = frame.filter(pl.col("role") == "batcher")["read_ns"]
    return {"batches": ends.count(), "batches_unacknowledged": ends.null_count()}


def _rates(data: RoundData, sent: int, seconds: float) -> dict[str, float | None]:
    """Goodput at each reader, all readers together, and the writers' rate.

    The time is from the first sample at the reader to the last, but no less than the writers wrote:
    samples that were held up and then come all at once were not carried at that rate.
    """
    rates: dict[str, float | None] = {
        "samples_per_s": None, "mbit_per_s": None, "written_per_s": None,
    }  # fmt: skip
    if seconds > 0 and sent > 1:
        rates["written_per_s"] = (sent - 1) / seconds
    for role in data.roles:
        counters = [counted for counted in role["intervals"] if counted["span_ns"]]
        if role["role"] != "receiver" or not counters:
            continue
        first = min(counted["span_ns"][0] for counted in counters)
        last = max(counted["span_ns"][1] for counted in counters)
        count = sum(sum(counted["samples"]) for counted in counters)
        mean_size = sum(sum(counted["bytes"]) for counted in counters) / max(count, 1)
        span_s = max((last - first) / NS, seconds)
        if span_s > 0 and count > 1:
            # n samples span n - 1 gaps.
            rate = (count - 1) / span_s
            rates["samples_per_s"] = (rates["samples_per_s"] or 0.0) + rate
            rates["mbit_per_s"] = (rates["mbit_per_s"] or 0.0) + rate * mean_size * 8 / 1e6
    return rates


@dataclass(frozen=True)
class Place:
    """Where an attempt stands in the campaign."""

    case: Case
    round: int
    attempt: int
    order: int
    started_utc: str


def row(place: Place, status: str, reason: str | None, figures: dict[str, Any]) -> dict[str, Any]:
    """A complete row of `cases`; what is not known is None."""
    params = place.case.params
    known = {
        "case": place.case.id, "round": place.round, "attempt": place.attempt,
        "order": place.order, "status": status, "reason": reason,
        "started_utc": place.started_utc,
        **{name: params.get(name) for name in ("test", "adapter", "transport", "profile", "payload",
           "size", "wait", "placement", "arrivals", "rate_hz", "peer", "peer_transport",
           "peer_wait", "size_distribution", "topics", "writers", "readers", "publishers",
           "subscribers", "topology", "batch", "stream_hz", "instances",
           "filter_below", "writer_on", "reader_on", "link_rate", "link_loss", "link_delay",
           "link_jitter", "load", "load_on")},
        "qos": json.dumps(params["qos"], sort_keys=True), **figures,
    }  # fmt: skip
    return {name: known.get(name) for name in polars_schema("cases")}


def shortfall(figures: dict[str, Any], case: Case, criteria: Criteria) -> str | None:
    """The criterion that the round does not meet; None if it meets all."""
    counted = figures["samples"] if case.params["test"] == "latency" else figures["received"]
    wanted = criteria.min_samples
    if case.params["samples"]:
        wanted = min(wanted, case.params["samples"])
    if counted < wanted:
        return f"{counted} samples, at least {wanted} are asked for (criteria.min_samples)"
    if figures["expected"] and figures["lost"] / figures["expected"] > criteria.max_loss:
        share = figures["lost"] / figures["expected"]
        return f"lost {share:.2%} of samples, at most {criteria.max_loss:.2%} (criteria.max_loss)"
    return None
