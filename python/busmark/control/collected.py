"""What roles counted, from the frames in which it comes: accounts of writers, counters over time,
batches."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from busmark.control.worker import Frame
from busmark.errors import RoundError
from busmark.store.result import UNREADABLE

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
}  # fmt: skip
"""Columns of each frame. Whatever else a worker puts into one is left out."""

LONGEST_NS = 10**15
"""Longest interval: the same as a worker accepts."""

SIGNED = frozenset({"start_ns", "end_ns", "first_ns", "last_ns"})
ACCOUNT = ("writer", "received", "missing", "duplicated", "out_of_order", "ancient")


def completed(roles: Sequence[dict[str, Any]], frames: Sequence[Frame]) -> list[dict[str, Any]]:
    """Reports of roles with `accounts`, `intervals`, `batches`, `sent_batches` and `discoveries`.

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
    whole = [{**role, **_of(role, tables)} for role in roles]
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


def _of(
    role: Mapping[str, Any], tables: dict[tuple[int, str], pl.DataFrame]
) -> dict[str, Any]:  # fmt: skip
    """What the frames of a role hold; they are taken out of `tables`."""
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
        "intervals": [] if accounts is None else [*_counters(role["role"], accounts,
                                                             found["intervals"])],
        "batches": [] if batches is None else [*_batches(batches)],
        "sent_batches": None if sent is None else _sent(sent),
        "discoveries": found["discoveries"],
    }  # fmt: skip


def _accounts(role: str, table: pl.DataFrame) -> list[dict[str, Any]]:
    own = table.select(ACCOUNT).filter(pl.col("received").is_not_null())
    if any(own.null_count().row(0)):
        raise RoundError("garbage", f"{role}: not a frame of accounts: a part of one is missing")
    return own.to_dicts()


def _counters(
    role: str, accounts: pl.DataFrame, intervals: pl.DataFrame | None
) -> Iterator[dict[str, Any]]:
    """Counters of each writer, whose intervals follow the previous writer's."""
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
            "writer": writer, "width_ns": width, "span_ns": span,
            "samples": samples[here], "bytes": sizes[here],
        }  # fmt: skip


def _batches(table: pl.DataFrame) -> Iterator[dict[str, Any]]:
    for own in table.partition_by("writer", maintain_order=True):
        columns = own.drop("writer").to_dict(as_series=False)
        yield {"writer": own["writer"][0], **columns}


def _sent(table: pl.DataFrame) -> dict[str, Any]:
    """Where single samples are not acknowledged there is nothing on them."""
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
    """Rows of a pinger with T2 of their pongs; `pongs` are rows of responders, whose `writer` is
    the writer of the ping they answer."""
    if not pongs:
        return pings
    text = pl.concat(
        [each.select("writer", "seq", echo_sent_ns="sent_ns", **{NAME: "written_ns"})
         for each in pongs]
    )  # fmt: skip
    once = text.unique(KEYS, keep="first")
    return pings.drop(NAME, strict=False).join(once, on=KEYS, how="left", maintain_order="left")
