"""Samples of each writer on each flow, from rows of submessages."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import polars as pl

from busmark.plugins.capture.figures import NONE, Times, first_reaching
from busmark.plugins.capture.reading import PIECE, Packets
from busmark.plugins.capture.wire import reverse_flows

RELIABLE = 0x80
KEYS = ("kind", "flow", "source", "writer", "stream", "run")
"""Columns in which the samples of one writer on one flow agree, in one run."""


@dataclass(slots=True)
class Samples:
    """Samples of one writer on one flow, in the order of time."""

    run: int
    """Number of the run of which they are, from 1."""
    protocol: Literal["rtps", "xrce"]
    kind: Literal["WRITE_DATA", "DATA"]
    flow: int
    source: int | None
    """Index of the GUID prefix (RTPS)."""
    writer: int
    stream: int | None
    begun: Times
    """First byte."""
    times: Times
    """Last byte."""
    numbers: Times
    """Last sequence number of each."""
    ends: Times
    """Place in the stream of TCP."""
    hashes: pl.Series
    payload: pl.Series
    wire: pl.Series
    packets: pl.Series
    """Number of the packet with the last byte of each."""
    fragmented: int
    repeated: int
    whole: bool = True
    """Whether each message between its samples could be read."""
    readers: list[int] = field(default_factory=list)
    """Indexes of GUID prefixes for which it is, where that is said (RTPS)."""
    confirmed: Times = field(default_factory=lambda: np.empty(0, np.int64))
    acknowledged: Times = field(default_factory=lambda: np.empty(0, np.int64))


def all_samples(packets: Packets) -> list[Samples]:
    """Make samples of all carried rows, which are used up; order them by the time of the first."""
    carried = packets.carried
    _put_wire(packets, carried)
    begun = np.array([run.begin_ns for run in packets.runs] or [0], np.int64)
    of = np.searchsorted(begun, carried["time_ns"].to_numpy(), side="right")
    carried.insert_column(0, pl.Series("run", np.maximum(of, 1), pl.UInt32))
    fragments = packets.kind("rtps", "DATA_FRAG")
    named: dict[int, tuple[Literal["rtps", "xrce"], Literal["WRITE_DATA", "DATA"]]] = {
        packets.kind("rtps", "DATA"): ("rtps", "DATA"),
        packets.kind("xrce", "WRITE_DATA"): ("xrce", "WRITE_DATA"),
        packets.kind("xrce", "DATA"): ("xrce", "DATA"),
    }
    data = carried["kind"].replace(fragments, packets.kind("rtps", "DATA"))
    carried.replace_column(carried.get_column_index("kind"), data)
    groups = _groups(carried)
    order = {kind: number for number, kind in enumerate(named)}
    groups.sort(key=lambda group: order[group[0]["kind"]])
    found = []
    while groups:
        head, group = groups.pop(0)
        found.append(_samples(head, group, *named[head["kind"]]))
    return sorted(found, key=lambda each: int(each.times[0]))


def _groups(carried: pl.DataFrame) -> list[tuple[dict[str, Any], pl.DataFrame]]:
    """Return the rows of each writer on each flow, and what they have in common.

    Columns are moved one by one: no more than one of them is in memory twice.
    """
    places = _places(carried)
    for name in KEYS:
        carried.drop_in_place(name)
    groups: list[list[pl.Series]] = [[] for _ in places]
    for name in carried.columns:
        column = carried.drop_in_place(name).rechunk()
        for rows, group in zip(places.values(), groups, strict=True):
            group.append(column if len(groups) == 1 else column.gather(rows))
    heads = [dict(zip(KEYS, key, strict=True)) for key in places]
    return [(head, pl.DataFrame(group)) for head, group in zip(heads, groups, strict=True)]


def _places(carried: pl.DataFrame) -> dict[tuple[Any, ...], pl.Series]:
    """Return the row numbers of each group. Grouping all at once takes more memory than they do."""
    found: dict[tuple[Any, ...], list[pl.Series]] = {}
    for start in range(0, carried.height, PIECE):
        piece = carried.slice(start, PIECE).select(KEYS).with_row_index("row", offset=start)
        groups = piece.group_by(KEYS, maintain_order=True).agg("row")
        for key, rows in zip(groups.drop("row").iter_rows(), groups["row"], strict=True):
            found.setdefault(key, []).append(rows)
    return {key: pl.concat(rows) for key, rows in found.items()}


def _put_wire(packets: Packets, carried: pl.DataFrame) -> None:
    """Put the bytes on the wire of each message in the place of its packet's. A datagram is a whole
    message: its packet is enough."""
    flow_of = packets.summary["flows"]
    flows = [n for n in carried["flow"].unique() if flow_of[n]["transport"] != "udp"]
    if flows:
        wire = _wire_of_streams(packets.rows, carried, flows)
    else:
        # How many rows each row's packet has; rows of a datagram are neighbours.
        lengths = carried["packet"].rle().struct.field("len").to_numpy()
        wire = carried["wire_bytes"] / pl.Series(np.repeat(lengths, lengths))
    carried.drop_in_place("wire_bytes")
    carried.insert_column(0, wire.alias("wire"))


def _wire_of_streams(rows: pl.DataFrame, carried: pl.DataFrame, flows: list[int]) -> pl.Series:
    """Give each message its share of each segment with bytes of it: these bytes, and as much of the
    headers. Packets of a serial line belong to the message that ends with them."""
    wire = np.asarray(carried["wire_bytes"].to_numpy(), np.float64).copy()
    of = carried["flow"].to_numpy()
    shared = np.asarray(carried.select(pl.len().over("flow", "packet")).to_series(), np.float64)
    for flow in flows:
        here = np.flatnonzero(of == flow)
        own = rows.lazy().filter(pl.col("flow") == flow)
        first = own.unique("packet", keep="first", maintain_order=True).collect()
        ends = carried["stream_end"].gather(here)
        if ends.null_count():
            wire[here] = _up_to(own.collect(), carried["packet"].gather(here)) / shared[here]
            continue
        new = (pl.col("tcp_bytes") > 0) & ~pl.col("retransmission").fill_null(value=False)
        segments = first.filter(new & pl.col("segment_end").is_not_null()).sort("segment_end")
        behind = segments["segment_end"].to_numpy()
        knots = np.column_stack([behind - segments["tcp_bytes"].to_numpy(), behind]).ravel()
        sums = np.concatenate([[0], segments["wire_bytes"].cast(pl.Int64).cum_sum().to_numpy()])
        spent = np.repeat(sums, 2)[1:-1]
        last = ends.to_numpy()
        messages = own.filter(pl.col("kind").is_not_null() & pl.col("stream_end").is_not_null())
        borders = np.unique([*messages.select("stream_end").collect().to_series(), *last])
        before = np.searchsorted(borders, last) - 1
        begins = np.where(before >= 0, borders[before], knots[0] if len(knots) else 0)
        alike = pl.Series(last).to_frame("end").select(pl.len().over("end")).to_series().to_numpy()
        if len(knots):
            up_to = np.interp(last, knots, spent) - np.interp(begins, knots, spent)
            wire[here] = up_to / alike
    return pl.Series(wire)


def _up_to(rows: pl.DataFrame, packets: pl.Series) -> np.ndarray:
    """Sum the bytes of all packets since the message before, for each of these packets."""
    by_packet = (
        rows.group_by("packet")
        .agg(pl.col("wire_bytes").max(), completes=pl.col("kind").is_not_null().any())
        .sort("packet")
        .with_columns(sum=pl.col("wire_bytes").cum_sum())
    )
    by_packet = by_packet.filter(pl.col("completes") | pl.col("packet").is_in(packets.implode()))
    sums = by_packet.select("packet", wire=pl.col("sum").diff().fill_null(pl.col("sum")))
    found = packets.to_frame("packet").join(sums, on="packet", how="left", maintain_order="left")
    return np.asarray(found["wire"].to_numpy(), np.float64)


def _samples(
    head: dict[str, Any],
    group: pl.DataFrame,
    protocol: Literal["rtps", "xrce"],
    kind: Literal["WRITE_DATA", "DATA"],
) -> Samples:
    """Make the samples of one writer; the first copy counts. Fragments of RTPS make one sample."""
    first = group
    if group.select(pl.col("repeated").cast(pl.Boolean).any()).item():
        first = group.filter(~pl.col("repeated").fill_null(value=False))
    if not first.height:
        first = group
    one = _one_each(first, protocol)
    # Repeated are whole copies; of a sample in fragments each fragment may be repeated by itself.
    return Samples(
        head["run"],
        protocol,
        kind,
        head["flow"],
        head["source"],
        head["writer"] or 0,
        head["stream"],
        begun=one["begun"].to_numpy(),
        times=one["time_ns"].to_numpy(),
        numbers=_numbers(one["last_seq"]),
        ends=_numbers(one["stream_end"]),
        hashes=one["payload_hash"],
        payload=one["payload_bytes"],
        wire=one["wire"],
        packets=one["packet"],
        fragmented=int(one["fragments"].is_not_null().sum()),
        repeated=group.height - first.height,
        readers=[] if protocol == "xrce" else group["destination"].drop_nulls().unique().to_list(),
    )


def _numbers(values: pl.Series) -> Times:
    """Return the numbers, NONE for a null; where none is there, they take no memory."""
    if values.null_count() == len(values):
        return _nothing(len(values))
    found: Times = values.fill_null(NONE).to_numpy()
    return found


def _nothing(count: int) -> Times:
    return np.broadcast_to(np.int64(NONE), count)


def _one_each(first: pl.DataFrame, protocol: str) -> pl.DataFrame:
    """Return a row for each sample, in the order of time: fragments of RTPS are put together."""
    begun = pl.min_horizontal("begun_ns", "time_ns").alias("begun")
    if first["begun_ns"].null_count() == first.height:
        begun = pl.col("time_ns").alias("begun")
    # A message of DDS-XRCE may have several samples, all with its number.
    whole = protocol == "xrce" or bool((first["last_seq"].diff().drop_nulls() > 0).all())
    if whole:
        one = first.with_columns(begun)
    else:
        one = first.group_by("last_seq", maintain_order=True).agg(
            begun.min(),
            pl.col("time_ns").max(),
            pl.col("stream_end").max(),
            pl.col("payload_hash").drop_nulls().first(),
            pl.col("payload_bytes").sum(),
            pl.col("wire").sum(),
            pl.col("packet").last(),
            pl.col("fragments").max(),
        )
    return one if one["time_ns"].is_sorted() else one.sort("time_ns", maintain_order=True)


def confirm(packets: Packets, found: list[Samples]) -> None:
    """Fill in when each sample was confirmed, by the protocol and by TCP."""
    rows = packets.rows
    reverse = reverse_flows(packets.summary["flows"])
    kinds = [packets.kind(name, "ACKNACK") for name in ("rtps", "xrce")]
    rtps, xrce = (packets.answers.filter(pl.col("kind") == number) for number in kinds)
    acked = rows.lazy().filter(pl.col("acked").is_not_null()).select("flow", "time_ns", "acked")
    acked_rows = acked.collect()
    for each in found:
        each.confirmed = each.acknowledged = _nothing(len(each.times))
        back = reverse.get(each.flow)
        if each.protocol == "rtps":
            each.confirmed = _by_readers(each, rtps)
        elif back is not None and (each.stream or 0) >= RELIABLE:
            of = xrce.filter((pl.col("flow") == back) & (pl.col("stream") == each.stream))
            each.confirmed = _reached(each, of, "first_seq", each.numbers + 1)
        if back is not None and packets.summary["flows"][each.flow]["transport"] == "tcp":
            of = acked_rows.filter(pl.col("flow") == back)
            each.acknowledged = _reached(each, of, "acked", each.ends)


def _reached(each: Samples, rows: pl.DataFrame, column: str, wanted: Times) -> Times:
    found = first_reaching(rows["time_ns"].to_numpy(), rows[column].to_numpy(), wanted)
    # A confirmation before its sample belongs to a clock that was set, or to a damaged capture.
    ordered: Times = np.where((found >= each.begun) & (wanted != NONE), found, NONE)
    return ordered


def _by_readers(each: Samples, acknacks: pl.DataFrame) -> Times:
    """Return when the last reader confirmed each; if the data names readers, only they count."""
    of = acknacks.filter(
        (pl.col("writer") == each.writer)
        & (pl.col("destination").is_null() | (pl.col("destination") == each.source))
        & (pl.col("source") != each.source)
    )
    if each.readers:
        of = of.filter(pl.col("source").is_in(each.readers))
    last = _nothing(len(each.times))
    for _, group in of.group_by("source", "reader", maintain_order=True):
        last = np.maximum(last, _reached(each, group, "first_seq", each.numbers + 1))
    return last
