"""The whole suite: every formatter, linter, type checker and test of both languages, the
conformance suite over every adapter, and the generated pages.

It goes on after a failure and sums up at the end. The last line is `N passed, N failed, N skipped`;
a check without tests of its own, such as a linter, counts as one. The exit code is 1 if anything
failed.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from busmark.adapters import environment

ROOT = Path(__file__).resolve().parent.parent
BIN = ROOT / ".venv" / "bin"
PYTHON_SOURCES = ("python", "tools", "bench", "packaging")
IDLE = ("chrt", "--idle", "0") if shutil.which("chrt") else ("nice", "-n", "19")
TYPED = ("python/busmark", "tools", "packaging", "bench")


@dataclass
class Counts:
    """Tests by outcome."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def add(self, other: Counts) -> None:
        """Sums up."""
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped

    def __str__(self) -> str:
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


@dataclass
class Step:
    """One command of the suite."""

    name: str
    command: list[str]
    parse: Callable[[str, int], Counts]
    folder: Path = ROOT


def single(_output: str, code: int) -> Counts:
    """A check without tests of its own."""
    return Counts(passed=int(code == 0), failed=int(code != 0))


def skipped(_output: str, _code: int) -> Counts:
    """Something that cannot be tested here; the output says why."""
    return Counts(skipped=1)


def cargo(output: str, code: int) -> Counts:
    """Sums the closing lines of `cargo test`; a failure to build counts as one failed."""
    counts = Counts()
    pattern = r"test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored"
    for passed, failed, ignored in re.findall(pattern, output):
        counts.add(Counts(int(passed), int(failed), int(ignored)))
    if code != 0 and counts.failed == 0:
        counts.failed = 1
    return counts


def pytest(output: str, code: int) -> Counts:
    """The closing line of pytest."""
    tail = output.strip().splitlines()[-1] if output.strip() else ""
    found = {word: int(number) for number, word in re.findall(r"(\d+) (\w+)", tail)}
    failed = found.get("failed", 0) + found.get("error", 0) + found.get("errors", 0)
    if code != 0 and failed == 0:
        failed = 1
    return Counts(found.get("passed", 0), failed, found.get("skipped", 0))


def conformance(output: str, code: int) -> Counts:
    """The JSON report of `busmark adapter check`."""
    try:
        report = json.loads(output)
        counts = Counts(report["passed"], report["failed"], report["skipped"])
    except (ValueError, KeyError):
        return Counts(failed=1)
    if counts.passed == 0 or (code != 0 and counts.failed == 0):
        # An adapter that cannot be used here was not tested: `make build` was to provide it.
        counts.failed += 1
    return counts


def adapters() -> list[str]:
    """Adapters of this release: each must be here, but those that `left_out` knows."""
    known = ROOT / "python" / "busmark" / "adapters" / "known.toml"
    return sorted(tomllib.loads(known.read_text()))


def left_out(adapter: str) -> str | None:
    """Why an adapter was not built whose middleware no package manager offers; else None."""
    reason = ROOT / "adapters" / adapter / "optional"
    built = ROOT / "target" / "release" / f"libbusmark_{adapter}.so"
    return reason.read_text().strip() if reason.exists() and not built.exists() else None


def crates() -> list[Path]:
    """Cargo workspaces besides the core's: one for each adapter, with its bare loop."""
    found = [*(ROOT / "adapters").glob("*/Cargo.toml"), *(ROOT / "bench/bare").glob("*/Cargo.toml")]
    return sorted(path.parent for path in found if "[workspace]\n" in path.read_text())


