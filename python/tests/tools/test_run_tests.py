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
    command = [sys.executable, "-m", "pytest", "-rsfE", "-p", "no:randomly", *plain, str(tmp_path)]
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


def test_every_file_of_tests_is_in_one_of_two_steps() -> None:
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


ORDER = """
import pytest

@pytest.mark.parametrize("n", range(40))
def test_one(n): open("order", "a").write(f"{n} ")
"""


def test_the_order_of_tests_is_that_of_a_seed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    step = run_tests.python_step("computing", "somewhere")
    assert f"--randomly-seed={run_tests.SEED}" in step.command
    monkeypatch.setattr(sys, "argv", ["run_tests.py", "python", "--seed=7"])
    option = f"--randomly-seed={run_tests.seed()}"
    assert option in run_tests.python_step("measuring", "somewhere").command
    assert [step.name for step in run_tests.named([run_tests.python_step("computing")])]
    found = []
    for seed in (option, option, "--randomly-seed=8"):
        (tmp_path / "test_0.py").write_text(ORDER)
        plain = ["-p", "no:cacheprovider", "-c", "/dev/null", "--rootdir", str(tmp_path)]
        command = [sys.executable, "-m", "pytest", *plain, seed, str(tmp_path)]
        done = run_tests.run(Step("tests: here", command, run_tests.pytest, tmp_path))
        assert done.counts == Counts(passed=40)
        found.append((tmp_path / "order").read_text().split())
        (tmp_path / "order").unlink()
    first, again, other = found
    assert first == again != other and sorted(first) == sorted(other)


def test_the_groups_that_begin_first_are_there(pytestconfig: pytest.Config) -> None:
    own = pytestconfig.pluginmanager.get_plugin(str(run_tests.ROOT / "python/conftest.py"))
    tests = run_tests.ROOT / run_tests.TESTS
    for name in set(own.LONGEST) - {"networks"}:
        assert [*tests.glob(f"{name}*")], name


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
            crate / "Cargo.toml": 'path = "../whose/src/lib.rs"\nnear = { path = "../near" }',
            crate / "lib.rs": source, root / "adapters/near/Cargo.toml": "",
            root / "adapters/whose/Cargo.toml": "", root / "adapters/whose/src/lib.rs": "",
            built / "libbusmark_null.so": name,
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
        tmp_path / "first/adapters" / name for name in ("null", "near", "whose")
    }
    (library,) = tmp_path.glob("third/target/release/*.so")
    os.utime(library, (1, 1))
    assert run_tests.sources(library) == [library], "it was not built of what is there"
