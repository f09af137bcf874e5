"""What workers recorded: accounts of writers and counters over time, from the frames in which they
come, and streams at a rate, of which every reader times every sample."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from busmark.control.worker import Frame
from busmark.errors import RoundError
from busmark.model.parameters import Parameters
from busmark.plan.counts import rows_due
from busmark.plan.flows import Flows, PlannedFlow
from busmark.store.result import UNREADABLE

# What roles counted, from the frames in which it comes: accounts of writers, counters over time,
# batches.

SAMPLES = "samples"
NUMBER, MAYBE = "number", "number or null"
COLUMNS: dict[str, dict[str, str]] = {
    "accounts": {
        "writer": NUMBER,
        **dict.fromkeys(("received", "missing", "duplicated", "out_of_order", "ancient"), MAYBE),
        **dict.fromkeys(("width_ns", "first_ns", "last_ns", "intervals"), MAYBE),
    },
    "intervals": {"samples": NUMBER, "bytes": NUMBER},
    "batches": {
        "writer": NUMBER, "number": NUMBER, "start_ns": NUMBER, "end_ns": MAYBE, "ended": "bool",
        "received": NUMBER, "bytes": NUMBER,
    },
    "sent_batches": {"acknowledged": MAYBE, "waited_ns": NUMBER},
    "discoveries": {
        "begin_ns": NUMBER, "attached_ns": MAYBE, "created_ns": NUMBER, "own_after_ns": MAYBE,
        "own_at_ns": MAYBE, "peer_after_ns": MAYBE, "peer_at_ns": MAYBE, "first_ns": MAYBE,
        "sent": NUMBER, "lost": MAYBE, "closed_ns": NUMBER,
    },
    "goals": {
        "number": NUMBER, "intended_ns": NUMBER, "sent_ns": NUMBER, "accepted_ns": MAYBE,
        "first_feedback_ns": MAYBE, "feedback": NUMBER, "feedback_sent": MAYBE,
        "feedback_total_ns": NUMBER, "feedback_most_ns": NUMBER, "statuses": NUMBER,
        "cancel_sent_ns": MAYBE, "cancel_answered_ns": MAYBE, "ended_ns": MAYBE,
        "result_ns": MAYBE, "cancelled": "bool", "refused": "bool",
    },
}  # fmt: skip
"""Columns of each frame. Whatever else a worker puts into one is left out."""

LONGEST_NS = 10**15
"""Longest interval: the same as a worker accepts."""

SIGNED = frozenset(
    {"start_ns", "end_ns", "first_ns", "last_ns", "feedback_total_ns", "feedback_most_ns"}
)
ACCOUNT = ("writer", "received", "missing", "duplicated", "out_of_order", "ancient")


def completed(roles: Sequence[dict[str, Any]], frames: Sequence[Frame]) -> list[dict[str, Any]]:
    """Add `accounts`, `intervals`, `batches`, `sent_batches`, `discoveries` and `goals` to reports
    of roles.

    Raises:
        RoundError: a frame is none of these, or not what was announced.
    """
    tables: dict[tuple[int, str], pl.DataFrame] = {}
    for frame in frames:
        if frame.kind != SAMPLES:
            key = frame.writer, frame.kind
            if key in tables:
                raise RoundError("garbage", f"{frame.role}: two frames of {frame.kind}")
            tables[key] = _table(frame)
    whole = [{**role, **_contents(role, tables)} for role in roles]
    if tables:
        number, kind = next(iter(tables))
        raise RoundError("garbage", f"a frame of {kind} of role {number}, which reports nothing")
    return whole


def _table(frame: Frame) -> pl.DataFrame:
    text = f"{frame.role}: not a frame of {frame.kind}"
    columns = COLUMNS.get(frame.kind)
    if columns is None:
        raise RoundError("garbage", text)
    try:
        raw = pl.read_ipc_stream(io.BytesIO(frame.data))
        table = raw.select(
            pl.col(name).cast(pl.Boolean() if kind == "bool" else pl.Int64())
            for name, kind in columns.items()
        )
    except UNREADABLE as error:
        raise RoundError("garbage", f"{text}: {str(error).partition(chr(10))[0]}") from None
    for name, kind in columns.items():
        if kind != MAYBE and table[name].null_count():
            raise RoundError("garbage", f"{text}: {name} has nulls")
        if kind != "bool" and name not in SIGNED and (table[name] < 0).any():
            raise RoundError("garbage", f"{text}: {name} is below 0")
    return table


def _contents(
    role: Mapping[str, Any], tables: dict[tuple[int, str], pl.DataFrame]
) -> dict[str, Any]:
    """Return what the frames of a role hold; they are taken out of `tables`."""
    found = {kind: tables.pop((role["writer"], kind), None) for kind in COLUMNS}
    for kind, table in found.items():
        rows, announced = 0 if table is None else table.height, role["frames"].get(kind, 0)
        if rows != announced:
            raise RoundError(
                "garbage",
                f"{role['role']}: {rows} rows of {kind}, {announced} were announced",
            )
    accounts, batches, sent = found["accounts"], found["batches"], found["sent_batches"]
    return {
        "accounts": [] if accounts is None else _accounts(role["role"], accounts),
        "intervals": []
        if accounts is None
        else [*_counters(role["role"], accounts, found["intervals"])],
        "batches": [] if batches is None else [*_batches(batches)],
        "sent_batches": None if sent is None else _sent(sent),
        "discoveries": found["discoveries"],
        "goals": found["goals"],
    }


def _accounts(role: str, table: pl.DataFrame) -> list[dict[str, Any]]:
    own = table.select(ACCOUNT).filter(pl.col("received").is_not_null())
    if any(own.null_count().row(0)):
        raise RoundError("garbage", f"{role}: not a frame of accounts: a part of one is missing")
    return own.to_dicts()


def _counters(
    role: str, accounts: pl.DataFrame, intervals: pl.DataFrame | None
) -> Iterator[dict[str, Any]]:
    """Yield the counters of each writer, whose intervals follow the previous writer's."""
    counted = accounts.filter(pl.col("width_ns").is_not_null())
    samples, sizes = (
        np.zeros(0, dtype=np.int64) if intervals is None else intervals[name].to_numpy()
        for name in ("samples", "bytes")
    )
    if int(counted["intervals"].fill_null(0).sum()) != len(samples):
        raise RoundError("garbage", f"{role}: intervals of other writers than were accounted for")
    at = 0
    for writer, width, first, last, count in counted.select(
        "writer", "width_ns", "first_ns", "last_ns", "intervals"
    ).iter_rows():
        if not 0 < width <= LONGEST_NS:
            raise RoundError("garbage", f"{role}: intervals of {width} ns")
        here = slice(at, at := at + (count or 0))
        span = None if first is None or last is None else (first, last)
        yield {
            "writer": writer,
            "width_ns": width,
            "span_ns": span,
            "samples": samples[here],
            "bytes": sizes[here],
        }


