"""Samples of each writer on each flow, from rows of submessages."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import polars as pl

from busmark.capture.figures import NONE, Times, first_reaching
from busmark.capture.reading import Packets
from busmark.wire.flows import reverse_flows

RELIABLE = 0x80
NEEDED = (
    "flow", "packet", "part", "begun_ns", "time_ns", "source", "destination", "writer",
    "stream", "last_seq", "stream_end", "payload_hash", "payload_bytes", "wire_bytes",
    "fragments", "repeated",
)  # fmt: skip
"""Columns of rows that carry samples."""


@dataclass(slots=True)
class Samples:
    """Samples of one writer on one flow, in the order of time."""

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
    fragmented: int
    repeated: int
    readers: list[int] = field(default_factory=list)
    """Indexes of GUID prefixes for which it is, where that is said (RTPS)."""
    confirmed: Times = field(default_factory=lambda: np.empty(0, np.int64))
    acknowledged: Times = field(default_factory=lambda: np.empty(0, np.int64))


def all_samples(packets: Packets) -> list[Samples]:
    """By the time of the first sample."""
    rows = packets.rows
    fragments = packets.kind("rtps", "DATA_FRAG")
    named: list[tuple[int, Literal["rtps", "xrce"], Literal["WRITE_DATA", "DATA"]]] = [
        (packets.kind("rtps", "DATA"), "rtps", "DATA"),
        (packets.kind("xrce", "WRITE_DATA"), "xrce", "WRITE_DATA"),
        (packets.kind("xrce", "DATA"), "xrce", "DATA"),
    ]
    carrying = (
        pl.col("flow").is_not_null()
        & pl.col("kind").is_in([fragments, *(number for number, _, _ in named)])
        & pl.col("payload_bytes").is_not_null()
        & ~pl.col("builtin").fill_null(value=False)
    )
    kinds = pl.col("kind").replace(fragments, named[0][0])
    carried = rows.lazy().filter(carrying).select(*NEEDED, kinds).collect()
    carried = _with_wire(packets, carried)
    found: list[Samples] = []
    for number, protocol, kind in named:
        is_kind = carried["kind"] == number
        of_kind = carried if is_kind.all() else carried.filter(is_kind)
        keys = ["flow", "source", "writer"] if protocol == "rtps" else ["flow", "writer", "stream"]
        # A copy for each writer costs memory; most captures have one that matters.
        one = of_kind.height > 0 and all(of_kind[key].n_unique() == 1 for key in keys)
        groups = [of_kind] if one else (g for _, g in of_kind.group_by(keys, maintain_order=True))
        found += [_samples(group, protocol, kind) for group in groups]
    return sorted(found, key=lambda each: int(each.times[0]))


def _with_wire(packets: Packets, carried: pl.DataFrame) -> pl.DataFrame:
    """With the bytes on the wire of each message: of all packets of its flow since the message
    before, by the number of messages with which the last of them ends.

    A datagram is a whole message: its packet is enough.
    """
    rows, flow_of = packets.rows, packets.summary["flows"]
    flows = [n for n in carried["flow"].unique() if flow_of[n]["transport"] != "udp"]
    wanted = (
        pl.col("flow").is_in(flows)
        & (pl.col("tcp_bytes").is_null() | (pl.col("tcp_bytes") > 0))
        & ~pl.col("retransmission").fill_null(value=False)
    )
    completes = pl.col("kind").is_not_null().alias("completes")
    by_packet = (
        rows.lazy()
        .filter(wanted)
        .select("flow", "packet", "wire_bytes", completes)
        .collect()
        .sort("flow", "packet", "completes", descending=[False, False, True])
        .unique(["flow", "packet"], keep="first", maintain_order=True)
        .with_columns(pl.col("wire_bytes").cum_sum().over("flow").alias("sum"))
        .filter("completes")
        .with_columns(wire=pl.col("sum") - pl.col("sum").shift(1).over("flow").fill_null(0))
        .select("flow", "packet", "wire")
    )  # fmt: skip
    shared = pl.len().over("flow", "packet").alias("shared")
    if not flows:
        return carried.with_columns(wire=carried["wire_bytes"] / _neighbours(carried["packet"]))
    return (
        carried.with_columns(shared)
        .join(by_packet, on=["flow", "packet"], how="left", maintain_order="left")
        .with_columns(wire=pl.col("wire").fill_null(pl.col("wire_bytes")) / pl.col("shared"))
    )


def _neighbours(packet: pl.Series) -> pl.Series:
    """How many rows each row's packet has; rows of a datagram are neighbours."""
    lengths = packet.rle().struct.field("len").to_numpy()
    return pl.Series(np.repeat(lengths, lengths))


def _samples(
    group: pl.DataFrame, protocol: Literal["rtps", "xrce"], kind: Literal["WRITE_DATA", "DATA"]
) -> Samples:
    """The samples of one writer; the first copy counts. Fragments of RTPS make one sample."""
    first = group
    if group["repeated"].any():
        first = group.filter(~pl.col("repeated").fill_null(value=False))
    if not first.height:
        first = group
    one = _one_each(first, protocol)
    head = group.row(0, named=True)
    # Repeated are whole copies; of a sample in fragments each fragment may be repeated by itself.
    return Samples(
        protocol, kind, head["flow"], head["source"], head["writer"] or 0, head["stream"],
        begun=one["begun"].to_numpy(), times=one["time_ns"].to_numpy(),
        numbers=one["last_seq"].fill_null(NONE).to_numpy(),
        ends=one["stream_end"].fill_null(NONE).to_numpy(),
        hashes=one["payload_hash"], payload=one["payload_bytes"], wire=one["wire"],
        fragmented=int(one["fragments"].is_not_null().sum()),
        repeated=group.height - first.height,
        readers=[] if protocol == "xrce" else group["destination"].drop_nulls().unique().to_list(),
    )  # fmt: skip


def _one_each(first: pl.DataFrame, protocol: str) -> pl.DataFrame:
    """A row for each sample, in the order of time: fragments of RTPS are put together."""
    begun = pl.min_horizontal("begun_ns", "time_ns").alias("begun")
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
            pl.col("fragments").max(),
        )
    return one if one["time_ns"].is_sorted() else one.sort("time_ns", maintain_order=True)


def confirm(packets: Packets, found: list[Samples]) -> None:
    """Fills in when each sample was confirmed, by the protocol and by TCP."""
    rows = packets.rows
    reverse = reverse_flows(packets.summary["flows"])
    kinds = [packets.kind(name, "ACKNACK") for name in ("rtps", "xrce")]
    rtps, xrce = (rows.filter(pl.col("kind") == number) for number in kinds)
    acked = rows.lazy().filter(pl.col("acked").is_not_null()).select("flow", "time_ns", "acked")
    acked_rows = acked.collect()
    for each in found:
        each.confirmed = each.acknowledged = np.full(len(each.times), NONE)
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
    """The last of all readers that confirm; of those that the data names, if it names any."""
    of = acknacks.filter(
        (pl.col("writer") == each.writer)
        & (pl.col("destination").is_null() | (pl.col("destination") == each.source))
        & (pl.col("source") != each.source)
    )
    if each.readers:
        of = of.filter(pl.col("source").is_in(each.readers))
    last: Times = np.full(len(each.times), NONE)
    for _, group in of.group_by("source", "reader", maintain_order=True):
        last = np.maximum(last, _reached(each, group, "first_seq", each.numbers + 1))
    return last
