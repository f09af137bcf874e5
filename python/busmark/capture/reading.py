"""Runs `busmark-packets` and reads its table."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from busmark.adapters import packets as program
from busmark.errors import UserError

COLUMNS = (
    "packet", "part", "time_ns", "begun_ns", "flow", "protocol", "wire_bytes", "kind", "source",
    "destination", "writer", "reader", "builtin", "stream", "first_seq", "last_seq", "fragments",
    "payload_bytes", "payload_hash", "repeated", "tcp_bytes", "stream_end", "acked",
    "retransmission", "out_of_order",
)  # fmt: skip
"""What the analysis reads of the table."""
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
    counts: pl.DataFrame
    """Rows by kind, discovery or not, and flow: all of them."""

    def kind(self, protocol: str, name: str) -> int:
        """Number of a kind of submessage."""
        first = {"rtps": range(256), "xrce": range(256, 512)}[protocol]
        kinds = {int(number): kind for number, kind in self.summary["kinds"].items()}
        return next(number for number in first if kinds.get(number) == name)

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
        said = (pl.col("part") == 0) | ~silent
        # Piece by piece: the pages of the file that are in memory count as well.
        rows = pl.concat(
            pl.scan_ipc(table).slice(start, PIECE).filter(said).select(COLUMNS).collect()
            for start in range(0, max(summary["rows"], 1), PIECE)
        )
    if summary["noticed"]["earlier_packets"]:
        rows = rows.sort("time_ns", maintain_order=True)
    return Packets(summary, rows, counts)


def _unusable(path: Path, told: str) -> UserError:
    message = told.strip().removeprefix("busmark-packets: ").removeprefix(f"{path}: ")
    return UserError(
        message or "the capture cannot be read",
        where=str(path),
        remedy="Give a capture of dumpcap, tcpdump or Wireshark: pcapng or pcap, also with gzip.",
    )
