"""Each cause of a late sample, on tables of packets with known answers."""

from __future__ import annotations

import pytest
from late_tables import (
    AT,
    BACK,
    LATE_SEQ,
    MS,
    TCP,
    THERE,
    acknack,
    acknowledgement,
    answer,
    data,
    message,
    numbers,
    packet,
    rtps,
    sample,
    samples,
    segment,
    why,
)

from busmark.plugins.capture.late.explaining import of_round, together
from busmark.plugins.capture.late.samples import choose
from busmark.plugins.capture.late.trace import Counters
from busmark.plugins.capture.late.wire import File, Flow, Wire


def test_a_segment_that_waits_for_a_delayed_acknowledgement_is_named() -> None:
    rows = [
        acknowledgement(1, -5, 900), segment(2, 0.05, 1000), acknowledgement(3, 40.5, 1000),
        message(4, 40.6, 1100, begun_ns=AT + 50_000),
    ]  # fmt: skip
    late = why(rows, samples(), TCP)
    assert late.cause == "delayed-ack" and numbers(late) == [2, 3, 4]
    assert late.wait_ns == round(40.45 * MS)
    assert "packet 4 was held back until packet 3 acknowledged" in late.said


@pytest.mark.parametrize("change", ["prompt", "with data", "acknowledged before", "long after"])
def test_another_wait_is_no_delayed_acknowledgement(change: str) -> None:
    ack = acknowledgement(3, 40.5, 1000)
    before = acknowledgement(1, -5, 900)
    if change == "prompt":
        ack = acknowledgement(3, 0.2, 1000)
    elif change == "with data":
        ack = acknowledgement(3, 40.5, 1000) | {"tcp_bytes": 10, "stream_end": 10}
    elif change == "acknowledged before":
        before = acknowledgement(1, 0.06, 1000)
    else:
        ack = acknowledgement(3, 20.0, 1000)
    rows = [before, segment(2, 0.05, 1000), ack, message(4, 40.6, 1100, begun_ns=AT + 50_000)]
    assert why(rows, samples(), TCP).cause != "delayed-ack"


def test_a_segment_that_was_sent_again_is_named_with_its_first_copy() -> None:
    rows = [
        segment(1, -3, 900), message(2, 0.05, 1000), acknowledgement(3, 0.1, 800),
        segment(4, 45, 900, retransmission=True),
    ]  # fmt: skip
    late = why(rows, samples(), TCP)
    assert late.cause == "tcp-retransmission" and numbers(late) == [1, 4]
    assert late.wait_ns == 45 * MS


def test_a_retransmission_of_later_bytes_or_after_the_reading_is_no_cause() -> None:
    later = [message(2, 0.05, 1000), segment(4, 45, 1100, retransmission=True)]
    after = [message(2, 0.05, 1000), segment(4, 51, 1000, retransmission=True)]
    assert {why(rows, samples(), TCP).cause for rows in (later, after)} == {"in-reader"}


def test_a_message_that_left_behind_earlier_bytes_waited_in_tcp() -> None:
    rows = [
        segment(1, -1, 900), segment(2, 20, 1000), segment(3, 39, 1100), message(4, 40, 1200),
    ]  # fmt: skip
    late = why(rows, samples(), TCP)
    assert late.cause == "tcp-window" and numbers(late) == [2, 3, 4]


def test_a_sample_that_was_asked_for_and_sent_again_is_named() -> None:
    rows = [
        data(1, 0.05), rtps(2, 1, "HEARTBEAT", 500), acknack(3, 1.1, 500),
        data(4, 45, repeated=True),
    ]  # fmt: skip
    late = why(rows, samples())
    assert late.cause == "rtps-retransmission" and numbers(late) == [1, 2, 3, 4]
    assert late.said.startswith("it was sent again in packet 4, because ACKNACK in packet 3")


def test_a_sample_that_waits_for_one_before_it_says_so() -> None:
    rows = [
        data(1, -8, 499), data(2, 0.05), acknack(3, 0.2, 499), data(4, 45, 499, repeated=True),
    ]  # fmt: skip
    late = why(rows, samples())
    assert late.cause == "rtps-retransmission" and late.said.startswith("a sample before it")
    assert late.wait_ns == 45 * MS


def test_a_loss_that_a_late_heartbeat_reveals_is_a_heartbeats_wait() -> None:
    rows = [
        data(1, 0.05), rtps(2, 44, "HEARTBEAT", 500), acknack(3, 44.1, 500),
        data(4, 44.3, repeated=True),
    ]  # fmt: skip
    late = why(rows, samples())
    assert late.cause == "heartbeat-wait"
    assert "only after the HEARTBEAT in packet 2" in late.said


