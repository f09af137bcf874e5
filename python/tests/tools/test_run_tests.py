"""How the suite lists what failed, and what it need not run again."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from tools import run_tests
from tools.run_tests import Counts, Step

BROKEN = """
import pytest

@pytest.mark.parametrize("what", ["a word", "two - words"])
def test_breaks(what): assert not what
"""


def test_failed_tests_of_python_are_listed_once_and_not_run_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "test_0.py").write_text(BROKEN)
    plain = ["-p", "no:cacheprovider", "-c", "/dev/null", "--rootdir", str(tmp_path)]
    command = [sys.executable, "-m", "pytest", "-rsfE", *plain, str(tmp_path)]
    counts = run_tests.run(Step("tests: here", command, run_tests.pytest, tmp_path)).counts
    assert counts == Counts(failed=2)
    assert counts.failures == [f"test_0.py::test_breaks[{of}]" for of in ("a word", "two - words")]
    assert "FAILED tests: here" in capsys.readouterr().out


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
    assert run_tests.cargo(output, 101).failures == ["it_spins", "kit::tests::it_waits"]


def test_a_conformance_suite_shows_what_failed_and_no_more() -> None:
    results = [
        {"clause": f"C{number}", "test": f"c{number:02}", "outcome": outcome, "detail": "as it was"}
        for number, outcome in enumerate(["passed", "failed", "skipped"], 1)
    ]
    brief = run_tests.contract_brief(json.dumps({"results": results}))
    assert brief == "FAILED C2 c02: as it was"
    assert run_tests.contract_brief("no report") == "no report"


def test_every_file_of_tests_is_in_one_of_two_steps_and_the_longest_begin_first() -> None:
    root, tests = run_tests.ROOT, run_tests.TESTS
    computing, measuring = run_tests.computing_step(), run_tests.measuring_step()
    own = {f"{tests}/{folder}" for folder in run_tests.COMPUTING}
    assert own == {word for word in computing.command if word.startswith(tests)}
    assert computing.command[-1] == run_tests.PLUGINS
    files = [word for word in measuring.command if word.endswith(".py")]
    live = {path for path in root.glob("python/busmark/**/live/test_*.py")}
    live |= {path for path in (root / tests).rglob("test_*.py")
             if path.relative_to(root / tests).parts[0] not in run_tests.COMPUTING}  # fmt: skip
    assert len(files) == len(live) and {root / word for word in files} == live
    stems = [Path(word).stem for word in files]
    assert stems[: len(run_tests.LONGEST)] == [*run_tests.LONGEST]


def test_what_others_wait_for_is_not_idle_and_the_longest_begins_first() -> None:
    steps = run_tests.test_steps()
    names = [step.name for step in steps]
    assert [name for name in names if name in run_tests.SLOWEST] == names[: len(run_tests.SLOWEST)]
    assert not any(step.idle for step in [*steps, run_tests.measuring_step()])
    assert all(step.idle for step in [*run_tests.lint_steps(), run_tests.computing_step()])


def test_what_passed_in_one_checkout_is_known_in_another_until_a_source_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def place(name: str, source: str) -> Path | None:
        root, built = tmp_path / name, tmp_path / name / "target/release"
        crate = root / "adapters/null"
        for path, text in {
            crate / "Cargo.toml": 'near = { path = "../near" }', crate / "lib.rs": source,
            root / "adapters/near/Cargo.toml": "", built / "libbusmark_null.so": name,
            built / "libbusmark_null.d": f"libbusmark_null.so: {crate / 'lib.rs'}\n",
            built / "busmark-check": "", built / "busmark-worker": "",
        }.items():  # fmt: skip
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        monkeypatch.setattr(run_tests, "ROOT", root)
        os.utime(built / "libbusmark_null.so", (2**32, 2**32))
        return run_tests.contract_passed("null")

    first, same, changed = place("first", "a"), place("second", "a"), place("third", "b")
    assert first and first == same != changed
    assert run_tests.needs(tmp_path / "first/adapters/null") == {
        tmp_path / "first/adapters/null", tmp_path / "first/adapters/near",
    }  # fmt: skip
    (library,) = tmp_path.glob("third/target/release/*.so")
    os.utime(library, (1, 1))
    assert run_tests.sources(library) == [library], "it was not built of what is there"
