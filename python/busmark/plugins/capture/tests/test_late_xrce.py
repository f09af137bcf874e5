"""Late samples of DDS-XRCE: on tables with known answers, and on what eProsima's client sent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from late_tables import BACK, LATE_SEQ, MS, ONE_WAY, THERE, numbers, packet, samples, why

from busmark.plugins.capture.late.explaining import of_round
from busmark.plugins.capture.late.reading import read_round
from busmark.plugins.capture.late.samples import choose
from busmark.plugins.capture.late.trace import Counters
from busmark.plugins.capture.late.wire import File, Flow, Wire
from busmark.store import polars_schema

KEPT = Path(__file__).parents[5] / "crates/busmark-packets/tests/data"
AGENT = "10.0.0.9:2018"
THROUGH = (
    Flow(0, "udp", THERE, AGENT), Flow(0, "udp", AGENT, THERE), Flow(0, "udp", AGENT, BACK),
)  # fmt: skip
"""From a client to the agent, the way back, and on to another client."""


def xrce(number: int, at_ms: float, kind: str, first: int, **columns: Any) -> dict[str, Any]:
    return packet(number, at_ms, protocol="xrce", kind=kind, session=0x81, stream=0x80,
                  **{"first_seq": first, "last_seq": first, **columns})  # fmt: skip


def write(number: int, at_ms: float, message: int = 30, **columns: Any) -> dict[str, Any]:
    """WRITE_DATA of the late sample, which is message 30 of its stream, or of another."""
    own = {"sample_writer": 1, "sample_seq": LATE_SEQ + message - 30, "answered": 0}
    return xrce(number, at_ms, "WRITE_DATA", message, **{**own, **columns})


def passed_on(number: int, at_ms: float) -> dict[str, Any]:
    """The late sample, from the agent to the other client."""
    return xrce(number, at_ms, "DATA", 7, flow=2, sample_writer=1, sample_seq=LATE_SEQ, answered=0)


def acknack(number: int, at_ms: float, first: int, asked: int = 1) -> dict[str, Any]:
    """The other end asks for these, the first one is the lowest bit."""
    return xrce(number, at_ms, "ACKNACK", first, last_seq=first - 1, asked=asked,
                missing=asked.bit_count(), flow=1)  # fmt: skip


def heartbeat(number: int, at_ms: float, first: int, last: int) -> dict[str, Any]:
    return xrce(number, at_ms, "HEARTBEAT", first, last_seq=last)


def test_a_message_that_was_asked_for_and_sent_again_is_named() -> None:
    rows = [write(1, 0.05), heartbeat(2, 1, 29, 30), acknack(3, 1.1, 30),
            write(4, 45, repeated=True)]  # fmt: skip
    late = why(rows, samples())
    assert late.cause == "xrce-retransmission" and numbers(late) == [1, 2, 3, 4]
    assert late.said == "it was sent again in packet 4, after ACKNACK in packet 3 had asked for it"
    assert late.wait_ns == round(44.95 * MS)


def test_a_heartbeat_for_which_it_waited_longest_is_named() -> None:
    rows = [write(1, 0.05), heartbeat(2, 44, 29, 30), acknack(3, 44.1, 30), write(4, 45)]
    late = why(rows, samples())
    assert late.said.endswith("most of the time passed before the HEARTBEAT in packet 2")
    other = why([rows[0], heartbeat(2, 44, 28, 29), *rows[2:]], samples())
    assert "HEARTBEAT" not in other.said and numbers(other) == [1, 3, 4]


def test_a_message_before_it_in_its_stream_is_named_with_both_numbers() -> None:
    # Some senders repeat what follows as well; only the one was asked for.
    rows = [write(1, -8, 29), write(2, 0.05), acknack(3, 0.2, 28, 0b10), write(4, 45, 29),
            write(5, 45.1)]  # fmt: skip
    late = why(rows, samples())
    assert late.cause == "xrce-retransmission" and numbers(late) == [1, 3, 4]
    assert late.said.startswith("message 29 of its stream, before its own message 30, was sent")
    assert late.wait_ns == 45 * MS


def test_a_fragment_that_was_asked_for_is_named() -> None:
    rows = [xrce(1, 0.05, "FRAGMENT", 29), write(2, 0.06, 30, first_seq=29, last_seq=30,
            sample_seq=LATE_SEQ), acknack(3, 1, 29), xrce(4, 45, "FRAGMENT", 29)]  # fmt: skip
    late = why(rows, samples())
    assert late.cause == "xrce-retransmission" and numbers(late) == [1, 3, 4]
    assert late.said.startswith("a fragment of it was sent again in packet 4")


@pytest.mark.parametrize(
    "change", ["not asked", "another bit", "later", "session", "stream", "flow", "best effort"]
)
def test_another_repetition_is_no_retransmission(change: str) -> None:
    first, ask, again = write(1, 0.05), acknack(3, 1.1, 30), write(4, 45)
    if change == "not asked":
        ask = acknack(3, 1.1, 31, 0)
    elif change == "another bit":
        ask = acknack(3, 1.1, 29, 0b101)
    elif change == "later":
        again = write(4, 45, 31)
    elif change == "best effort":
        first, ask, again = (each | {"stream": 1} for each in (first, ask, again))
    else:
        ask[change] = {"session": 0x82, "stream": 0x81, "flow": 0}[change]
    assert not why([first, ask, again], samples()).cause.startswith("xrce")


def test_what_was_asked_for_again_on_loopback_the_kernel_dropped() -> None:
    rows = [write(1, 0.05), acknack(3, 1.1, 30), write(4, 45)]
    late = why(rows, samples(), counters=Counters(socket_drops=2))
    assert late.cause == "kernel-drop" and "dropped 2 datagrams" in late.said
    eth = [File("it", None, "eth0")]
    late = why(rows, samples(), counters=Counters(socket_drops=2), files=eth)
    assert late.cause == "xrce-retransmission"


def test_a_stay_in_an_agent_begins_with_what_the_stream_lacked() -> None:
    on = passed_on(6, 49)
    lost = [write(1, 0.05), acknack(3, 5, 30), write(4, 10), on]
    late = why(lost, samples(), THROUGH)
    assert late.cause == "in-relay" and numbers(late) == [4, 6] and late.wait_ns == 39 * MS
    before = [write(1, -8, 29), write(2, 0.05), acknack(3, 5, 29), write(4, 10, 29), on]
    late = why(before, samples(), THROUGH)
    assert late.cause == "in-relay" and numbers(late) == [2, 4, 6] and late.wait_ns == 39 * MS
    assert "what its stream lacked with packet 4" in late.said
    # A copy that left after the agent had passed the sample on is no cause.
    spurious = [write(1, 0.05), acknack(3, 5, 30), passed_on(4, 10), write(6, 45)]
    assert not why(spurious, samples(), THROUGH).cause.startswith("xrce")


def test_a_lost_sample_whose_message_is_asked_for_and_not_repeated_is_named() -> None:
    rows = [write(1, -8, 29), write(2, 0.05), acknack(3, 5, 29), acknack(4, 50, 29),
            acknack(5, 90, 29)]  # fmt: skip
    link = Counters(link_loss="4%")
    late = why(rows, samples(None), counters=link)
    assert late.cause == "xrce-unrepeated" and numbers(late) == [1, 3, 5]
    assert late.said == (
        "message 29 of its stream, before its own message 30, was sent in packet 1 alone; ACKNACK "
        "in packet 3 and 2 more, up to packet 5, asked for it, and the capture has no second copy"
    )
    assert late.also == ["lab-link"] and late.wait_ns is None
    repeated = [*rows, write(6, 95, 29)]
    assert why(repeated, samples(None), counters=link).cause == "lab-link"
    never_sent = rows[1:]
    assert why(never_sent, samples(None), counters=link).cause == "lab-link"
    gone_on = [*rows, passed_on(7, 60)]
    assert why(gone_on, samples(None), THROUGH, counters=link).cause == "lab-link"
    later = [write(2, 0.05), acknack(3, 5, 31), write(4, 6, 31)]
    assert why(later, samples(None), ONE_WAY, counters=link).cause == "lab-link"


def test_two_agents_on_one_host_are_one_way() -> None:
    # From a client to one agent, to another agent, and to another client: not several readers.
    one, two, rtps = "127.0.0.1:2018", "127.0.0.1:2019", "127.0.0.1:7411"
    there, back = "127.0.0.1:40000", "127.0.0.1:50000"
    flows = (Flow(0, "udp", there, one), Flow(0, "udp", one, there), Flow(0, "udp", two, back),
             Flow(0, "udp", "127.0.0.1:60000", rtps))  # fmt: skip
    between = packet(2, 0.1, protocol="rtps", kind="DATA", flow=3, source="aa", writer=0x103,
                     last_seq=5, sample_writer=1, sample_seq=LATE_SEQ, answered=0)  # fmt: skip
    rows = [write(1, 0.05), between, passed_on(3, 49.5)]
    (late,) = of_round(0, choose(0, samples()), Wire.of(rows, flows)).late
    assert late.cause == "in-relay" and numbers(late) == [2, 3]


def test_what_eprosimas_client_sent_again_is_named_with_its_packets() -> None:
    """The agent ignored every tenth WRITE_DATA after it had been captured."""
    path = KEPT / "D2-udp-r-50-droprx.pcapng"
    clocks = pl.DataFrame({"node": [None], "monotonic_ns": [0], "realtime_ns": [0],
                           "realtime_bound_ns": [0]})  # fmt: skip
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
        [{"role": "receiver", "participant": "p", "writer": 1, "seq": each["seq"], "flags": 0,
          "sent_ns": each["sent_ns"], "read_ns": each["received_ns"]} for each in truth],
        schema={**polars_schema("samples")},
    )  # fmt: skip
    found = of_round(0, choose(0, table), Wire(named, read.flows, read.files))
    again = {late.seq: numbers(late) for late in found.late if late.cause == "xrce-retransmission"}
    assert sorted(again) == [4, 12, 20, 28, 36, 44]
    assert again[4] == [99, 101, 102] and again[12] == [149, 151, 152]
    assert {late.seq for late in found.late if late.latency_ns and late.latency_ns > 20 * MS} == {
        *again
    }
