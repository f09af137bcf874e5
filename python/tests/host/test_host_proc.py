"""Texts of the kernel's files, real ones and damaged ones."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from busmark.host import proc

# Taken from Linux 6.18.
STAT = (
    "4519 (a (b) c) S 2581 2581 16098 0 -1 4194304 136 7 3 0 21 4 0 0 20 0 1 0 1767281 2990080 "
    "415 18446744073709551615 1 1 1 0 0 0 0 6 0 1 0 0 17 0 0 0 0 0 0 1 1 1 1 1 1 1 0\n"
)
STATUS = (
    "VmRSS:\t    1832 kB\nVmSwap:\t       4 kB\nCpus_allowed:\t3\nState:\tS (sleeping)\n"
    "voluntary_ctxt_switches:\t17\nnonvoluntary_ctxt_switches:\t2\n"
)
DEV = (
    "Inter-|   Receive                            |  Transmit\n"
    " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop\n"
    "    lo: 65206559944 21900861    1    2    0     0          0         0"
    " 65206559945 21900862    3    4    0     0       0          0\n"
    "eth0.1:1807251539   45148    0    0    0     0          0         0"
    "  2508546   28657    0    0    0     0       0          0\n"
)
CPUS = (
    "cpu  758235 638678 268984 1724547 3946 0 31249 732 0 0\n"
    "cpu0 366974 322258 110723 902199 790 0 8419 387 0 0\n"
    "ctxt 233294995\n"
    "softirq 145370467 0 925242 63394 139337409 919575 0 504 1009612 751439 2363292\n"
)


def test_a_name_may_hold_brackets() -> None:
    assert proc.task(STAT) == proc.Task(
        name="a (b) c", parent=2581, began=1767281, user_ticks=21, system_ticks=4,
        minor_faults=136, major_faults=3,
    )  # fmt: skip


def test_sizes_are_bytes() -> None:
    assert proc.status(STATUS) == {
        "VmRSS": 1832 * 1024, "VmSwap": 4096, "Cpus_allowed": 3,
        "voluntary_ctxt_switches": 17, "nonvoluntary_ctxt_switches": 2,
    }  # fmt: skip


def test_interfaces_with_and_without_a_gap_behind_the_name() -> None:
    found = proc.interfaces(DEV)
    assert found["lo"] == {
        "rx_bytes": 65206559944, "rx_packets": 21900861, "rx_errors": 1, "rx_drops": 2,
        "tx_bytes": 65206559945, "tx_packets": 21900862, "tx_errors": 3, "tx_drops": 4,
    }  # fmt: skip
    assert found["eth0.1"]["rx_packets"] == 45148 and len(found) == 2


def test_cpus_and_what_they_did() -> None:
    ticks = proc.cpu_ticks(CPUS)
    assert ticks[""]["softirq"] == 31249 and ticks["0"]["steal"] == 387 and len(ticks) == 2
    assert proc.context_switches(CPUS) == 233294995
    assert proc.net_softirqs(CPUS) == {"softirqs_net_tx": 63394, "softirqs_net_rx": 139337409}


def test_schedstat_and_pairs() -> None:
    assert proc.schedstat("802672 1780282 1\n") == (802672, 1780282)
    assert proc.pairs("nr_throttled 4\nthrottled_usec 12\nbroken\nx y\n") == {
        "nr_throttled": 4,
        "throttled_usec": 12,
    }


def test_this_kernels_own_files_are_read() -> None:
    folder = Path(f"/proc/self/task/{threading.get_native_id()}")
    task = proc.task((folder / "stat").read_text())
    assert task is not None and task.parent == os.getppid()
    assert proc.status((folder / "status").read_text())["VmRSS"] > 0
    assert "lo" in proc.interfaces(Path("/proc/self/net/dev").read_text())
    assert proc.context_switches(Path("/proc/stat").read_text())


ALL = [
    proc.task, proc.schedstat, proc.status, proc.tables, proc.pairs, proc.interfaces,
    proc.softnet_drops, proc.context_switches, proc.net_softirqs, proc.cpu_ticks,
]  # fmt: skip
WORDS = st.sampled_from([*"():\n \t", "cpu", "cpu0", "ctxt ", "softirq ", "Udp: ", "kB", "-1", "٣"])
DAMAGED = st.one_of(
    st.text(),
    st.lists(st.one_of(WORDS, st.integers().map(str))).map("".join),
    st.sampled_from([STAT, STATUS, DEV, CPUS]).flatmap(
        lambda text: st.integers(0, len(text)).map(lambda end: text[:end])
    ),
)


@pytest.mark.parametrize("parse", ALL, ids=lambda parse: parse.__name__)
@given(text=DAMAGED)
def test_no_text_is_an_error(parse: object, text: str) -> None:
    assert callable(parse)
    parse(text)


@given(text=DAMAGED)
def test_what_is_cut_off_is_absent_and_not_zero(text: str) -> None:
    for counts in proc.interfaces(text).values():
        assert all(isinstance(value, int) for value in counts.values())
    assert proc.task("") is None and proc.schedstat("") is None
    assert proc.network("", "") == dict.fromkeys(proc.network("", ""), None)
