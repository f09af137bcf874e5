"""Runs `busmark-packets` and reads its table."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from busmark import files
from busmark.adapters import packets as program
from busmark.errors import UserError
from busmark.launcher import completed
from busmark.plugins.capture.wire import reverse_flows
from busmark.temporary import WORK_PREFIX, run_directory

ROWS = (
    "packet",
    "part",
    "time_ns",
    "flow",
    "protocol",
    "wire_bytes",
    "kind",
    "source",
    "destination",
    "writer",
    "stream",
    "client_key",
    "last_seq",
    "tcp_bytes",
    "acked",
    "retransmission",
    "out_of_order",
    "stream_end",
    "segment_end",
)
"""Columns that the analysis reads of all rows."""
ANSWERS = (
    "kind",
    "time_ns",
    "flow",
    "source",
    "destination",
    "writer",
    "reader",
    "stream",
    "first_seq",
    "last_seq",
)
"""Columns that the analysis reads besides of rows of ACKNACK and GAP."""
CARRIED = (
    "kind",
    "flow",
    "packet",
    "begun_ns",
    "time_ns",
    "source",
    "destination",
    "writer",
    "stream",
    "last_seq",
    "stream_end",
    "payload_hash",
    "payload_bytes",
    "wire_bytes",
    "fragments",
    "repeated",
)
"""Columns that the analysis reads of rows that carry samples of users."""
CARRYING = {"rtps": ("DATA", "DATA_FRAG"), "xrce": ("WRITE_DATA", "DATA")}
ANSWERING = {"rtps": ("ACKNACK", "GAP"), "xrce": ("ACKNACK",)}
PIECE = 1 << 19
"""Rows that are read at a time."""
SILENT = frozenset({"PAD", "INFO_TS", "INFO_SRC", "INFO_DST", "INFO_REPLY", "INFO_REPLY_IP4"})
"""Kinds of submessages that say nothing of samples; their content is in the rows behind them."""


@dataclass(frozen=True, slots=True)
class Run:
    """A time in which sessions of DDS-XRCE, or participants of RTPS, were there without a pause."""

    begin_ns: int
    end_ns: int
    clients: Sequence[int]
    """Keys of the clients that opened a session in it (DDS-XRCE)."""


@dataclass(frozen=True, slots=True)
class Packets:
    """A capture that was read: the summary, and the rows in the order of time."""

    summary: dict[str, Any]
    rows: pl.DataFrame
    """Rows of submessages, without those after a packet's first that say nothing about samples."""
    answers: pl.DataFrame
    """Rows of ACKNACK and GAP."""
    carried: pl.DataFrame
    """Rows that carry samples of users. They are moved out of it when samples are made of them."""
    counts: pl.DataFrame
    """Number of all rows by kind, discovery or not, and flow."""
    runs: Sequence[Run] = ()
    """Runs in the order of time."""

    def kind(self, protocol: str, name: str) -> int:
        """Return the number of a kind of submessage."""
        return _kind(self.summary, protocol, name)

    def protocol(self, name: str) -> int:
        """Return the number of a protocol."""
        number: int = self.summary["protocols"].index(name)
        return number


def read(path: Path, *, agent_ports: Sequence[int] = (), contents: bool = False) -> Packets:
    """Read the rows of a capture; a fault in its middle is in the summary. Its `contents` are the
    last whole sample of each writer of RTPS, where they are asked for."""
    with run_directory(WORK_PREFIX) as folder:
        table = folder / "packets.arrow"
        ports = [word for port in agent_ports for word in ("--agent-port", str(port))]
        summary = decode(path, table, *ports, *(["--contents"] if contents else []))
        if (fault := summary["fault"]) and not summary["packets"]:
            raise _unusable(path, f"{fault['what']} (at byte {fault['offset']})")
        counts = (
            pl.scan_ipc(table).group_by("kind", "builtin", "flow").len().collect(engine="streaming")
        )
        silent = pl.col("kind").is_in(
            [int(k) for k in summary["kinds"] if summary["kinds"][k] in SILENT]
        ) | (pl.col("kind").is_between(0x80, 0xFF))
        rows = _rows(table, summary, (pl.col("part") == 0) | ~silent, ROWS)
        answers = _rows(table, summary, _is_kind(summary, ANSWERING), ANSWERS)
        of_users = ~pl.col("builtin").fill_null(value=False) & pl.col("flow").is_not_null()
        carries = _is_kind(summary, CARRYING) & pl.col("payload_bytes").is_not_null() & of_users
        carried = _rows(table, summary, carries, CARRIED)
    found = Packets(summary, rows, answers, carried, counts)
    return replace(found, runs=_runs(found))


def decode(path: Path, table: Path, *words: str) -> dict[str, Any]:
    """Return the summary that `busmark-packets` makes of a capture, with the rows in `table`.

    Raises:
        UserError: the capture cannot be read.
    """
    command = [str(program()), "--table", str(table), *words, "--", str(path)]
    # The summary has a row for each flow and writer.
    code, said, errors = completed(command, most_bytes=files.LARGE)
    if code != 0:
        raise _unusable(path, errors)
    summary: dict[str, Any] = json.loads(said)
    return summary


