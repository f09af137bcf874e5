"""Two readings of a machine's state, and what differs between them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from busmark.host import changes, condition

NAMES = {7: ("active", [1])}
CLOCK = "sys/devices/system/clocksource/clocksource0/current_clocksource"
GOVERNOR = "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"
QUOTA = "sys/fs/cgroup/box/part/cpu.max"
POD = "sys/fs/cgroup/cpu.max"
OLD = "sys/fs/cgroup/cpu,cpuacct/pod/cpu.cfs_quota_us"
STAT = "7 (a b) S " + " ".join(["0"] * 35) + " 1 0 0"


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """Write the files of a machine with one process of one thread, pinned to CPU 1."""
    for name, text in {
        CLOCK: "tsc\n",
        "sys/devices/system/cpu/online": "0-1\n",
        GOVERNOR: "performance\n",
        QUOTA: "max 100000\n",
        "sys/fs/cgroup/box/cpu.max": "max 100000\n",
        POD: "max 100000\n",
        OLD: "-1\n",
        "proc/7/cgroup": "1:cpu,cpuacct:/pod/part\n0::/box/part\n",
        "proc/7/task/7/status": "Name:\ta b\nCpus_allowed_list:\t1\n",
        "proc/7/task/7/stat": STAT,
        "proc/7/task/7/schedstat": "100 5 1\n",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("file", "text", "name", "parts"),
    [
        (CLOCK, "kvm-clock", "clock_source", ("tsc", "kvm-clock")),
        (GOVERNOR, "powersave", "governor", ("CPU 0", "performance", "powersave")),
        (QUOTA, "50000 100000", "cpu_quota", ("box/part", "50000 100000")),
        ("sys/fs/cgroup/box/cpu.max", "1 100000", "cpu_quota", ("box/cpu.max", "1 100000")),
        (POD, "1 100000", "cpu_quota", ("cgroup/cpu.max", "1 100000")),
        (OLD, "20000", "cpu_quota", ("cpu,cpuacct/pod/cpu.cfs_quota_us", "-1, then 20000")),
        (
            "proc/7/task/7/status",
            "Cpus_allowed_list:\t0-1",
            "affinity",
            ("active", "CPU 1", "CPU 0+1"),
        ),
    ],
)
def test_what_was_changed_is_named_with_both_values(
    machine: Path, file: str, text: str, name: str, parts: tuple[str, ...]
) -> None:
    before = condition([7], machine)
    assert changes(before, condition([7], machine), NAMES) == {}
    (machine / file).write_text(text)
    found = changes(before, condition([7], machine), NAMES)
    assert list(found) == [name]
    assert all(part in found[name] for part in parts)


def test_a_thread_that_ran_elsewhere_and_is_back_in_its_place_is_named(machine: Path) -> None:
    before = condition([7], machine)
    elsewhere = STAT.rsplit(" ", 3)[0] + " 0 0 0"
    (machine / "proc/7/task/7/stat").write_text(elsewhere)
    assert changes(before, condition([7], machine), NAMES) == {}, "it slept: an old CPU"
    (machine / "proc/7/task/7/schedstat").write_text("900 5 2\n")
    after = condition([7], machine)
    assert set(changes(before, after, NAMES)) == {"cpus_used"}
    assert changes(before, after, {7: ("active", [])}) == {}, "where it is placed by the scheduler"


def test_a_step_of_the_wall_clock_is_named_and_noise_is_not(machine: Path) -> None:
    before = replace(condition([7], machine), wall_clock_offset_ns=10**18)
    noise = replace(before, wall_clock_offset_ns=10**18 + 900)
    assert changes(before, noise, NAMES) == {}
    stepped = replace(before, wall_clock_offset_ns=10**18 - 2 * 10**9)
    assert "-2.000 s" in changes(before, stepped, NAMES)["wall_clock"]


def test_what_cannot_be_read_is_no_change(tmp_path: Path, machine: Path) -> None:
    nothing = condition([7], tmp_path / "nowhere", here=False)
    assert nothing.clock_source is None and nothing.wall_clock_offset_ns is None
    assert changes(condition([7], machine), nothing, NAMES) == {}
    assert changes(nothing, condition([7], machine), NAMES) == {}