def _batches(table: pl.DataFrame) -> Iterator[dict[str, Any]]:
    for own in table.partition_by("writer", maintain_order=True):
        columns = own.drop("writer").to_dict(as_series=False)
        yield {"writer": own["writer"][0], **columns}


def _sent(table: pl.DataFrame) -> dict[str, Any]:
    """Return the columns; `acknowledged` is empty where single samples are not acknowledged."""
    whole = table["acknowledged"].null_count() == 0
    return {
        "acknowledged": table["acknowledged"].to_list() if whole else [],
        "waited_ns": table["waited_ns"].to_list(),
    }


KEYS = ("writer", "seq", "echo_sent_ns")
"""Keys of a ping's row: who pinged, which ping, and T1 of the pong that completed it. With several
responders the last has its own T1, and a ping that came twice has two."""

NAME = "echo_written_ns"


def with_echo_source(pings: pl.DataFrame, pongs: list[pl.DataFrame]) -> pl.DataFrame:
    """Return the rows of a pinger with T2 of their pongs; `pongs` are rows of responders, whose
    `writer` is the writer of the ping they answer."""
    if not pongs:
        return pings
    text = pl.concat(
        [
            each.select("writer", "seq", echo_sent_ns="sent_ns", **{NAME: "written_ns"})
            for each in pongs
        ]
    )
    once = text.unique(KEYS, keep="first")
    return pings.drop(NAME, strict=False).join(once, on=KEYS, how="left", maintain_order="left")


# Streams at a rate, of which every reader times every sample: which samples have a row, and rows
# of those that a reader did not receive.

PROBE = 2
"""Bit of `flags`."""

Integers = NDArray[np.int64]


def capacity(flow: PlannedFlow, params: Parameters, every: int) -> int:
    """Return how many rows one reader has at most: gaps at random, and the choice of one in
    several, may give more than expected, but not by six standard deviations."""
    due = rows_due(flow, params) / len(flow.readers)
    rows = sum(
        share * due + 6 * (share * due) ** 0.5
        for share in (1 / every, 1 / flow.probe_every if flow.probe_every else 0)
    )
    return int(rows * 1.01) + 100


