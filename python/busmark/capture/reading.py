"""Runs `busmark-packets` and reads its table."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from busmark.adapters import packets as program
from busmark.errors import UserError

ROWS = (
    "packet", "part", "time_ns", "flow", "protocol", "wire_bytes", "kind", "source", "destination",
    "writer", "stream", "last_seq", "tcp_bytes", "acked", "retransmission", "out_of_order",
)  # fmt: skip
"""What the analysis reads of all rows."""
ANSWERS = (
    "kind", "time_ns", "flow", "source", "destination", "writer", "reader", "stream", "first_seq",
    "last_seq",
)  # fmt: skip
"""What it reads of ACKNACK and GAP besides."""
CARRIED = (
    "kind", "flow", "packet", "begun_ns", "time_ns", "source", "destination", "writer", "stream",
    "last_seq", "stream_end", "payload_hash", "payload_bytes", "wire_bytes", "fragments",
    "repeated",
)  # fmt: skip
"""What it reads of rows that carry samples of users."""
CARRYING = {"rtps": ("DATA", "DATA_FRAG"), "xrce": ("WRITE_DATA", "DATA")}
ANSWERING = {"rtps": ("ACKNACK", "GAP"), "xrce": ("ACKNACK",)}
PIECE = 1 << 19
"""Rows that are read at a time."""
SILENT = frozenset({"PAD", "INFO_TS", "INFO_SRC", "INFO_DST", "INFO_REPLY", "INFO_REPLY_IP4"})
"""Kinds of submessages that say nothing of samples; their content is in the rows behind them."""


@dataclass(frozen=True, slots=True)
class Packets:
    """A capture that was read: the summary, and the rows in the order of time."""

    summary: dict[str, Any]
    rows: pl.DataFrame
    """Without submessages after a packet's first that say nothing of samples."""
    answers: pl.DataFrame
    """ACKNACK and GAP."""
    carried: pl.DataFrame
    """Rows that carry samples of users. They are moved out of it when samples are made of them."""
    counts: pl.DataFrame
    """Rows by kind, discovery or not, and flow: all of them."""

    def kind(self, protocol: str, name: str) -> int:
        """Number of a kind of submessage."""
        return _kind(self.summary, protocol, name)

    def protocol(self, name: str) -> int:
        """Number of a protocol."""
        number: int = self.summary["protocols"].index(name)
        return number


def read(path: Path, *, agent_ports: Sequence[int] = ()) -> Packets:
    """Rows of a capture; a fault in its middle is in the summary."""
    with tempfile.TemporaryDirectory(prefix="busmark-capture-") as folder:
        table = Path(folder) / "packets.arrow"
        ports = [word for port in agent_ports for word in ("--agent-port", str(port))]
        command = [str(program()), "--table", str(table), *ports, "--", str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise _unusable(path, done.stderr)
        summary = json.loads(done.stdout)
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
    return Packets(summary, rows, answers, carried, counts)


def _rows(
    table: Path, summary: dict[str, Any], which: pl.Expr, columns: Sequence[str]
) -> pl.DataFrame:
    """Those of the table, in the order of time."""
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
    """A column without a value takes as much memory as any other, unless its type is Null."""
    empty = [name for name in piece.columns if piece[name].null_count() == piece.height]
    return piece.with_columns(pl.lit(None, pl.Null).alias(name) for name in empty)


def _kind(summary: dict[str, Any], protocol: str, name: str) -> int:
    first = {"rtps": range(256), "xrce": range(256, 512)}[protocol]
    kinds = {int(number): kind for number, kind in summary["kinds"].items()}
    return next(number for number in first if kinds.get(number) == name)


def _is_kind(summary: dict[str, Any], names: Mapping[str, Sequence[str]]) -> pl.Expr:
    wanted = [_kind(summary, protocol, name) for protocol in names for name in names[protocol]]
    return pl.col("kind").is_in(wanted)


def _unusable(path: Path, told: str) -> UserError:
    message = told.strip().removeprefix("busmark-packets: ").removeprefix(f"{path}: ")
    return UserError(
        message or "the capture cannot be read",
        where=str(path),
        remedy="Give a capture of dumpcap, tcpdump or Wireshark: pcapng or pcap, also with gzip.",
    )