def lint_steps() -> list[Step]:
    """Formatters, linters, type checker, generated pages."""
    clippy = ["cargo", "clippy", "-q", "--locked", "--all-targets"]
    denied = ["--", "-D", "warnings"]
    steps = [
        Step("format: core", ["cargo", "fmt", "--all", "--check"], single),
        Step("format: python", [str(BIN / "ruff"), "format", "--check", *PYTHON_SOURCES], single),
        Step("lint: python", [str(BIN / "ruff"), "check", *PYTHON_SOURCES], single),
        Step("types: python", [str(BIN / "mypy"), *TYPED], single),
        Step("generated pages", [str(BIN / "python"), "tools/generate.py", "--check"], single),
        Step("lint: core", [*clippy, "--workspace", *denied], single),
    ]
    for folder in crates():
        name = folder.relative_to(ROOT).as_posix()
        steps.append(Step(f"format: {name}", ["cargo", "fmt", "--all", "--check"], single, folder))
        lint = [*clippy, "--workspace", "--release", *denied]
        steps.append(Step(f"lint: {name}", lint, single, folder))
    return steps


def test_steps() -> list[Step]:
    """The contract over every adapter, which leaves time to the checks; then all other tests."""
    steps: list[Step] = []
    for adapter in adapters():
        if reason := left_out(adapter):
            steps.append(Step(f"left out: {adapter}", ["echo", f"SKIPPED {reason}"], skipped))
            continue
        command = [str(BIN / "busmark"), "adapter", "check", adapter, "--json"]
        steps.append(Step(f"contract: {adapter}", command, conformance))
    core = ["cargo", "test", "-q", "--locked", "--workspace"]
    steps.append(Step("tests: core", core, cargo))
    for folder in crates():
        if folder.parent.name == "adapters":
            # As released: the build of the adapter itself serves its tests too.
            command = ["cargo", "test", "-q", "--release", "--locked"]
            steps.append(Step(f"tests: adapters/{folder.name}", command, cargo, folder))
    steps.append(Step("tests: python", [str(BIN / "python"), "-m", "pytest", "-rs"], pytest))
    return steps


def again(step: Step, output: str, counts: Counts) -> Counts:
    """Tests of the contract that failed, once more: on a busy machine young middleware may be late.
    What passes then has passed, and is told."""
    try:
        results = json.loads(output)["results"]
    except (ValueError, KeyError):
        return counts
    for result in results:
        if result["outcome"] != "failed":
            continue
        command = [*step.command, "--only", result["test"]]
        done = subprocess.run(command, cwd=step.folder, capture_output=True, check=False)
        if done.returncode == 0:
            counts.failed -= 1
            counts.passed += 1
            print(f"       UNSTEADY {step.name}, {result['test']}: {result['detail']}")
    return counts


def run(step: Step) -> Counts:
    """Runs one step; its output is shown when something failed, and skipped tests always."""
    begin = time.monotonic()
    # Checks take what tests leave of the CPUs: tests mostly wait, and must not be late.
    command = [*IDLE, *step.command] if step.parse is single else step.command
    done = subprocess.run(
        command, cwd=step.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        errors="replace", check=False, env=environment(),
    )  # fmt: skip
    counts = step.parse(done.stdout, done.returncode)
    if counts.failed and step.parse is conformance:
        counts = again(step, done.stdout, counts)
    seconds = time.monotonic() - begin
    lines = [
        f"{'FAILED' if counts.failed else 'ok':<7}{step.name:<34}{counts}  ({seconds:.0f} s)",
        *([done.stdout[-20_000:], done.stderr[-20_000:]] if counts.failed else []),
        *("       " + line for line in done.stdout.splitlines() if line.startswith("SKIPPED")),
    ]
    print("\n".join(lines), flush=True)
    return counts


def named(steps: list[Step]) -> list[Step]:
    """The steps whose name contains one of the arguments; all of them without any."""
    words = sys.argv[1:]
    return [s for s in steps if not words or any(word in s.name for word in words)]


def main() -> int:
    """Runs all, or the steps that are named: tests one after the other, checks beside them."""
    total, tested = Counts(), []
    with ThreadPoolExecutor(1) as beside:
        checks = beside.map(run, named(lint_steps()))
        for step in named(test_steps()):
            counts = run(step)
            total.add(counts)
            if step.name.startswith("contract: "):
                tested.append(f"{step.name.removeprefix('contract: ')} ({counts})")
        for counts in checks:
            total.add(counts)
    print("Adapters tested against the contract: " + (", ".join(tested) or "none"))
    print(total)
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main())
