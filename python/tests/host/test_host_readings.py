"""What happened between two readings of the kernel's files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from busmark.host.readings import Reading, changes, counted

MS = 1_000_000


def stat(name: str, *, parent: int = 1, user: int = 0, system: int = 0, began: int = 5) -> str:
    return f"9 ({name}) S {parent} 0 0 0 0 0 0 0 0 0 {user} {system} 0 0 20 0 1 0 {began} 0\n"


def reading(time_ms: int, files: Mapping[str, str]) -> Reading:
    return [(time_ms * MS, path, text) for path, text in files.items()]


def thread(process: int, number: int, **more: Any) -> dict[str, str]:
    run = more.pop("run", 0)
    folder = f"/proc/{process}/task/{number}"
    return {
        f"{folder}/stat": stat(more.pop("name", "t"), **more),
        f"{folder}/schedstat": f"{run} 0 1",
    }


def rows(scope: str, readings: list[Reading], names: Mapping[int, str] | None = None) -> Any:
    return [row for row in changes(readings, names or {7: "active"}) if row["scope"] == scope]


def test_the_interval_is_as_long_as_it_really_was() -> None:
    (row,) = rows(
        "thread",
        [reading(100, thread(7, 8, user=10)), reading(457, thread(7, 8, user=13, run=5))],
    )
    assert row["start_ns"] == 100 * MS and row["duration_ns"] == 357 * MS
    assert row["user_ns"] == 30 * MS and row["run_ns"] == 5
    assert row["participant"] == "active" and row["interval"] == 0


def test_a_thread_that_came_within_the_interval_counts_from_its_begin() -> None:
    old = thread(7, 7)
    (_, new) = rows("thread", [reading(0, old), reading(250, old | thread(7, 9, user=4))])
    assert new["thread"] == 9 and new["user_ns"] == 40 * MS and new["duration_ns"] == 250 * MS


def test_what_a_reading_lacks_counts_from_the_one_before() -> None:
    both = thread(7, 7) | thread(7, 9, user=40)
    later = thread(7, 7) | thread(7, 9, user=44)
    found = rows("thread", [reading(0, both), reading(250, thread(7, 7)), reading(600, later)])
    (row,) = [row for row in found if row["thread"] == 9]
    assert (row["start_ns"], row["duration_ns"]) == (0, 600 * MS)
    assert row["user_ns"] == 40 * MS


def test_a_thread_with_a_number_used_before_is_another() -> None:
    (row,) = rows(
        "thread",
        [reading(0, thread(7, 7, user=50)), reading(250, thread(7, 7, user=2, began=900))],
    )
    assert row["user_ns"] == 20 * MS


def test_a_counter_that_is_absent_or_goes_backwards_is_none() -> None:
    def net(packets: str) -> dict[str, str]:
        return {
            "/proc/7/ns/net": "net:[1]",
            "/proc/7/net/dev": f"lo: 5 {packets} 0 0 0 0 0 0 5 5 0 0 0 0 0 0\n",
        }

    both = [reading(0, net("5")), reading(250, net("3"))]
    (row,) = rows("interface", both)
    assert row["rx_packets"] is None and row["rx_bytes"] == 0 and row["network"] == "net:[1]"
    (network,) = rows("network", both)
    assert network["tcp_retransmits"] is None


def test_datagrams_and_segments_of_both_protocols_are_counted() -> None:
    def net(count: int) -> dict[str, str]:
        return {
            "/proc/7/ns/net": "net:[1]",
            "/proc/7/net/dev": "",
            "/proc/7/net/snmp": f"Tcp: InSegs OutSegs\nTcp: {count} {2 * count}\n"
            f"Udp: InDatagrams OutDatagrams\nUdp: {3 * count} {4 * count}\n",
            "/proc/7/net/snmp6": f"Udp6InDatagrams {count}\nUdp6OutDatagrams {count}\n",
        }

    (row,) = rows("network", [reading(0, net(10)), reading(250, net(11))])
    assert (row["udp_in_datagrams"], row["udp_out_datagrams"]) == (4, 5)
    assert (row["tcp_in_segments"], row["tcp_segments"]) == (1, 2)


def test_children_belong_to_the_participant_that_started_them() -> None:
    files = {
        "/proc/7/stat": stat("worker"),
        "/proc/8/stat": stat("broker", parent=7),
        "/proc/9/stat": stat("helper", parent=8),
        "/proc/10/stat": stat("stranger", parent=1),
    }
    found = rows("process", [reading(0, files), reading(250, files)], {7: "server"})
    assert [row["participant"] for row in found] == ["server", "server", "server", None]


def test_groups_of_both_versions() -> None:
    files = {
        "/sys/fs/cgroup/cpu.stat": "",
        "/sys/fs/cgroup/cpu/old/cpu.cfs_period_us": "100000\n",
        "/sys/fs/cgroup/cpu/old/cpu.cfs_quota_us": "20000\n",
        "/sys/fs/cgroup/cpu/old/cpu.stat": "nr_throttled 0\nthrottled_time 0\n",
        "/sys/fs/cgroup/pod/box/cpu.max": "max 50000\n",
        "/sys/fs/cgroup/pod/box/cpu.stat": "nr_throttled 0\nthrottled_usec 0\n",
        "/sys/fs/cgroup/pod/cpu.max": "30000 100000\n",
        "/sys/fs/cgroup/pod/cpu.stat": "nr_throttled 2\nthrottled_usec 30\n",
        "/sys/fs/cgroup/pod/memory.current": "4096\n",
    }
    later = files | {"/sys/fs/cgroup/pod/cpu.stat": "nr_throttled 5\nthrottled_usec 90\n"}
    old, box, pod = rows("cgroup", [reading(0, files), reading(250, later)])
    assert (old["name"], box["name"], pod["name"]) == ("/cpu/old", "/pod/box", "/pod")
    assert (pod["throttled"], pod["throttled_ns"], pod["memory_bytes"]) == (3, 60_000, 4096)
    assert (pod["cpu_quota_ns"], pod["cpu_period_ns"]) == (30_000_000, 100_000_000)
    assert pod["cpu_quota_file"] == "/sys/fs/cgroup/pod/cpu.max"
    assert (old["cpu_quota_ns"], old["cpu_period_ns"]) == (20_000_000, 100_000_000)
    assert old["cpu_quota_file"] == "/sys/fs/cgroup/cpu/old/cpu.cfs_quota_us"
    assert "memory_bytes" not in old and "cpu_quota_file" not in box


PATHS = st.sampled_from([
    "/proc/stat", "/proc/vmstat", "/proc/7/stat", "/proc/7/task/7/stat", "/proc/7/task/7/status",
    "/proc/7/ns/net", "/proc/7/net/dev", "/proc/7/net/snmp", "/sys/fs/cgroup/a/cpu.stat", "/x",
])  # fmt: skip
TEXTS = st.one_of(st.text(), st.sampled_from([stat("a"), "cpu 1 2 3\nctxt 5\n", "lo: 1 2 3\n"]))
READINGS = st.lists(st.tuples(st.integers(0, 10**12), PATHS, TEXTS), max_size=6)


@given(st.lists(READINGS, max_size=4))
def test_no_reading_is_an_error_and_no_interval_is_empty(readings: list[Reading]) -> None:
    for each in readings:
        counted(each)
    for row in changes(readings, {7: "active"}):
        assert row["duration_ns"] > 0
        counts = [value for name, value in row.items() if name.endswith(("_ns", "_packets"))]
        assert all(value is None or value >= 0 for value in counts)
