"""Kernel counters: read, and subtracted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from busmark.host import Counters, CpuTime, difference, snapshot

FILES = {
    "net/snmp": (
        "Tcp: RtoMin RetransSegs InErrs\nTcp: 200 17 0\n"
        "Udp: InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors SndbufErrors\n"
        "Udp: 100 0 6 100 5 1\n"
    ),
    "net/snmp6": "Udp6InErrors \t3\nUdp6RcvbufErrors \t2\n",
    "net/netstat": (
        "TcpExt: ListenOverflows ListenDrops TCPLossProbes TCPLossProbeRecovery TCPDSACKRecvSegs\n"
        "TcpExt: 1 4 9 2 5\n"
    ),
    "net/softnet_stat": "00000011 00000002 00000000\n0000210b 0000000a 00000000\n",
    "stat": (
        "cpu  300 0 0 0 0 0 0 0 0 0\n"
        "cpu0 100 10 20 800 50 5 15 7 9 9\n"
        "cpu1 200 0 0 100 0 0 0 0 0 0\n"
        "intr 5 0 0\nctxt 12345\nbtime 1\n"
    ),
}


def plant(root: Path) -> Path:
    for name, content in FILES.items():
        path = root / "proc" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return root


def test_a_made_up_machine_gives_exactly_its_counts(tmp_path: Path) -> None:
    assert snapshot(root=plant(tmp_path)) == Counters(
        udp_rcvbuf_errors=7,
        udp_in_errors=9,
        udp_sndbuf_errors=1,
        tcp_retransmits=17,
        tcp_listen_drops=4,
        tcp_loss_probes=9,
        tcp_probe_recoveries=2,
        tcp_dsacks=5,
        softnet_drops=12,
        context_switches=12345,
        cpus={0: CpuTime(150, 1007, 7), 1: CpuTime(200, 300, 0)},
    )


def test_an_empty_machine_has_no_counts(tmp_path: Path) -> None:
    assert snapshot(root=tmp_path) == Counters()
    text = difference(Counters(), Counters())
    assert text["cpu_busy"] is None and text["udp_rcvbuf_errors"] is None


def test_a_difference_names_the_busiest_cpu() -> None:
    before = Counters(
        udp_rcvbuf_errors=5, softnet_drops=9, cpus={0: CpuTime(0, 0, 0), 1: CpuTime(50, 100, 0)}
    )
    after = Counters(
        udp_rcvbuf_errors=8, softnet_drops=1, cpus={0: CpuTime(10, 100, 5), 1: CpuTime(140, 200, 1)}
    )
    text = difference(before, after)
    assert text["udp_rcvbuf_errors"] == 3
    assert text["softnet_drops"] is None, "a counter that went backwards says nothing"
    assert text["tcp_retransmits"] is None
    assert text["cpu_busy"] == 0.9
    assert text["cpu_busy_per_cpu"] == {"0": 0.1, "1": 0.9}
    assert text["steal"] == 0.05


def test_ticks_that_meet_the_same_thread_each_time_make_no_cpu_busy() -> None:
    """As /proc/stat told of 251 ms in which a thread woke 500 times a second: 18 ticks of work
    beside 23 idle ones, which were measured."""
    before = Counters(uptime_ticks=1000, cpus={0: CpuTime(0, 0, 0)})
    after = Counters(uptime_ticks=1025, cpus={0: CpuTime(18, 41, 0)})
    text = difference(before, after)
    assert text["cpu_busy"] == pytest.approx(2 / 25) and "uptime_ticks" not in text


def test_this_machine_counts() -> None:
    before = snapshot()
    text = difference(before, snapshot())
    assert before.cpus and before.udp_rcvbuf_errors is not None
    assert text["udp_rcvbuf_errors"] is not None
    assert json.loads(json.dumps(text)) == text


times = st.builds(CpuTime, *[st.integers(0, 10**6)] * 3)


@settings(deadline=None)
@given(st.dictionaries(st.integers(0, 3), times), st.dictionaries(st.integers(0, 3), times))
def test_shares_stay_between_0_and_1(before: dict[int, CpuTime], after: dict[int, CpuTime]) -> None:
    text = difference(Counters(cpus=before), Counters(cpus=after))
    shares = [*text["cpu_busy_per_cpu"].values(), text["steal"], text["cpu_busy"]]
    assert all(0.0 <= share <= 1.0 for share in shares if share is not None)