def with_lost(
    raws: Mapping[int, pl.DataFrame], case: Flows, run: Sequence[Mapping[str, Any]], every: int
) -> dict[int, pl.DataFrame]:
    """Return the rows by reader, one for each sample that was to be recorded: the rows of `raws`,
    and for a sample that was lost a row without times of reception. It has the times of sending
    that another reader has of it; if none has, the intended one lies between its neighbours'."""
    found: dict[int, pl.DataFrame] = {}
    reports = {report["writer"]: report for report in run}
    for flow in case.flows:
        own = {end.number: raws[end.number] for end in flow.readers if end.number in raws}
        if not own:
            continue
        read = {number: _recorded(raw, every) for number, raw in own.items()}
        due = {
            end.number: _due(flow, end.number, reports[end.number]["sent"], every)
            for end in flow.writers
            if end.number in reports
        }
        total = sum(numbers.size for numbers in due.values())
        if any(rows.height < total for rows in read.values()):
            sent = _sent_at_a_rate([*read.values()], due, reports)
            read = {number: _completed(rows, sent) for number, rows in read.items()}
        found |= read
    return found


def _recorded(raw: pl.DataFrame, every: int) -> pl.DataFrame:
    """Drop rows of probes that were recorded only as probes; clear the probe bit of all others."""
    if every > 1:
        writer, seq = (raw[name].to_numpy() for name in ("writer", "seq"))
        raw = raw.filter(pl.Series(is_recorded(writer, seq, every), dtype=pl.Boolean))
    return raw.with_columns(pl.col("flags") & ~PROBE)


def _due(flow: PlannedFlow, writer: int, sent: int, every: int) -> Integers:
    """Return the numbers of a writer's samples of which each reader should have a row."""
    seq = np.arange(sent, dtype=np.int64)
    below, instances = flow.filter_below, flow.instances
    if below and below < instances:
        seq = seq[seq % instances < below]
    return seq[is_recorded(writer, seq, every)]


def is_recorded(writer: int | Integers, seq: Integers, every: int) -> NDArray[np.bool_]:
    """Return which samples are among the one in `every`: what the worker computes
    (`busmark_measure::is_recorded`), the output function of SplitMix64."""
    z = (np.asarray(writer, dtype=np.uint64) << np.uint64(40)) ^ seq.astype(np.uint64)
    z = z * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    found: NDArray[np.bool_] = (z ^ (z >> np.uint64(31))) % np.uint64(every) == 0
    return found


def _sent_at_a_rate(
    read: Sequence[pl.DataFrame],
    due: Mapping[int, Integers],
    reports: Mapping[int, Mapping[str, Any]],
) -> pl.DataFrame:
    """Return when each sample was sent, as far as a reader knows, and when it should have been."""
    times = ("intended_ns", "sent_ns")
    each = [rows.select("writer", "seq", *times) for rows in read]
    known = pl.concat(each).unique(["writer", "seq"])
    found = []
    for writer, numbers in due.items():
        own = known.filter(pl.col("writer") == writer).sort("seq")
        begin, end, sent = (reports[writer][name] for name in ("begin_ns", "last_ns", "sent"))
        ends = [0, max(sent - 1, 0)], [begin, end]
        # Relative to the start, for the sake of precision.
        at = np.concatenate((ends[0], own["seq"].to_numpy()))
        when = np.concatenate((ends[1], own["intended_ns"].to_numpy())) - begin
        order = np.argsort(at, kind="stable")
        between = begin + np.interp(numbers, at[order], when[order]).astype(np.int64)
        rows = pl.DataFrame({"writer": writer, "seq": numbers, "between": between})
        rows = rows.with_columns(pl.col("writer", "seq", "between").cast(pl.Int64))
        rows = rows.join(own, on=["writer", "seq"], how="left", maintain_order="left")
        found.append(rows.with_columns(pl.coalesce("intended_ns", "between").alias("intended_ns")))
    return pl.concat(found).drop("between")


def _completed(rows: pl.DataFrame, sent: pl.DataFrame) -> pl.DataFrame:
    """Add rows of samples that were sent and are not among them."""
    lost = sent.join(rows, on=["writer", "seq"], how="anti")
    return pl.concat([rows, lost.with_columns(flags=pl.lit(0, dtype=pl.Int64))], how="diagonal")