def directions(packets: Packets) -> dict[int, str]:
    """Return whether a flow of DDS-XRCE goes to the agent: by what only one side sends."""
    to = [packets.kind("xrce", k) for k in ("CREATE_CLIENT", "CREATE", "WRITE_DATA", "READ_DATA")]
    back = [packets.kind("xrce", k) for k in ("STATUS_AGENT", "STATUS", "DATA", "INFO")]
    pairs = packets.rows.filter(pl.col("kind").is_in([*to, *back])).select("flow", "kind").unique()
    reverse = reverse_flows(packets.summary["flows"])
    found: dict[int, str] = {}
    for flow, kind in pairs.drop_nulls().sort("flow", "kind").iter_rows():
        ahead = kind in to
        found[flow] = "to agent" if ahead else "from agent"
        if flow in reverse:
            found[reverse[flow]] = "from agent" if ahead else "to agent"
    return found


def _runs(packets: Packets) -> list[Run]:
    """Find the times with samples of users between which nobody was there: a session lasts from its
    CREATE_CLIENT to its last packet, HEARTBEAT to a client that is gone left out."""
    rows, reverse = packets.rows, reverse_flows(packets.summary["flows"])
    to_agent = [flow for flow, way in directions(packets).items() if way == "to agent"]
    greeting = packets.kind("xrce", "CREATE_CLIENT")
    beat = pl.col("kind").eq_missing(pl.lit(packets.kind("xrce", "HEARTBEAT")))
    one = {reverse[flow]: flow for flow in to_agent if flow in reverse} | {f: f for f in to_agent}
    sessions = (
        rows.lazy()
        .filter(pl.col("flow").is_in(list(one)) & ~beat)
        .select(
            "time_ns",
            pl.col("flow").cast(pl.Int64).replace(one).alias("pair"),
            "client_key",
            opens=pl.col("kind").eq_missing(pl.lit(greeting)),
        )
        .with_columns(session=pl.col("opens").cast(pl.Int64).cum_sum().over("pair"))
        .group_by("pair", "session")
        .agg(
            pl.col("time_ns").min().alias("begin"),
            pl.col("time_ns").max().alias("end"),
            pl.col("client_key").filter("opens").first(),
        )
        .select("begin", "end", "client_key")
        .collect()
    )
    times = pl.col("time_ns")
    inner = packets.carried.lazy().filter(pl.col("source").is_not_null())
    if not sessions.height:
        # Without clients the participants themselves, from their first word of discovery on.
        writing = packets.carried["source"].unique().drop_nulls().to_list()
        inner = rows.lazy().filter(pl.col("source").is_in(writing))
    by = ("source", "writer") if sessions.height else ("source",)
    others = inner.group_by(by).agg(times.min().alias("begin"), times.max().alias("end"))
    spans = [
        *sessions.rows(),
        *((b, e, None) for b, e in others.select("begin", "end").collect().rows()),
    ]
    runs: list[Run] = []
    for begin, end, key in sorted(spans, key=lambda span: span[:2]):
        keys = [] if key is None else [key]
        if runs and begin <= runs[-1].end_ns:
            last = runs[-1]
            runs[-1] = Run(last.begin_ns, max(last.end_ns, end), [*last.clients, *keys])
        else:
            runs.append(Run(begin, end, keys))
    begun = np.array([run.begin_ns for run in runs], np.int64)
    times_of = packets.carried["time_ns"].to_numpy()
    sampled = np.unique(np.searchsorted(begun, times_of, side="right"))
    return [runs[number - 1] for number in sampled if number]


def _rows(
    table: Path, summary: dict[str, Any], which: pl.Expr, columns: Sequence[str]
) -> pl.DataFrame:
    """Return these rows of the table, in the order of time."""
    # Piece by piece: the pages of the file that are in memory count as well.
    pieces = (
        pl.scan_ipc(table).slice(start, PIECE).filter(which).select(columns).collect()
        for start in range(0, max(summary["rows"], 1), PIECE)
    )
    rows = pl.concat([_without_nothing(piece) for piece in pieces], how="vertical_relaxed")
    # A type that takes little and has an order.
    rows = rows.with_columns(pl.col(pl.Null).cast(pl.Int8))
    if summary["noticed"]["earlier_packets"]:
        rows = rows.sort("time_ns", maintain_order=True)
    return rows


def _without_nothing(piece: pl.DataFrame) -> pl.DataFrame:
    """Make columns without a value Null: with any other type they take as much memory as others."""
    empty = [name for name in piece.columns if piece[name].null_count() == piece.height]
    return piece.with_columns(pl.lit(None, pl.Null).alias(name) for name in empty)


def _kind(summary: dict[str, Any], protocol: str, name: str) -> int:
    first = {"rtps": range(256), "xrce": range(256, 512)}[protocol]
    kinds = {int(number): kind for number, kind in summary["kinds"].items()}
    return next(number for number in first if kinds.get(number) == name)


def _is_kind(summary: dict[str, Any], names: Mapping[str, Sequence[str]]) -> pl.Expr:
    wanted = [_kind(summary, protocol, name) for protocol in names for name in names[protocol]]
    return pl.col("kind").is_in(wanted)


def _unusable(path: Path, text: str) -> UserError:
    message = text.strip().removeprefix("busmark-packets: ").removeprefix(f"{path}: ")
    return UserError(
        message or "the capture cannot be read",
        where=str(path),
        remedy="Give a capture of dumpcap, tcpdump or Wireshark: pcapng or pcap, also with gzip.",
    )
