"""Packets of one round, from all its captures, on the time axis of its samples."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from busmark.plugins.capture.wire import opposites

Rows = npt.NDArray[np.int64]
"""Numbers of rows, in the order of time."""

NO_ROWS: Rows = np.empty(0, np.int64)
"""Columns that are read. Times are by CLOCK_MONOTONIC of the samples' host; `flow` counts over all
files; `source` and `destination` are GUID prefixes; `answered` is the writer that an answer
answers, 0 for a sample that is none."""

SUBSCRIPTIONS = 0x000004C2
"""Entity by which a participant announces its readers (RTPS 2.5, 9.3.1.5)."""
RTPS = pl.col("protocol") == "rtps"
DATA = ("DATA", "DATA_FRAG")
Writer = tuple[str, int]
"""A writer of RTPS: GUID prefix and entity."""
RELIABLE = 128
"""Streams of DDS-XRCE from this on are reliable."""
Stream = tuple[int, int, int]
"""A reliable stream of DDS-XRCE: flow, session, stream."""


@dataclass(frozen=True, slots=True)
class File:
    """A capture of the round."""

    name: str
    node: str | None
    interface: str
    dropped: int | None = 0
    """Packets that the capture lost."""
    incomplete: int = 0
    """IP datagrams of which the capture lacks fragments."""


@dataclass(frozen=True, slots=True)
class Flow:
    """Packets from one end to another in one file."""

    file: int
    transport: str
    source: str
    """Address and port."""
    destination: str

    @property
    def source_address(self) -> str:
        """Address of the source, without the port."""
        return self.source.rpartition(":")[0]


@dataclass(frozen=True, slots=True)
class Packet:
    """A row of the table of packets."""

    row: int
    file: int
    packet: int
    part: int
    time_ns: int
    begun_ns: int | None
    flow: int | None
    protocol: str | None
    kind: str | None
    wire_bytes: int | None
    message_bytes: int | None
    source: str | None
    destination: str | None
    writer: int | None
    reader: int | None
    builtin: bool | None
    session: int | None
    stream: int | None
    first_seq: int | None
    last_seq: int | None
    missing: int | None
    asked: int | None
    fragment: int | None
    fragments: int | None
    repeated: bool | None
    tcp_bytes: int | None
    stream_end: int | None
    acked: int | None
    retransmission: bool | None
    out_of_order: bool | None
    sample_writer: int | None
    sample_seq: int | None
    answered: int | None

    @property
    def first_ns(self) -> int:
        """Time of its first byte."""
        return self.time_ns if self.begun_ns is None else min(self.begun_ns, self.time_ns)


TYPES = {"int": pl.Int64, "str": pl.String, "bool": pl.Boolean}
SCHEMA: dict[str, Any] = {
    each.name: TYPES[str(each.type).partition(" ")[0]] for each in fields(Packet)[1:]
}
"""Columns of the rows: what a packet has, but the number of its row."""


class Wire:
    """The packets of a round, by what is asked of them."""

    def __init__(
        self,
        rows: pl.DataFrame,
        flows: Sequence[Flow],
        files: Sequence[File],
        foreign: Iterable[str] = (),
    ) -> None:
        """Take these rows; `foreign` are GUID prefixes of participants that are not the run's."""
        self._foreign = list(foreign)
        self.rows = rows.sort("time_ns", maintain_order=True)
        self.flows, self.files = tuple(flows), tuple(files)
        self.times: Rows = self.rows["time_ns"].to_numpy()

    @classmethod
    def from_rows(
        cls,
        rows: Iterable[dict[str, Any]],
        flows: Sequence[Flow],
        files: Sequence[File] = (),
        foreign: Iterable[str] = (),
    ) -> Wire:
        """Make it of rows by name; what they leave out is null."""
        whole = [{name: row.get(name) for name in SCHEMA} for row in rows]
        files = files or [File("lo", None, "lo")]
        return cls(pl.DataFrame(whole, schema=SCHEMA), flows, files, foreign)

    def packet(self, row: int) -> Packet:
        """Return the packet in a row."""
        return Packet(int(row), *self.rows.row(int(row)))

    def packets(self, rows: Iterable[int]) -> list[Packet]:
        """Return the packets in these rows."""
        return [self.packet(row) for row in rows]

    @cached_property
    def _places(self) -> dict[tuple[int, int], Rows]:
        """Rows of each packet, by file and number."""
        return self._by(pl.lit(True), "file", "packet")

    def row_of(self, file: int, packet: int) -> list[int]:
        """Return the first row of a packet, if it is there."""
        return [int(row) for row in self._places.get((file, packet), NO_ROWS)[:1]]

    def first_row(self, row: int) -> int:
        """Return the first row of the packet of a row."""
        return self.row_of(int(self._column("file")[row]), int(self._column("packet")[row]))[0]

    def parts(self, packet: Packet) -> list[Packet]:
        """Return all rows of its packet."""
        return self.packets(self._places[packet.file, packet.packet])

    def within(self, rows: Rows, begin_ns: int, end_ns: int) -> Rows:
        """Return the rows whose time is in the window, both ends included."""
        times = self.times[rows]
        first, last = np.searchsorted(times, [begin_ns, end_ns + 1])
        return rows[first:last]

    def value(self, name: str, rows: Rows) -> npt.NDArray[Any]:
        """Return a column's values in these rows; a null is -1."""
        return self._column(name)[rows]

    def _column(self, name: str) -> npt.NDArray[Any]:
        if name not in self._columns:
            column = self.rows[name]
            if column.dtype == pl.String:
                self._columns[name] = np.asarray(column.to_list(), dtype=object)
            else:
                filled = column.fill_null(value=-1 if column.dtype == pl.Int64 else False)
                self._columns[name] = filled.to_numpy()
        return self._columns[name]

    @cached_property
    def _columns(self) -> dict[str, npt.NDArray[Any]]:
        return {}

    def _by(self, which: pl.Expr, *keys: str) -> dict[Any, Rows]:
        """Group rows by the values of these columns, which none of them lacks."""
        known = pl.all_horizontal(pl.col(keys).is_not_null())
        found = (
            self.rows.lazy()
            .with_row_index("row")
            .filter(which & known)
            .select("row", *keys)
            .group_by(keys, maintain_order=True)
            .agg("row")
            .collect()
        )
        return {
            (row[0] if len(keys) == 1 else row[:-1]): np.asarray(row[-1], np.int64)
            for row in found.iter_rows()
        }

    @cached_property
    def of_flow(self) -> dict[int, Rows]:
        """Rows of each flow, one for each packet."""
        return self._by(pl.col("part") == 0, "flow")

    @cached_property
    def retransmitted(self) -> dict[int, Rows]:
        """Segments of TCP with bytes that were there before, by flow."""
        return self._by(pl.col("retransmission").fill_null(value=False), "flow")

    @cached_property
    def early(self) -> dict[int, Rows]:
        """Segments of TCP that came before others that they follow, by flow."""
        return self._by(pl.col("out_of_order").fill_null(value=False), "flow")

    @cached_property
    def data(self) -> dict[Writer, Rows]:
        """DATA and DATA_FRAG of each writer that is no part of discovery."""
        users = ~pl.col("builtin").fill_null(value=False)
        return self._by(RTPS & pl.col("kind").is_in(DATA) & users, "source", "writer")

    @cached_property
    def _questions(self) -> tuple[dict[Writer, Rows], dict[int, Rows]]:
        """Return those to a participant, and those to whom it concerns."""
        asks = (pl.col("kind") == "ACKNACK") & (pl.col("missing") > 0)
        asks = RTPS & (asks | (pl.col("kind") == "NACK_FRAG"))
        to_nobody = asks & pl.col("destination").is_null()
        return self._by(asks, "destination", "writer"), self._by(to_nobody, "writer")

    def questions(self, writer: Writer) -> Rows:
        """Return the rows of ACKNACK and NACK_FRAG that ask this writer for something."""
        to_one, to_nobody = self._questions
        here, anybody = to_one.get(writer, NO_ROWS), to_nobody.get(writer[1], NO_ROWS)
        return np.sort(np.concatenate([here, anybody])) if len(anybody) else here

    @cached_property
    def heartbeats(self) -> dict[Writer, Rows]:
        """HEARTBEAT and HEARTBEAT_FRAG of each writer."""
        beats = RTPS & pl.col("kind").is_in(["HEARTBEAT", "HEARTBEAT_FRAG"])
        return self._by(beats, "source", "writer")

    def _of_streams(self, which: pl.Expr) -> dict[Stream, Rows]:
        named = (pl.col("protocol") == "xrce") & (pl.col("stream") >= RELIABLE)
        known = pl.col("first_seq").is_not_null() & pl.col("last_seq").is_not_null()
        return self._by(named & known & which, "flow", "session", "stream")

    @cached_property
    def xrce_messages(self) -> dict[Stream, Rows]:
        """Submessages of messages that have a number in their stream."""
        return self._of_streams(~pl.col("kind").is_in(["ACKNACK", "HEARTBEAT"]))

    @cached_property
    def xrce_questions(self) -> dict[Stream, Rows]:
        """ACKNACK that ask for messages, by their own flow and the stream that they are about."""
        return self._of_streams((pl.col("kind") == "ACKNACK") & (pl.col("asked") > 0))

    @cached_property
    def xrce_heartbeats(self) -> dict[Stream, Rows]:
        """HEARTBEAT by the stream that they are about."""
        return self._of_streams(pl.col("kind") == "HEARTBEAT")

    @cached_property
    def confirming(self) -> dict[int, Rows]:
        """ACKNACK by the entity of the writer for which they are."""
        return self._by(RTPS & (pl.col("kind") == "ACKNACK"), "writer")

    @cached_property
    def gaps(self) -> dict[Writer, Rows]:
        """GAP of each writer."""
        return self._by(pl.col("kind") == "GAP", "source", "writer")

    @cached_property
    def xrce_confirming(self) -> dict[Stream, Rows]:
        """ACKNACK by their own flow and the stream that they are about."""
        return self._of_streams(pl.col("kind") == "ACKNACK")

    @cached_property
    def requests(self) -> dict[int, Rows]:
        """READ_DATA by flow."""
        return self._by(pl.col("kind") == "READ_DATA", "flow")

    def is_local(self, packet: Packet) -> bool:
        """Return whether it went from a host to itself, with nothing between capture and
        receiver."""
        if packet.flow is None:
            return False
        flow = self.flows[packet.flow]
        return flow.destination.startswith(("127.", "[::1]"))

    @cached_property
    def discovery(self) -> Rows:
        """DATA of discovery."""
        which = pl.col("builtin").fill_null(value=False) & pl.col("kind").is_in(DATA)
        index = self.rows.lazy().with_row_index("row").filter(which).select("row").collect()
        return index["row"].to_numpy().astype(np.int64)

    @cached_property
    def announcements(self) -> Rows:
        """DATA by which participants announce readers; not readers of other programs."""
        of = self.discovery
        known = ~np.isin(self.value("source", of), self._foreign)
        own: Rows = of[known & (self.value("writer", of) == SUBSCRIPTIONS)]
        return own

    @cached_property
    def samples_of(self) -> dict[tuple[int, int | None], Rows]:
        """Packets with samples, by flow and the sample's writer."""
        return self._by(pl.lit(True), "flow", "sample_writer")

    @cached_property
    def named(self) -> dict[tuple[int, int], Rows]:
        """Rows of each sample, by writer and number."""
        return self._by(pl.lit(True), "sample_writer", "sample_seq")

    @cached_property
    def rtps_writers(self) -> dict[int, set[Writer]]:
        """Writers of RTPS that sent samples of a writer."""
        found: dict[int, set[Writer]] = {}
        for number, *writer in self._by(RTPS, "sample_writer", "source", "writer"):
            found.setdefault(number, set()).add(tuple(writer))
        return found

    @cached_property
    def speaking_to(self) -> dict[str, set[str]]:
        """Participants of RTPS that addressed another one, by the latter: not who only shares the
        network with it."""
        found: dict[str, set[str]] = {}
        pairs = self.rows.select("destination", "source").unique().drop_nulls()
        for to, by in pairs.iter_rows():
            found.setdefault(to, set()).add(by)
        return found

    @cached_property
    def pieces(self) -> dict[int, Rows]:
        """IP fragments that complete no datagram, by file."""
        return self._by(pl.col("protocol") == "fragment", "file")

    @cached_property
    def reverse(self) -> dict[int, int]:
        """The opposite flow of each; of connections between the same ends, the one of its time."""
        return opposites(
            ((each.file, each.transport), each.source, each.destination) for each in self.flows
        )

    def acknowledged(self, flow: int, begin_ns: int, end_ns: int) -> Rows:
        """Return packets of the opposite flow in the window that acknowledge something."""
        back = self.reverse.get(flow, -1)
        rows = self.within(self.of_flow.get(back, NO_ROWS), begin_ns, end_ns)
        return rows[self.value("acked", rows) >= 0]

    def sightings(self, seqs: Iterable[int]) -> dict[tuple[int, int, int], list[int]]:
        """Return the rows of samples with these numbers, by writer, number and answered writer."""
        wanted = pl.col("sample_seq").is_in(list(seqs))
        found = self._by(wanted, "sample_writer", "sample_seq", "answered")
        return {key: rows.tolist() for key, rows in found.items()}


def passes(wire: Wire, into: Packet, out: Packet) -> bool:
    """Return whether one process took the first and sent the second."""
    if into.flow is None or out.flow is None:
        return False
    a, b = wire.flows[into.flow], wire.flows[out.flow]
    return into.protocol != out.protocol or a.destination == b.source
