"""Late samples of DDS-XRCE: on tables with known answers, and on what eProsima's client sent."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from late_tables import (
    BACK,
    LATE_SEQ,
    MS,
    ONE_WAY,
    THERE,
    explained,
    numbers,
    packet,
    samples,
    why,
)
from seams import reviewed

from busmark.plugins.capture.late.explaining import of_round
from busmark.plugins.capture.late.model import Late
from busmark.plugins.capture.late.reading import read_round
from busmark.plugins.capture.late.trace import Counters, choose
from busmark.plugins.capture.late.wire import File, Flow, Wire
from busmark.store import polars_schema

KEPT = Path(__file__).parents[5] / "crates/busmark-packets/tests/data"
AGENT = "10.0.0.9:2018"
THROUGH = (Flow(0, "udp", THERE, AGENT), Flow(0, "udp", AGENT, THERE), Flow(0, "udp", AGENT, BACK))
"""From a client to the agent, the way back, and on to another client."""


def xrce(number: int, at_ms: float, kind: str, first: int, **columns: Any) -> dict[str, Any]:
    return packet(
        number,
        at_ms,
        protocol="xrce",
        kind=kind,
        session=0x81,
        stream=0x80,
        **{"first_seq": first, "last_seq": first, **columns},
    )


def write(number: int, at_ms: float, message: int = 30, **columns: Any) -> dict[str, Any]:
    """Return the row of WRITE_DATA of the late sample, message 30 of its stream, or of another."""
    own = {"sample_writer": 1, "sample_seq": LATE_SEQ + message - 30, "answered": 0}
    return xrce(number, at_ms, "WRITE_DATA", message, **{**own, **columns})


def passed_on(number: int, at_ms: float) -> dict[str, Any]:
    """Return the row of the late sample, from the agent to the other client."""
    return xrce(number, at_ms, "DATA", 7, flow=2, sample_writer=1, sample_seq=LATE_SEQ, answered=0)


def acknack(number: int, at_ms: float, first: int, asked: int = 1) -> dict[str, Any]:
    """Return the row in which the other end asks for these; the first one is the lowest bit."""
    return xrce(
        number,
        at_ms,
        "ACKNACK",
        first,
        last_seq=first - 1,
        asked=asked,
        missing=asked.bit_count(),
        flow=1,
    )


def heartbeat(number: int, at_ms: float, first: int, last: int) -> dict[str, Any]:
    return xrce(number, at_ms, "HEARTBEAT", first, last_seq=last)


ASKED = [write(1, 0.05), acknack(3, 1.1, 30), write(4, 45)]
"""It was asked for, and sent again."""
LACKING = [write(1, -8, 29), write(2, 0.05), acknack(3, 5, 29)]
"""A message before it was asked for."""
UNREPEATED = [*LACKING, acknack(4, 50, 29), acknack(5, 90, 29)]
LINK = Counters(link_loss="4%")


def other(which: int, **columns: Any) -> Late:
    """Explain the late sample with other columns in a row of `ASKED`."""
    rows = [*ASKED]
    rows[which] = rows[which] | columns
    return why(rows, samples())


CASES: dict[str, Callable[[], Late]] = {
    "a message that was asked for and sent again":
        lambda: why([write(1, 0.05), heartbeat(2, 1, 29, 30), acknack(3, 1.1, 30),
                     write(4, 45, repeated=True)], samples()),
    "a heartbeat for which it waited longest":
        lambda: why([write(1, 0.05), heartbeat(2, 44, 29, 30), acknack(3, 44.1, 30),
                     write(4, 45)], samples()),
    "a heartbeat of messages before it":
        lambda: why([write(1, 0.05), heartbeat(2, 44, 28, 29), acknack(3, 44.1, 30),
                     write(4, 45)], samples()),
    # Some senders repeat what follows as well; only the one was asked for.
    "a message before it in its stream":
        lambda: why([write(1, -8, 29), write(2, 0.05), acknack(3, 0.2, 28, 0b10),
                     write(4, 45, 29), write(5, 45.1)], samples()),
    "a fragment that was asked for":
        lambda: why([xrce(1, 0.05, "FRAGMENT", 29),
                     write(2, 0.06, 30, first_seq=29, last_seq=30, sample_seq=LATE_SEQ),
                     acknack(3, 1, 29), xrce(4, 45, "FRAGMENT", 29)], samples()),
    "not asked for": lambda: why([ASKED[0], acknack(3, 1.1, 31, 0), ASKED[2]], samples()),
    "another bit asked for":
        lambda: why([ASKED[0], acknack(3, 1.1, 29, 0b101), ASKED[2]], samples()),
    "a later one sent again": lambda: why([*ASKED[:2], write(4, 45, 31)], samples()),
    "another session asked": lambda: other(1, session=0x82),
    "another stream asked": lambda: other(1, stream=0x81),
    "another flow asked": lambda: other(1, flow=0),
    "best effort": lambda: why([each | {"stream": 1} for each in ASKED], samples()),
    "asked for on loopback where the socket dropped":
        lambda: why(ASKED, samples(), counters=Counters(socket_drops=2)),
    "asked for on Ethernet where the socket dropped":
        lambda: why(ASKED, samples(), counters=Counters(socket_drops=2),
                    files=[File("it", None, "eth0")]),
    "a stay in an agent that had asked for it":
        lambda: why([write(1, 0.05), acknack(3, 5, 30), write(4, 10), passed_on(6, 49)], samples(),
                    THROUGH),
    "a stay in an agent that had asked for one before it":
        lambda: why([*LACKING, write(4, 10, 29), passed_on(6, 49)], samples(), THROUGH),
    "a copy that left after the agent had passed it on":
        lambda: why([write(1, 0.05), acknack(3, 5, 30), passed_on(4, 10), write(6, 45)], samples(),
                    THROUGH),
    "lost, asked for and not repeated":
        lambda: why(UNREPEATED, samples(None), counters=LINK),
    "lost, asked for and repeated":
        lambda: why([*UNREPEATED, write(6, 95, 29)], samples(None), counters=LINK),
    "lost, asked for and never sent":
        lambda: why(UNREPEATED[1:], samples(None), counters=LINK),
    "lost, asked for and passed on":
        lambda: why([*UNREPEATED, passed_on(7, 60)], samples(None), THROUGH, counters=LINK),
    "lost, and a later one asked for":
        lambda: why([write(2, 0.05), acknack(3, 5, 31), write(4, 6, 31)], samples(None), ONE_WAY,
                    counters=LINK),
}  # fmt: skip


def test_causes_are_as_reviewed() -> None:
    lines = [f"{name}: {explained(late())}\n" for name, late in CASES.items()]
    reviewed(Path(__file__).parent / "golden" / "late-xrce.txt", "".join(lines))


def test_two_agents_on_one_host_are_one_way() -> None:
    # From a client to one agent, to another agent, and to another client: not several readers.
    one, two, rtps = "127.0.0.1:2018", "127.0.0.1:2019", "127.0.0.1:7411"
    there, back = "127.0.0.1:40000", "127.0.0.1:50000"
    flows = (
        Flow(0, "udp", there, one),
        Flow(0, "udp", one, there),
        Flow(0, "udp", two, back),
        Flow(0, "udp", "127.0.0.1:60000", rtps),
    )
    between = packet(
        2,
        0.1,
        protocol="rtps",
        kind="DATA",
        flow=3,
        source="aa",
        writer=0x103,
        last_seq=5,
        sample_writer=1,
        sample_seq=LATE_SEQ,
        answered=0,
    )
    rows = [write(1, 0.05), between, passed_on(3, 49.5)]
    (late,) = of_round(0, choose(0, samples()), Wire.from_rows(rows, flows)).late
    assert late.cause == "in-relay" and numbers(late) == [2, 3]


@pytest.mark.usefixtures("captures_can_be_read")
def test_what_eprosimas_client_sent_again_is_named_with_its_packets() -> None:
    """The agent ignored every tenth WRITE_DATA after it had been captured."""
    path = KEPT / "D2-udp-r-50-droprx.pcapng"
    clocks = pl.DataFrame(
        {"node": [None], "monotonic_ns": [0], "realtime_ns": [0], "realtime_bound_ns": [0]}
    )
    read = read_round([(path, None, "lo")], "0" * 16, clocks)
    # Its samples are not Busmark's: message n of the writer's stream is sample n.
    to_agent = [n for n, flow in enumerate(read.flows) if flow.destination.endswith(":2018")]
    own = (pl.col("kind") == "WRITE_DATA") & pl.col("flow").is_in(to_agent)
    named = read.rows.with_columns(
        pl.when(own).then(value).alias(name) for name, value in (
            ("sample_writer", pl.lit(1, pl.Int64)), ("sample_seq", pl.col("last_seq")),
            ("answered", pl.lit(0, pl.Int64)))
    )  # fmt: skip
    truth = [json.loads(line) for line in path.with_suffix(".truth.jsonl").open()]
    table = pl.DataFrame(
        [
            {
                "role": "receiver",
                "participant": "p",
                "writer": 1,
                "seq": each["seq"],
                "flags": 0,
                "sent_ns": each["sent_ns"],
                "read_ns": each["received_ns"],
            }
            for each in truth
        ],
        schema={**polars_schema("samples")},
    )
    found = of_round(0, choose(0, table), Wire(named, read.flows, read.files))
    again = {late.seq: numbers(late) for late in found.late if late.cause == "xrce-retransmission"}
    # Six of fifty, which are more than the latest twentieth of the round.
    assert len(again) == 6 and found.again == 3
    assert again[4] == [99, 101, 102] and again[12] == [149, 151, 152]
    assert {late.seq for late in found.late if late.latency_ns and late.latency_ns > 20 * MS} == {
        *again
    }