@pytest.mark.parametrize("seq", [501, 499])
def test_a_repetition_that_nobody_asked_for_is_no_retransmission(seq: int) -> None:
    rows = [data(1, 0.05), acknack(3, 1.1, seq), data(4, 45, repeated=True)]
    assert why(rows, samples()).cause not in ("rtps-retransmission", "heartbeat-wait")


def test_a_fragment_that_was_asked_for_again_is_named() -> None:
    own = {"sample_writer": 1, "sample_seq": LATE_SEQ, "answered": 0, "fragments": 2}
    rows = [
        rtps(1, 0.05, "DATA_FRAG", 500, fragment=1, **own),
        rtps(2, 0.06, "DATA_FRAG", 500, fragment=2, fragments=2),
        acknack(3, 1.1, 500) | {"kind": "NACK_FRAG"},
        rtps(4, 45, "DATA_FRAG", 500, fragment=2, fragments=2, repeated=True),
    ]  # fmt: skip
    late = why(rows, samples())
    assert late.cause == "fragment-resent" and numbers(late) == [2, 3, 4]


def test_fragments_far_apart_are_named_first_and_last() -> None:
    own = {"sample_writer": 1, "sample_seq": LATE_SEQ, "answered": 0}
    rows = [
        rtps(1, 0.05, "DATA_FRAG", 500, fragment=1, fragments=3, **own),
        rtps(2, 20, "DATA_FRAG", 500, fragment=2, fragments=3),
        rtps(3, 45, "DATA_FRAG", 500, fragment=3, fragments=3),
    ]  # fmt: skip
    late = why(rows, samples())
    assert late.cause == "fragments" and numbers(late) == [1, 3]


def test_fragments_of_ip_are_those_that_make_the_datagram() -> None:
    piece = {"protocol": "fragment", "wire_bytes": 1514, "flow": None}
    rows = [
        packet(1, 0.01, **piece), packet(2, 0.05, **piece), packet(3, 20, **piece),
        sample(4, 45, wire_bytes=1042, message_bytes=3900),
    ]  # fmt: skip
    late = why(rows, samples())
    assert late.cause == "fragments" and numbers(late) == [2, 4]


def test_fragments_that_complete_nothing_explain_a_lost_sample() -> None:
    piece = {"protocol": "fragment", "wire_bytes": 1514, "flow": None}
    rows = [packet(1, 0.05, **piece), packet(2, 0.06, **piece)]
    files = [File("it", None, "lo", 0, incomplete=1)]
    late = why(rows, samples(None), files=files)
    assert late.cause == "fragments" and numbers(late) == [1, 2] and late.wait_ns is None
    assert why(rows, samples(None)).cause == "unexplained"


def test_a_packet_behind_a_later_one_was_overtaken() -> None:
    late = why([sample(1, 10, LATE_SEQ + 1), sample(2, 49)], samples())
    assert late.cause == "reordering" and numbers(late) == [1, 2]
    segments = [segment(1, 1, 2000, out_of_order=True), message(2, 49, 1000)]
    assert why(segments, samples(), TCP).cause == "reordering"


def test_a_sample_before_the_first_announced_reader_is_named() -> None:
    announced = packet(2, 40, protocol="rtps", kind="DATA", source="r", writer=0x4C2, builtin=True,
                       first_seq=1, last_seq=1, destination="w")  # fmt: skip
    own = packet(1, -5, protocol="rtps", kind="DATA", source="w", writer=0x4C2, builtin=True)
    late = why([own, announced, data(3, 41)], samples())
    assert late.cause == "before-match" and numbers(late) == [2, 3]
    others = [data(9, 100, 501)]
    lost = why([own, announced, *others], samples(None))
    assert lost.cause == "before-match" and numbers(lost) == [2]
    stranger = announced | {"destination": "x"}
    assert why([own, stranger, data(3, 41)], samples()).cause == "in-writer"
    known = announced | {"time_ns": AT - MS}
    assert why([known, data(3, 41)], samples()).cause == "in-writer"


def test_a_captured_packet_that_was_never_read_needs_the_kernels_word() -> None:
    rows = [sample(1, 0.05)]
    late = why(rows, samples(None), counters=Counters(socket_drops=3))
    assert late.cause == "kernel-drop" and numbers(late) == [1]
    assert "dropped 3 datagrams" in late.said
    assert why(rows, samples(None)).cause == "unexplained"
    linked = why(rows, samples(None), counters=Counters(link_loss="3%"))
    assert linked.cause == "lab-link" and "3%" in linked.said


def test_on_loopback_a_sample_that_is_asked_for_again_was_dropped_by_the_kernel() -> None:
    rows = [data(1, 0.05), acknack(3, 1.1, 500), data(4, 45, repeated=True)]
    assert why(rows, samples(), counters=Counters(socket_drops=1)).cause == "kernel-drop"
    eth = [File("it", None, "eth0")]
    late = why(rows, samples(), counters=Counters(socket_drops=1), files=eth)
    assert late.cause == "rtps-retransmission"


