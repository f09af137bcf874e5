"""What cases need of the machine is looked at before anything runs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from busmark.adapters import libraries

SCENARIO = """
name = "needs"
[matrix]
adapter = ["{adapter}"]
size = 64
"""


def busmark(around: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command in namespaces of its own, after `around` in them."""
    call = " ".join([sys.executable, "-m", "busmark", *words])
    return subprocess.run(
        ["unshare", "-n", "-m", "sh", "-c", f"{around}; {call}"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def _may_unshare() -> None:
    tried = subprocess.run(["unshare", "-n", "-m", "true"], capture_output=True, check=False)
    if tried.returncode:
        pytest.skip("namespaces of the test's own need root")


@pytest.fixture
def planned(tmp_path: Path) -> str:
    path = tmp_path / "needs.toml"
    path.write_text(SCENARIO.format(adapter="tcp"))
    return str(path)


def test_a_loopback_that_is_down_makes_cases_over_sockets_unsupported(planned: str) -> None:
    ended = busmark("true", "plan", planned)
    assert ended.returncode == 2
    assert "ip link set lo up" in ended.stdout + ended.stderr
    assert busmark("ip link set lo up", "plan", planned).returncode == 0


def test_doctor_says_what_the_plan_says() -> None:
    ended = busmark("mount -t tmpfs -o size=1m tmpfs /dev/shm", "doctor", "--json")
    assert ended.returncode == 1
    assert "This machine lacks loopback" in ended.stdout
    assert "This machine lacks shared memory" in ended.stdout


def test_a_disk_without_room_is_named_before_anything_runs(planned: str, tmp_path: Path) -> None:
    full = tmp_path / "full"
    full.mkdir()
    around = f"ip link set lo up; mount -t tmpfs -o size=512k tmpfs {full}"
    ended = busmark(around, "run", planned, "--out", f"{full}/result")
    assert ended.returncode == 2
    assert "a result needs 1 MiB at least" in ended.stderr and "(--out)" in ended.stderr
    text = busmark(f"{around}; cd {full}", "doctor", "--json")
    assert text.returncode == 1 and "This machine lacks disk" in text.stdout


def test_a_limit_of_open_files_that_is_too_low_is_named(planned: str) -> None:
    ended = busmark("ip link set lo up; ulimit -n 40", "plan", planned)
    assert ended.returncode == 2 and "ulimit -n 64" in ended.stderr


@pytest.mark.parametrize(
    ("megabytes", "test", "size", "rate_hz", "wanted"),
    [
        (16, "latency", 1 << 20, 0, None),
        (16, "latency", 16 << 20, 0, "32 MiB"),
        (16, "throughput", 65536, 0, "65 MiB"),
        (16, "throughput", 65536, 100, None),
        (64, "throughput", 1 << 20, 0, "66 MiB"),
    ],
)
def test_shared_memory_that_is_too_small_for_a_case_is_named(
    tmp_path: Path, megabytes: int, test: str, size: int, rate_hz: int, wanted: str | None
) -> None:
    """Sizes that were measured: more than this the samples of iceoryx2 do not take."""
    if "iceoryx2" not in libraries():
        pytest.skip("not built here: iceoryx2")
    path = tmp_path / "needs.toml"
    path.write_text(
        f'name = "needs"\n[matrix]\nadapter = "iceoryx2"\ntest = "{test}"\nsize = {size}\n'
        f"rate_hz = {rate_hz}\n",
        encoding="utf-8",
    )
    mounted = f"mount -t tmpfs -o size={megabytes}m tmpfs /dev/shm; ip link set lo up"
    ended = busmark(mounted, "plan", str(path))
    if wanted is None:
        assert ended.returncode == 0, ended.stderr
    else:
        assert ended.returncode == 2 and f"the samples of this case may take {wanted}" in (
            ended.stdout + ended.stderr
        )
