"""Each cause of a late sample, on tables of packets with known answers, which are reviewed in
`golden/late.txt`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

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
    explained,
    message,
    packet,
    rtps,
    sample,
    samples,
    segment,
    why,
)
from seams import reviewed

from busmark.plugins.capture.late.explaining import of_round, together
from busmark.plugins.capture.late.model import Late
from busmark.plugins.capture.late.trace import Counters, choose
from busmark.plugins.capture.late.wire import File, Flow, Wire

OWN: dict[str, Any] = {"sample_writer": 1, "sample_seq": LATE_SEQ, "answered": 0}
PIECE: dict[str, Any] = {"protocol": "fragment", "wire_bytes": 1514, "flow": None}
ETH = [File("it", None, "eth0")]
AGAIN = [data(1, 0.05), acknack(3, 1.1, 500), data(4, 45, repeated=True)]
"""A sample that was asked for, and sent again."""
ANNOUNCED = packet(
    2,
    40,
    protocol="rtps",
    kind="DATA",
    source="r",
    writer=0x4C2,
    builtin=True,
    first_seq=1,
    last_seq=1,
    destination="w",
)
WRITER = packet(1, -5, protocol="rtps", kind="DATA", source="w", writer=0x4C2, builtin=True)
AGENT = (Flow(0, "udp", THERE, "10.0.0.9:2018"), Flow(0, "udp", "10.0.0.9:7000", BACK))
LINK = (Flow(0, "udp", THERE, BACK), Flow(1, "udp", THERE, BACK))
HOSTS = [File("n1", "n1", "lan0"), File("n2", "n2", "lan0")]
READERS = (Flow(0, "tcp", THERE, BACK), Flow(0, "tcp", "10.0.0.1:40001", "10.0.0.3:50000"))


def delayed(ack: dict[str, Any], before: dict[str, Any]) -> Late:
    """Explain a message whose second segment left after an acknowledgement."""
    rows = [before, segment(2, 0.05, 1000), ack, message(4, 40.6, 1100, begun_ns=AT + 50_000)]
    return why(rows, samples(), TCP)


CASES: dict[str, Callable[[], Late]] = {
    "a segment that waits for a delayed acknowledgement":
        lambda: delayed(acknowledgement(3, 40.5, 1000), acknowledgement(1, -5, 900)),
    "a prompt acknowledgement":
        lambda: delayed(acknowledgement(3, 0.2, 1000), acknowledgement(1, -5, 900)),
    "an acknowledgement with data":
        lambda: delayed(acknowledgement(3, 40.5, 1000) | {"tcp_bytes": 10, "stream_end": 10},
                        acknowledgement(1, -5, 900)),
    "acknowledged before":
        lambda: delayed(acknowledgement(3, 40.5, 1000), acknowledgement(1, 0.06, 1000)),
    "acknowledged long before it left":
        lambda: delayed(acknowledgement(3, 20.0, 1000), acknowledgement(1, -5, 900)),
    "a segment that was sent again, with its first copy":
        lambda: why([segment(1, -3, 900), message(2, 0.05, 1000), acknowledgement(3, 0.1, 800),
                     segment(4, 45, 900, retransmission=True)], samples(), TCP),
    "a retransmission of later bytes":
        lambda: why([message(2, 0.05, 1000), segment(4, 45, 1100, retransmission=True)],
                    samples(), TCP),
    "a retransmission after the reading":
        lambda: why([message(2, 0.05, 1000), segment(4, 51, 1000, retransmission=True)],
                    samples(), TCP),
    "a message that left behind earlier bytes":
        lambda: why([segment(1, -1, 900), segment(2, 20, 1000), segment(3, 39, 1100),
                     message(4, 40, 1200)], samples(), TCP),
    "a sample that was asked for and sent again":
        lambda: why([data(1, 0.05), rtps(2, 1, "HEARTBEAT", 500), *AGAIN[1:]], samples()),
    "a sample that waits for one before it":
        lambda: why([data(1, -8, 499), data(2, 0.05), acknack(3, 0.2, 499),
                     data(4, 45, 499, repeated=True)], samples()),
    "a loss that a late heartbeat reveals":
        lambda: why([data(1, 0.05), rtps(2, 44, "HEARTBEAT", 500), acknack(3, 44.1, 500),
                     data(4, 44.3, repeated=True)], samples()),
    **{f"a repetition where {seq} was asked for":
       lambda seq=seq: why([AGAIN[0], acknack(3, 1.1, seq), AGAIN[2]], samples())
       for seq in (501, 499)},
    "a fragment that was asked for again":
        lambda: why([rtps(1, 0.05, "DATA_FRAG", 500, fragment=1, fragments=2, **OWN),
                     rtps(2, 0.06, "DATA_FRAG", 500, fragment=2, fragments=2),
                     acknack(3, 1.1, 500) | {"kind": "NACK_FRAG"},
                     rtps(4, 45, "DATA_FRAG", 500, fragment=2, fragments=2, repeated=True)],
                    samples()),
    "fragments far apart":
        lambda: why([rtps(1, 0.05, "DATA_FRAG", 500, fragment=1, fragments=3, **OWN),
                     rtps(2, 20, "DATA_FRAG", 500, fragment=2, fragments=3),
                     rtps(3, 45, "DATA_FRAG", 500, fragment=3, fragments=3)], samples()),
    "fragments of IP":
        lambda: why([packet(1, 0.01, **PIECE), packet(2, 0.05, **PIECE), packet(3, 20, **PIECE),
                     sample(4, 45, wire_bytes=1042, message_bytes=3900)], samples()),
    "lost, with fragments that complete nothing":
        lambda: why([packet(1, 0.05, **PIECE), packet(2, 0.06, **PIECE)], samples(None),
                    files=[File("it", None, "lo", 0, incomplete=1)]),
    "lost, with fragments":
        lambda: why([packet(1, 0.05, **PIECE), packet(2, 0.06, **PIECE)], samples(None)),
    "a packet behind a later one":
        lambda: why([sample(1, 10, LATE_SEQ + 1), sample(2, 49)], samples()),
    "a segment behind a later one":
        lambda: why([segment(1, 1, 2000, out_of_order=True), message(2, 49, 1000)], samples(), TCP),
    "before the first announced reader":
        lambda: why([WRITER, ANNOUNCED, data(3, 41)], samples()),
    "lost before the first announced reader":
        lambda: why([WRITER, ANNOUNCED, data(9, 100, 501)], samples(None)),
    "before a reader of another writer":
        lambda: why([WRITER, ANNOUNCED | {"destination": "x"}, data(3, 41)], samples()),
    "before the first announced reader, after another program's":
        lambda: why([WRITER, ANNOUNCED | {"source": "o", "time_ns": AT - MS}, ANNOUNCED,
                     data(3, 41)], samples(), foreign=["o"]),
    "after the announced reader":
        lambda: why([ANNOUNCED | {"time_ns": AT - MS}, data(3, 41)], samples()),
    "lost where the socket dropped":
        lambda: why([sample(1, 0.05)], samples(None), counters=Counters(socket_drops=3)),
    "lost where nobody says so": lambda: why([sample(1, 0.05)], samples(None)),
    "lost where links lose":
        lambda: why([sample(1, 0.05)], samples(None), counters=Counters(link_loss="3%")),
    "asked for again on loopback where the socket dropped":
        lambda: why(AGAIN, samples(), counters=Counters(socket_drops=1)),
    "asked for again on Ethernet where the socket dropped":
        lambda: why(AGAIN, samples(), counters=Counters(socket_drops=1), files=ETH),
    "a stay in an agent":
        lambda: why([sample(1, 0.05) | {"protocol": "xrce", "kind": "WRITE_DATA"},
                     data(2, 49, flow=1)], samples(), AGENT),
    "the same packet on two hosts":
        lambda: why([data(1, 0.05), data(7, 49, flow=1, file=1)], samples(), LINK, files=HOSTS),
    "late in the reader": lambda: why([sample(1, 0.05)], samples()),
    "late in the writer": lambda: why([sample(1, 49.9)], samples()),
    "written late": lambda: why([sample(1, 49.9)], samples(intended_ns=AT - 100 * MS)),
    "a slow answer":
        lambda: why([sample(1, 0.05), answer(2, 49)],
                    samples(role="pinger", echo_delivered_ns=AT + MS, echo_sent_ns=AT + 48 * MS)),
    "a slow way back": lambda: why([sample(1, 0.05), answer(2, 0.09)], samples(role="pinger")),
    "without packets": lambda: why([sample(1, 0.05, LATE_SEQ + 1)], samples()),
    "with a packet of the warm-up of the same number":
        lambda: why([sample(1, -2000), sample(2, 0.05)], samples()),
    "packets to several readers":
        lambda: why([message(1, 0.05, 100), message(2, 0.06, 100, flow=1)], samples(), READERS),
    "a short wait and a long delay":
        lambda: why([*AGAIN[:2], data(4, 10, repeated=True)], samples()),
    "discovery beside it":
        lambda: why([sample(1, 0.05), packet(5, 20, protocol="rtps", kind="DATA", source="x",
                                             writer=0x100C2, builtin=True)], samples()),
    "sent again in fragments":
        lambda: why([data(1, 0.05), data(2, 10), acknack(3, 1.1, 500),
                     data(4, 45, fragment=1, fragments=2, sample_writer=None, sample_seq=None)
                     | {"kind": "DATA_FRAG"}], samples()),
}  # fmt: skip
"""Where the late sample took 50 ms, or was lost."""


def test_causes_are_as_reviewed() -> None:
    lines = [f"{name}: {explained(late())}\n" for name, late in CASES.items()]
    reviewed(Path(__file__).parent / "golden" / "late.txt", "".join(lines))


def test_counts_of_a_case_agree_with_its_samples() -> None:
    found = of_round(
        3, choose(3, samples()), Wire.from_rows(AGAIN, [Flow(0, "udp", THERE, BACK)] * 2)
    )
    all_of = together("a", [found], [], 10)
    assert all_of.samples == 200 and all_of.late == all_of.examined_late == 1
    (share,) = all_of.causes
    assert share.cause == "rtps-retransmission" and share.late == 1 and share.lost == 0
    assert share.least_ns == share.most_ns == 50 * MS
    assert all_of.worst[0].round == 3