def test_a_stay_in_an_agent_is_between_its_two_packets() -> None:
    flows = (Flow(0, "udp", THERE, "10.0.0.9:2018"), Flow(0, "udp", "10.0.0.9:7000", BACK))
    into = sample(1, 0.05) | {"protocol": "xrce", "kind": "WRITE_DATA"}
    late = why([into, data(2, 49, flow=1)], samples(), flows)
    assert late.cause == "in-relay" and numbers(late) == [1, 2]
    assert "with packet 1 and out with packet 2" in late.said


def test_the_same_packet_on_two_hosts_measures_the_link() -> None:
    flows = (Flow(0, "udp", THERE, BACK), Flow(1, "udp", THERE, BACK))
    files = [File("n1", "n1", "lan0"), File("n2", "n2", "lan0")]
    rows = [data(1, 0.05), data(7, 49, flow=1, file=1)]
    late = why(rows, samples(), flows, files=files)
    assert late.cause == "on-link" and numbers(late) == [1, 7]


@pytest.mark.parametrize(
    ("at_ms", "late", "cause"),
    [(0.05, {}, "in-reader"), (49.9, {}, "in-writer"),
     (49.9, {"intended_ns": AT - 100 * MS}, "written-late")],
)  # fmt: skip
def test_without_a_cause_on_the_wire_the_part_of_the_way_is_named(
    at_ms: float, late: dict[str, int], cause: str
) -> None:
    found = why([sample(1, at_ms)], samples(**late))
    assert found.cause == cause and numbers(found) == [1]


def test_a_slow_answer_is_the_answerers() -> None:
    table = samples(role="pinger", echo_delivered_ns=AT + MS, echo_sent_ns=AT + 48 * MS)
    found = why([sample(1, 0.05), answer(2, 49)], table)
    assert found.cause == "in-answerer" and numbers(found) == [1, 2]
    back = why([sample(1, 0.05), answer(2, 0.09)], samples(role="pinger"))
    assert back.cause == "in-reader"


def test_a_sample_without_packets_stays_unexplained() -> None:
    late = why([sample(1, 0.05, LATE_SEQ + 1)], samples())
    assert late.cause == "unexplained" and late.said == "no packet has it" and not late.evidence


def test_packets_of_a_warm_up_with_the_same_number_are_not_the_samples() -> None:
    late = why([sample(1, -2000), sample(2, 0.05)], samples())
    assert numbers(late) == [2]


def test_packets_to_several_readers_are_not_distinguished() -> None:
    flows = (Flow(0, "tcp", THERE, BACK), Flow(0, "tcp", "10.0.0.1:40001", "10.0.0.3:50000"))
    rows = [message(1, 0.05, 100), message(2, 0.06, 100, flow=1)]
    late = why(rows, samples(), flows)
    assert late.cause == "unexplained" and "several readers" in late.said


def test_a_short_wait_does_not_explain_a_long_delay() -> None:
    rows = [data(1, 0.05), acknack(3, 1.1, 500), data(4, 10, repeated=True)]
    assert why(rows, samples()).cause == "in-reader"


def test_discovery_is_noted_beside_and_is_no_cause() -> None:
    found = packet(5, 20, protocol="rtps", kind="DATA", source="x", writer=0x100C2, builtin=True)
    late = why([sample(1, 0.05), found], samples())
    assert late.cause == "in-reader" and late.discovery is not None
    assert late.discovery.packet == 5


def test_counts_of_a_case_agree_with_its_samples() -> None:
    rows = [data(1, 0.05), acknack(3, 1.1, 500), data(4, 45, repeated=True)]
    found = of_round(3, choose(3, samples()), Wire.of(rows, [Flow(0, "udp", THERE, BACK)] * 2))
    all_of = together("a", [found], [], 10)
    assert all_of.samples == 200 and all_of.late == all_of.examined_late == 1
    (share,) = all_of.causes
    assert share.cause == "rtps-retransmission" and share.late == 1 and share.lost == 0
    assert share.least_ns == share.most_ns == 50 * MS
    assert all_of.worst[0].round == 3


def test_a_sample_that_is_sent_again_in_fragments_is_the_sample() -> None:
    again = {"fragment": 1, "fragments": 2, "sample_writer": None, "sample_seq": None}
    rows = [data(1, 0.05), data(2, 10), acknack(3, 1.1, 500),
            data(4, 45, **again) | {"kind": "DATA_FRAG"}]  # fmt: skip
    late = why(rows, samples())
    assert late.cause == "rtps-retransmission" and numbers(late) == [1, 3, 4]
