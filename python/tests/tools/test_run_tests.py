"""The suite's own way with a test that failed: once more by itself, and told."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from tools import run_tests
from tools.run_tests import Counts, Step

TESTS = """
from pathlib import Path
HERE = Path(__file__).parent

def test_passes(): pass

def test_passes_the_third_time():
    tries = HERE / "tries"
    with tries.open("a") as file:
        file.write("x")
    assert len(tries.read_text()) == 3, "too early - as it happens"
"""
BROKEN = """
import pytest

@pytest.mark.parametrize("what", ["a word", "two - words"])
def test_breaks(what): assert not what
"""


def step(folder: Path, *files: str) -> Step:
    for number, text in enumerate(files):
        (folder / f"test_{number}.py").write_text(text)
    plain = ["-p", "no:cacheprovider", "-c", "/dev/null", "--rootdir", str(folder), str(folder)]
    command = [sys.executable, "-m", "pytest", "-rsfE", *plain]
    return Step("tests: here", command, run_tests.pytest, folder, alone=run_tests.pytest_alone)


def ended(one: Step) -> Counts:
    return run_tests.settle(run_tests.run(one))


def test_what_passes_by_itself_has_passed_and_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ended(step(tmp_path, TESTS)) == Counts(passed=2)
    printed = capsys.readouterr().out
    assert "UNSTEADY test_0.py::test_passes_the_third_time" in printed
    assert "as it happens" in printed, "the first failure is shown"


def test_what_fails_again_has_failed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    counts = ended(step(tmp_path, TESTS, BROKEN))
    assert counts == Counts(passed=2, failed=2)
    assert ["[a word]" in failure for failure in counts.failures] == [True, False]
    printed = capsys.readouterr().out
    assert "FAILED tests: here" in printed
    assert "UNSTEADY test_1" not in printed


def test_many_failures_are_not_run_again(tmp_path: Path) -> None:
    files = (TESTS, BROKEN, BROKEN, BROKEN)
    assert ended(step(tmp_path, *files)) == Counts(passed=1, failed=7)


def test_failed_tests_of_rust_are_found() -> None:
    output = """
running 2 tests
it_spins --- FAILED
failures:

---- it_spins stdout ----
thread 'it_spins' panicked at src/lib.rs:9:5:
    left: 1

failures:
    it_spins
    kit::tests::it_waits

test result: FAILED. 0 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out
"""
    one = Step("tests: core", ["cargo", "test", "-q"], run_tests.cargo)
    assert run_tests.cargo_alone(one, output) == {
        "it_spins": ["cargo", "test", "-q", "it_spins", "--", "--exact"],
        "kit::tests::it_waits": ["cargo", "test", "-q", "kit::tests::it_waits", "--", "--exact"],
    }


def test_a_conformance_suite_shows_what_failed_and_no_more() -> None:
    results = [
        {"clause": f"C{number}", "test": f"c{number:02}", "outcome": outcome, "detail": "as it was"}
        for number, outcome in enumerate(["passed", "failed", "skipped"], 1)
    ]
    brief = run_tests.contract_brief(json.dumps({"results": results}))
    assert brief == "FAILED C2 c02: as it was"
    assert run_tests.contract_brief("no report") == "no report"


def test_every_folder_of_tests_is_in_one_of_two_steps() -> None:
    folders = {path.parent.name for path in (run_tests.ROOT / run_tests.TESTS).glob("*/test_*.py")}
    assert set(run_tests.COMPUTING) < folders
    computing, measuring = run_tests.computing_step(), run_tests.measuring_step()
    own = {f"{run_tests.TESTS}/{folder}" for folder in run_tests.COMPUTING}
    assert own == {word for word in computing.command if word.startswith(run_tests.TESTS)}
    left_out = {word for word in measuring.command if word.startswith("--ignore=")}
    assert left_out == {f"--ignore={folder}" for folder in own}
    assert measuring.command[-1] == run_tests.TESTS


def test_what_others_wait_for_is_not_idle_and_the_longest_begins_first() -> None:
    steps = run_tests.test_steps()
    names = [step.name for step in steps]
    assert [name for name in names if name in run_tests.SLOWEST] == names[: len(run_tests.SLOWEST)]
    assert not any(step.idle for step in [*steps, run_tests.measuring_step()])
    assert all(step.idle for step in [*run_tests.lint_steps(), run_tests.computing_step()])


SUITE = """
import json, sys
from pathlib import Path
first = not Path("tried").exists()
Path("tried").touch()
outcome = "failed" if first else OUTCOME
result = {"clause": "C1", "test": "c01", "outcome": outcome, "detail": "as it was"}
rest = [] if "--only" in sys.argv else [{**result, "test": "c02", "outcome": "passed"}]
counts = {kind: sum(r["outcome"] == kind for r in [result, *rest])
          for kind in ("passed", "failed", "skipped")}
print(json.dumps({**counts, "results": [result, *rest]}))
sys.exit(0 if counts["passed"] and not counts["failed"] else 1)
"""


@pytest.mark.parametrize(
    ("outcome", "counts"),
    [
        ("passed", Counts(passed=2)),
        ("skipped", Counts(passed=1, skipped=1)),
        ("failed", Counts(passed=1, failed=1)),
    ],
)
def test_a_test_of_the_contract_may_be_skipped_the_second_time(
    outcome: str, counts: Counts, tmp_path: Path
) -> None:
    (tmp_path / "suite.py").write_text(SUITE.replace("OUTCOME", repr(outcome)))
    step = Step(
        "contract: here", [sys.executable, "suite.py"], run_tests.conformance, tmp_path,
        alone=run_tests.contract_alone, brief=run_tests.contract_brief,
    )  # fmt: skip
    assert ended(step) == counts
