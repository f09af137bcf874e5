"""Rules hold on any table: none raises, and what is named is there."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from late_tables import AT, BACK, LATE_SEQ, MS, THERE, samples

from busmark.plugins.capture.late.explaining import of_round, together
from busmark.plugins.capture.late.trace import Counters, choose
from busmark.plugins.capture.late.wire import SCHEMA, File, Flow, Wire

FLOWS = (
    Flow(0, "udp", THERE, BACK),
    Flow(0, "udp", BACK, THERE),
    Flow(1, "tcp", THERE, BACK),
    Flow(1, "tcp", BACK, THERE),
    Flow(0, "tcp", THERE, "[::1]:7"),
)
KINDS = [
    None,
    "DATA",
    "DATA_FRAG",
    "HEARTBEAT",
    "ACKNACK",
    "NACK_FRAG",
    "SAMPLE",
    "WRITE_DATA",
    "GAP",
    "FRAGMENT",
]
SMALL = st.none() | st.integers(0, 6)
TIMES = st.integers(AT - 5 * MS, AT + 60 * MS)
SPECIAL: dict[str, Any] = {
    "file": st.integers(0, 1),
    "packet": st.integers(1, 50),
    "part": st.integers(0, 2),
    "time_ns": TIMES,
    "begun_ns": st.none() | TIMES,
    "flow": st.none() | st.integers(0, len(FLOWS) - 1),
    "protocol": st.sampled_from([None, "rtps", "tcp", "udp", "busmark", "xrce", "fragment"]),
    "kind": st.sampled_from(KINDS),
    "source": st.sampled_from([None, "w", "r"]),
    "destination": st.sampled_from([None, "w", "r"]),
    "session": st.sampled_from([None, 0x81]),
    "stream": st.sampled_from([None, 1, 0x80]),
    "writer": st.sampled_from([None, 0x103, 0x4C2]),
    "sample_writer": st.sampled_from([None, 1, 2]),
    "sample_seq": st.sampled_from([None, LATE_SEQ, LATE_SEQ + 1]),
    "answered": st.sampled_from([None, 0, 1]),
    **{
        n: st.none() | st.booleans()
        for n in ("builtin", "repeated", "retransmission", "out_of_order")
    },
}
ROW = st.fixed_dictionaries({name: SPECIAL.get(name, SMALL) for name in SCHEMA})
STAMP = st.none() | st.integers(AT - MS, AT + 70 * MS)


@settings(max_examples=150, deadline=None)
@given(
    rows=st.lists(ROW, max_size=40),
    latency=st.none() | st.floats(-1, 60),
    role=st.sampled_from(["pinger", "receiver", "transmitter"]),
    echo=st.fixed_dictionaries({"echo_delivered_ns": STAMP, "echo_sent_ns": STAMP}),
    drops=st.integers(0, 2),
    loss=st.sampled_from([None, "1%"]),
)
def test_no_rule_raises_and_all_that_is_named_is_in_the_table(
    rows: list[dict[str, Any]],
    latency: float | None,
    role: str,
    echo: dict[str, int | None],
    drops: int,
    loss: str | None,
) -> None:
    files = [File("one", None, "lo", None, 1), File("two", "n2", "lan0")]
    wire = Wire.from_rows(rows, FLOWS, files)
    table = samples(latency, role=role, **(echo if role != "receiver" else {}))
    chosen = choose(0, table)
    found = of_round(0, chosen, wire, Counters(drops, loss))
    known = {(files[row["file"]].name, row["packet"]) for row in rows}
    for late in (*found.late, *found.ordinary):
        assert {(each.file, each.packet) for each in late.evidence} <= known
        assert (late.cause == "unexplained") == (not late.evidence)
        if late.latency_ns is None:
            assert late.wait_ns is None
        elif late.wait_ns is not None and late in found.late and chosen.median_ns is not None:
            assert 2 * late.wait_ns >= late.latency_ns - chosen.median_ns
    whole = together("a", [found], [], 3)
    assert sum(each.late for each in whole.causes) == whole.examined_late
    assert sum(each.lost for each in whole.causes) == whole.examined_lost
    assert len(whole.worst) <= 3
