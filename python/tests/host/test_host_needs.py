"""What cases need of the machine is looked at before anything runs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from busmark.host.needs import LEAST_SHARED, missing, shared_memory

SCENARIO = """
name = "needs"
[matrix]
adapter = ["{adapter}"]
size = 64
"""


def busmark(around: str, *words: str) -> subprocess.CompletedProcess[str]:
    """A command in namespaces of its own, in which `around` has been done."""
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


def test_a_limit_of_open_files_that_is_too_low_is_named(planned: str) -> None:
    ended = busmark("ip link set lo up; ulimit -n 40", "plan", planned)
    assert ended.returncode == 2 and "ulimit -n 64" in ended.stderr


def test_shared_memory_that_is_absent_is_named_with_what_to_do(tmp_path: Path) -> None:
    seen, problem = shared_memory(tmp_path / "shm")
    assert seen == "absent" and problem is not None and "tmpfs" in problem
    assert shared_memory(tmp_path)[1] is None
    assert LEAST_SHARED > 0


def test_a_carrier_that_needs_nothing_lacks_nothing() -> None:
    assert missing(["memory"]) is None
