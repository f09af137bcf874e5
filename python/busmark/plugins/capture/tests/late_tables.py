"""Tables of packets and samples with known answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from busmark.plugins.capture.late.explaining import of_round
from busmark.plugins.capture.late.model import Late
from busmark.plugins.capture.late.trace import Counters, choose
from busmark.plugins.capture.late.wire import File, Flow, Wire
from busmark.store import polars_schema

MS = 1_000_000
LATE_SEQ = 150
"""The sample that is late, between others that take 0.1 ms; one every 10 ms."""
COUNT = 200
STEP = 10 * MS
THERE, BACK = "10.0.0.1:40000", "10.0.0.2:50000"
ONE_WAY = (Flow(0, "udp", THERE, BACK), Flow(0, "udp", BACK, THERE))
TCP = (Flow(0, "tcp", THERE, BACK), Flow(0, "tcp", BACK, THERE))
ENTITY = 0x103


def sent(seq: int) -> int:
    """Return the time at which a sample was written, in nanoseconds."""
    return 1_000 * MS + seq * STEP


AT = sent(LATE_SEQ)


def samples(
    latency_ms: float | None = 50.0, *, role: str = "receiver", **late: Any
) -> pl.DataFrame:
    """Return all samples of a round; the late one has this latency and the columns `late`."""
    rows = []
    for seq in range(COUNT):
        begin = sent(seq)
        row: dict[str, Any] = {
            "role": role,
            "participant": "p",
            "writer": 1,
            "reader": 2,
            "seq": seq,
            "intended_ns": begin,
            "sent_ns": begin,
            "read_ns": begin + MS // 10,
            "flags": 0,
        }
        if role != "receiver":
            row |= {
                "reader": None,
                "echo_delivered_ns": begin + 40_000,
                "echo_sent_ns": begin + 50_000,
            }
        if seq == LATE_SEQ:
            row["read_ns"] = None if latency_ms is None else begin + int(latency_ms * MS)
            row |= late
        rows.append(row)
    return pl.DataFrame(rows, schema={**polars_schema("samples")})


def packet(number: int, at_ms: float, **columns: Any) -> dict[str, Any]:
    """Return a packet's row, at this time after the write of the late sample."""
    row = {"file": 0, "part": 0, "flow": 0, "wire_bytes": 200, **columns}
    return {**row, "packet": number, "time_ns": AT + round(at_ms * MS)}


def sample(number: int, at_ms: float, seq: int = LATE_SEQ, **columns: Any) -> dict[str, Any]:
    """Return the row of a datagram with a sample of Busmark's."""
    return packet(
        number,
        at_ms,
        protocol="busmark",
        kind="SAMPLE",
        sample_writer=1,
        sample_seq=seq,
        answered=0,
        **columns,
    )


def answer(number: int, at_ms: float, seq: int = LATE_SEQ, **columns: Any) -> dict[str, Any]:
    """Return the row of a datagram with the answer to a sample."""
    return sample(number, at_ms, seq, **{"flow": 1, **columns}) | {
        "sample_writer": 2,
        "answered": 1,
    }


def segment(number: int, at_ms: float, end: int, size: int = 100, **columns: Any) -> dict[str, Any]:
    """Return the row of a TCP segment that ends at this place of its stream."""
    known = {"protocol": "tcp", "retransmission": False, "out_of_order": False, **columns}
    return packet(number, at_ms, tcp_bytes=size, stream_end=end, **known)


def message(number: int, at_ms: float, end: int, **columns: Any) -> dict[str, Any]:
    """Return the row of a segment that completes the message of the late sample."""
    row = segment(number, at_ms, end, **columns)
    return row | {
        "protocol": "busmark",
        "kind": "SAMPLE",
        "sample_writer": 1,
        "sample_seq": LATE_SEQ,
        "answered": 0,
    }


def acknowledgement(number: int, at_ms: float, acked: int, **columns: Any) -> dict[str, Any]:
    """Return the row of a packet of the other side, without data."""
    return packet(number, at_ms, protocol="tcp", tcp_bytes=0, acked=acked, **{"flow": 1, **columns})


def rtps(number: int, at_ms: float, kind: str, seq: int, **columns: Any) -> dict[str, Any]:
    """Return the row of a submessage of the writer."""
    return packet(
        number,
        at_ms,
        protocol="rtps",
        kind=kind,
        source="w",
        writer=ENTITY,
        first_seq=seq,
        last_seq=seq,
        builtin=False,
        **columns,
    )


def data(number: int, at_ms: float, seq: int = 500, **columns: Any) -> dict[str, Any]:
    """Return the row of DATA of the late sample, or of another by `seq`."""
    own = {"sample_writer": 1, "sample_seq": seq - 500 + LATE_SEQ, "answered": 0}
    return rtps(number, at_ms, "DATA", seq, **{"repeated": False, **own, **columns})


def acknack(number: int, at_ms: float, seq: int, last: int | None = None) -> dict[str, Any]:
    """Return the row in which the reader asks for the samples from `seq` to `last`."""
    return packet(
        number,
        at_ms,
        protocol="rtps",
        kind="ACKNACK",
        source="r",
        destination="w",
        writer=ENTITY,
        first_seq=seq,
        last_seq=last or seq,
        missing=1,
        builtin=False,
        flow=1,
    )


def why(
    rows: Sequence[dict[str, Any]],
    table: pl.DataFrame,
    flows: Sequence[Flow] = ONE_WAY,
    counters: Counters | None = None,
    files: Sequence[File] = (),
    foreign: Sequence[str] = (),
) -> Late:
    """Explain the late sample."""
    wire = Wire.from_rows(rows, flows, files, foreign)
    found = of_round(0, choose(0, table), wire, counters)
    (late,) = [each for each in found.late if each.seq == LATE_SEQ]
    return late


def numbers(late: Late) -> list[int]:
    """Return the numbers of the packets that are evidence."""
    return [each.packet for each in late.evidence]


def explained(late: Late) -> str:
    """Return all that is said of the late sample."""
    wait = "" if late.wait_ns is None else f", {late.wait_ns / MS:g} ms"
    also = f", also {', '.join(late.also)}" if late.also else ""
    beside = f", discovery in packet {late.discovery.packet}" if late.discovery else ""
    return f"{late.cause}, packets {numbers(late)}{wait}{also}{beside}: {late.said}"
