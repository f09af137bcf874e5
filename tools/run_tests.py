"""The whole suite: every formatter, linter, type checker and test of both languages, the
conformance suite over every adapter, and the generated pages.

Conformance suites mostly wait: three run at a time, each in its own network and shared memory,
beside a step of Rust's tests. Linters and the Python tests that only compute take what the CPUs
have left. A step of Rust, or a conformance suite, that passed on this machine is not run again
while its sources, the compiler and the kernel are unchanged, in whatever checkout: it is listed as
such, and `--all` runs it. A failure does not end the run. Nothing of Busmark's that
failed is run again: a test that fails once is a defect. Only a suite in which the middleware itself
hung or died is, once and visibly. The last line is `N passed, N failed, N skipped`; a check without
its own tests, such as a linter, counts as one. The exit code is 1 if anything failed.

Python's tests run in random order, the same in every run; `--seed=N` is another.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from busmark.adapters import environment

ROOT = Path(__file__).resolve().parent.parent
BIN = ROOT / ".venv" / "bin"
PYTHON_SOURCES = ("python", "tools", "bench", "packaging")
IDLE = ("chrt", "--idle", "0") if shutil.which("chrt") else ("nice", "-n", "19")
TYPED = ("python/busmark", "tools", "packaging", "bench")
LANES = {"contract": 3, "rust": 1}
"""Steps that run at a time: suites of the contract, which mostly wait, and Rust's tests."""
PROCESSES = {"computing": 2, "measuring": 3}
"""Processes of Python's tests; campaigns wait for a third of their time, and miss their
rates where more run."""
SEED = "1"
"""Seed of the order of Python's tests. It is the same in every run, so that a failure is a change's
own; `--seed=N` is another."""
THREADS = 4
"""Threads of the tests of the core: the contract's suite mostly waits."""
TESTS = "python/tests"
COMPUTING = (
    "adapters",
    "analysis",
    "cli",
    "compare",
    "control",
    "docs",
    "findings",
    "frames",
    "model",
    "mutations",
    "oracles",
    "plan",
    "plugins",
    "present",
    "scenario",
    "stats",
    "store",
    "tools",
    "track",
)
"""Folders of Python's tests that measure nothing and wait for nothing by the clock: they run when
nothing else does, and may be suspended for a minute."""
PLUGINS = "python/busmark/plugins"
LIVE = "tests/live"
"""Where a plug-in has tests that measure, or change this machine; all others in its `tests`
compute."""
SHOWN = 20_000
"""Characters at the end of what a failing step wrote."""
SLOWEST = (
    "contract: zerodds-xrce",
    "contract: rti",
    "tests: core",
    "contract: zerodds",
    "contract: omnievents",
    "contract: zeromq, bind=writer",
    "contract: fastdds",
    "contract: fastdds3",
    "contract: fastdds-jazzy",
    "contract: rmw",
    "contract: rmw-jazzy",
    "contract: rclpy",
    "contract: rcl",
)
"""Steps that take minutes begin first, or one lane would end long after the others."""
OWN_PLACE = (
    "unshare",
    "--net",
    "--ipc",
    "--mount",
    "sh",
    "-c",
    'ip link set lo up && { mount -t tmpfs tmpfs /dev/shm || :; } && exec "$@"',
    "sh",
)
"""A network, and shared memory of its own where it may be mounted: suites look for what they leave
there."""
PASSED = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "busmark" / "passed"
"""A file for each conformance suite and step of Rust that passed, named by what it depends on."""
SHARED = ("abi", "idl", "adapters/spread_addresses.rs", ".cargo", "rustfmt.toml", "clippy.toml")
"""What a crate may read besides the folders of itself and of crates that it depends on."""


@dataclass
class Counts:
    """Tests by outcome."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0
    failures: list[str] = field(default_factory=list, compare=False)
    """Names of the tests that failed."""

    def add(self, other: Counts) -> None:
        """Add the counts of another."""
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        self.failures += other.failures

    def __str__(self) -> str:
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


@dataclass
class Step:
    """One command of the suite."""

    name: str
    command: list[str]
    parse: Callable[[str, int], Counts]
    folder: Path = ROOT
    remembered: Path | None = None
    """Where its counts are kept once it has passed."""
    brief: Callable[[str], str] = lambda output: output[-SHOWN:]
    """What of its output is shown where something failed."""
    idle: bool = False
    """It takes what others leave of the CPUs: tests that wait must not be late."""


def single(_output: str, code: int) -> Counts:
    """Count a check without tests of its own as one."""
    return Counts(passed=int(code == 0), failed=int(code != 0))


def skipped(_output: str, _code: int) -> Counts:
    """Count something as skipped that cannot be tested here; the output says why."""
    return Counts(skipped=1)


def cargo(output: str, code: int) -> Counts:
    """Sum the closing lines of `cargo test`; a failure to build counts as one failed."""
    counts = Counts()
    pattern = r"test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored"
    for passed, failed, ignored in re.findall(pattern, output):
        counts.add(Counts(int(passed), int(failed), int(ignored)))
    if code != 0 and counts.failed == 0:
        counts.failed = 1
    # Listed, indented, behind the last `failures:` of each program.
    lists = re.findall(r"^failures:\n((?:    \S+\n)+)", output, re.MULTILINE)
    counts.failures = sorted({test for found in lists for test in found.split()})
    return counts


def pytest(output: str, code: int) -> Counts:
    """Count by the closing line of pytest, and name the tests that failed."""
    tail = output.strip().splitlines()[-1] if output.strip() else ""
    found = {word: int(number) for number, word in re.findall(r"(\d+) (\w+)", tail)}
    failed = found.get("failed", 0) + found.get("error", 0) + found.get("errors", 0)
    if code != 0 and failed == 0:
        failed = 1
    names = re.findall(r"^(?:FAILED|ERROR) (\S+::[^\[\s]+(?:\[.*?\])?)(?: - .*)?$", output, re.M)
    return Counts(found.get("passed", 0), failed, found.get("skipped", 0), [*dict.fromkeys(names)])


def conformance(output: str, code: int) -> Counts:
    """Count by the JSON report of `busmark adapter check`."""
    try:
        report = json.loads(output)
        names = [each["test"] for each in report["results"] if each["outcome"] == "failed"]
        counts = Counts(report["passed"], report["failed"], report["skipped"], names)
    except (ValueError, KeyError):
        return Counts(failed=1)
    if counts.passed == 0 or (code != 0 and counts.failed == 0):
        # An adapter that cannot be used here was not tested: `make build` was to provide it.
        counts.failed += 1
    return counts


def adapters() -> list[str]:
    """Return the adapters of this release: each must be here, but those that `left_out` knows."""
    stated = [tomllib.loads(path.read_text()) for path in ROOT.glob("adapters/*/adapter.toml")]
    return sorted(name for tables in stated for name in tables if name != "format")


OTHERWISE = {"tcp": ("connection=shared",), "zeromq": ("bind=writer",)}
"""Options under which the contract of an adapter is another one, and is tested too."""


def left_out(adapter: str) -> str | None:
    """Return why an adapter was not built, which no package manager offers here; else None."""
    folder = ROOT / "adapters" / adapter
    reason = folder / "optional"
    if library(adapter).exists() or not reason.exists():
        return None
    wheels = (folder / "wheels.txt").exists() and platform.machine() == "x86_64"
    return None if wheels else reason.read_text().strip()


def library(adapter: str) -> Path:
    """Return the path of an adapter's library, once built."""
    return ROOT / "target" / "release" / f"libbusmark_{adapter.replace('-', '_')}.so"


def crates() -> list[Path]:
    """Return the cargo workspaces besides the core's: one for each adapter, with its bare loop."""
    found = [*(ROOT / "adapters").glob("*/Cargo.toml"), *(ROOT / "bench/bare").glob("*/Cargo.toml")]
    return sorted(path.parent for path in found if "[workspace]\n" in path.read_text())


def check(name: str, command: list[str], folder: Path = ROOT, passed: Path | None = None) -> Step:
    """Make a step of a formatter, linter or type checker."""
    return Step(name, command, single, folder, passed, idle=True)


def lint_steps() -> list[Step]:
    """Return the steps of formatters, linters, type checker and generated pages."""
    clippy = ["cargo", "clippy", "-q", "--locked", "--all-targets"]
    denied = ["--", "-D", "warnings"]
    steps = [
        rust_check("format: core", ["cargo", "fmt", "--all", "--check"]),
        check("format: python", [str(BIN / "ruff"), "format", "--check", *PYTHON_SOURCES]),
        check("lint: python", [str(BIN / "ruff"), "check", *PYTHON_SOURCES]),
        check("types: python", [str(BIN / "mypy"), *TYPED]),
        check("generated pages", [str(BIN / "python"), "tools/generate.py", "--check"]),
        rust_check("lint: core", [*clippy, "--workspace", *denied]),
    ]
    for folder in crates():
        name = folder.relative_to(ROOT).as_posix()
        steps.append(rust_check(f"format: {name}", ["cargo", "fmt", "--all", "--check"], folder))
        lint = [*clippy, "--workspace", "--release", *denied]
        steps.append(rust_check(f"lint: {name}", lint, folder))
    return steps


def rust_check(name: str, command: list[str], folder: Path = ROOT) -> Step:
    """Make a step of a formatter or linter of Rust."""
    return check(name, command, folder, rust_passed(name, folder))


def passed_place(name: str, paths: Iterable[Path], *words: str) -> Path | None:
    """Return where the outcome of a step is kept: under a digest of the contents of these files, of
    the kernel, the compiler and these words; nowhere if a file is missing."""
    digest = hashlib.sha256("\n".join((platform.release(), compiler(), *words)).encode())
    try:
        for one in sorted(hashlib.sha256(path.read_bytes()).digest() for path in paths):
            digest.update(one)
    except OSError:
        return None
    return PASSED / f"{re.sub(r'[^a-z0-9-]+', '-', name)}-{digest.hexdigest()[:24]}.json"


@cache
def compiler() -> str:
    """Return the version of the Rust compiler."""
    return subprocess.run(["rustc", "-vV"], capture_output=True, text=True, check=True).stdout


def contract_passed(adapter: str, setting: str = "") -> Path | None:
    """Return where the outcome of an adapter's conformance suite is kept: it depends on the
    library, the suite, the worker, the packages whose middleware it may load, and an option."""
    built, folder = ROOT / "target" / "release", ROOT / "adapters" / adapter
    programs = [built / path.stem for path in sorted(folder.glob("src/bin/*.rs"))]
    parts = [library(adapter), built / "busmark-check", built / "busmark-worker", *programs]
    lists = [folder / name for name in ("requirements.txt", "debian.txt")]
    # With the lists that an adapter's includes; and what of it is in Python.
    lists += [ROOT / "target/middleware" / adapter / "wheels.txt", *sorted(folder.glob("*.py"))]
    paths = [source for part in parts for source in sources(part)]
    paths += [path for path in lists if path.exists()]
    return passed_place(f"contract: {adapter}", paths, setting)


def sources(built: Path) -> list[Path]:
    """Return what cargo made this library or program of. A library of CMake, or one that is older
    than a source, stands for itself: cargo's own output differs from checkout to checkout."""
    listed = built.with_suffix(".d")
    if not (listed.exists() and built.exists()):
        return [built]
    names = listed.read_text().partition(": ")[2].splitlines()[0]
    found = [Path(name.replace("\\ ", " ")) for name in re.split(r"(?<!\\) ", names)]
    found += {
        near / name
        for source in found
        for near in source.parents
        for name in ("Cargo.toml", "Cargo.lock")
        if (near / name).exists()
    }
    made = built.stat().st_mtime_ns
    whole = all(path.exists() and path.stat().st_mtime_ns <= made for path in found)
    return found if whole else [built]


def rust_passed(name: str, folder: Path) -> Path | None:
    """Return where the outcome of a step of Rust is kept: it depends on all files of the crate and
    of those that it names by a path; the core's also on two adapters."""
    core = [ROOT / "crates", ROOT / "Cargo.toml", ROOT / "Cargo.lock"]
    core += [needed for name in ("null", "reference") for needed in needs(ROOT / "adapters" / name)]
    tops = [*(core if folder == ROOT else needs(folder)), *(ROOT / name for name in SHARED)]
    files = {path for top in tops for path in (top, *top.rglob("*")) if path.is_file()}
    return passed_place(name, files)


def needs(folder: Path) -> set[Path]:
    """Return the folders of a crate and of all crates here that it depends on, or has its source
    from."""
    found: set[Path] = set()
    more = [folder]
    while more:
        if (crate := more.pop()) not in found:
            found.add(crate)
            named = re.findall(r'path = "([^"]+)"', (crate / "Cargo.toml").read_text())
            near = [(crate / name).resolve() for name in named]
            near += [path.parent.parent for path in near if path.is_file()]
            more += [path for path in near if (path / "Cargo.toml").exists()]
    return found


def test_steps() -> list[Step]:
    """Return the steps of the contract over every adapter, which leaves time to the checks, and of
    Rust's tests; the slowest come first."""
    steps: list[Step] = []
    alone = OWN_PLACE if os.geteuid() == 0 else ()
    for adapter in adapters():
        if reason := left_out(adapter):
            steps.append(Step(f"left out: {adapter}", ["echo", f"SKIPPED {reason}"], skipped))
            continue
        command = [*alone, str(BIN / "busmark"), "adapter", "check", adapter, "--json"]
        for setting in ("", *OTHERWISE.get(adapter, ())):
            name = f"contract: {adapter}{setting and ', ' + setting}"
            options = ["--set", setting] if setting else []
            kept = contract_passed(adapter, setting)
            step = Step(name, [*command, *options], conformance, ROOT, kept, contract_brief)
            steps.append(step)
    # As released: the build of the adapter itself serves its tests too.
    test = ["cargo", "test", "-q", "--locked", "--no-fail-fast"]
    core = ["env", f"RUST_TEST_THREADS={THREADS}", *test, "--workspace"]
    tested = [("tests: core", core, ROOT)]
    tested += [
        (f"tests: adapters/{folder.name}", [*test, "--release"], folder)
        for folder in crates()
        if folder.parent.name == "adapters"
    ]
    for name, command, folder in tested:
        steps.append(Step(name, command, cargo, folder, rust_passed(name, folder)))
    return sorted(steps, key=lambda s: SLOWEST.index(s.name) if s.name in SLOWEST else len(SLOWEST))


def seed() -> str:
    """Return the seed of the order of Python's tests: N of `--seed=N`, or the usual one."""
    given = [word.removeprefix("--seed=") for word in sys.argv[1:] if word.startswith("--seed=")]
    return given[-1] if given else SEED


def python_step(name: str, *places: str) -> Step:
    """Make a step of Python's tests in these places, some files at a time."""
    beside = ["-n", str(PROCESSES[name]), "--dist", "loadscope", "--no-loadscope-reorder"]
    beside.append(f"--randomly-seed={seed()}")
    command = [str(BIN / "python"), "-m", "pytest", "-rsfE", "--durations=40", *beside, *places]
    return Step(f"tests: python, {name}", command, pytest)


def computing_step() -> Step:
    """Make the step of Python's tests that only compute, beside all others."""
    live = f"--ignore-glob={ROOT / PLUGINS}/*/{LIVE}"
    step = python_step("computing", live, *(f"{TESTS}/{name}" for name in COMPUTING), PLUGINS)
    step.idle = True
    return step


def measuring_step() -> Step:
    """Make the step of Python's other tests. Only idle steps run beside it: it takes both CPUs."""
    folders = [folder for folder in (ROOT / TESTS).iterdir() if folder.name not in COMPUTING]
    folders += (ROOT / PLUGINS).glob(f"*/{LIVE}")
    files = [path for folder in sorted(folders) for path in sorted(folder.rglob("test_*.py"))]
    return python_step("measuring", *(path.relative_to(ROOT).as_posix() for path in files))


def contract_brief(output: str) -> str:
    """Return the failed tests of a conformance suite, without the hundred that passed."""
    try:
        results = json.loads(output)["results"]
    except (ValueError, KeyError):
        return output[-SHOWN:]
    return "\n".join(
        f"FAILED {result['clause']} {result['test']}: {result['detail']}"
        for result in results
        if result["outcome"] == "failed"
    )


@dataclass
class Ended:
    """A step that has run, or had passed before."""

    step: Step
    counts: Counts
    cached: bool = False


def completed(command: list[str], step: Step) -> subprocess.CompletedProcess[str]:
    """Run the command of a step to its end."""
    return subprocess.run(
        command,
        cwd=step.folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        env=environment(),
    )


def of_middleware(step: Step, output: str) -> bool:
    """Return whether all that failed of a contract are calls that did not return, or processes that
    a signal ended: faults that libraries have once in hundreds of participants."""
    failed = contract_brief(output).splitlines() if step.brief is contract_brief else []
    return bool(failed) and all(": hangs: " in line or "killed by SIG" in line for line in failed)


def run(step: Step) -> Ended:
    """Run one step; show its output when something failed, and skipped tests always."""
    if step.remembered and step.remembered.exists() and "--all" not in sys.argv[1:]:
        before = step.remembered.read_text().strip()
        print(f"cached {step.name:<34}{before}, and nothing has changed since", flush=True)
        return Ended(step, Counts(skipped=1), cached=True)
    begin = time.monotonic()
    command = [*IDLE, *step.command] if step.idle else step.command
    done = completed(command, step)
    if of_middleware(step, done.stdout):
        print(f"AGAIN  {step.name}\n{step.brief(done.stdout)}", flush=True)
        done = completed(command, step)
    counts = step.parse(done.stdout, done.returncode)
    seconds = time.monotonic() - begin
    lines = [
        f"{'FAILED' if counts.failed else 'ok':<7}{step.name:<34}{counts}  ({seconds:.0f} s)",
        *([step.brief(done.stdout), done.stderr[-SHOWN:]] if counts.failed else []),
        *("       " + line for line in done.stdout.splitlines() if line.startswith("SKIPPED")),
        *(["       " + line for line in slowest(done.stdout)] if step.parse is pytest else []),
    ]
    print("\n".join(lines), flush=True)
    if step.remembered and counts.passed and not counts.failed:
        remember(step.remembered, counts)
    return Ended(step, counts)


def remember(place: Path, counts: Counts) -> None:
    """Note that a step passed; without a place for it, it is run again next time."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(f"{counts}\n")
    except OSError:
        return


def slowest(output: str) -> list[str]:
    """Return pytest's lines on where its time went (`--durations`)."""
    return [line for line in output.splitlines() if re.match(r"\d+\.\d+s (call|setup) ", line)]


def named(steps: list[Step]) -> list[Step]:
    """Return the steps whose name contains one of the arguments; all of them without any."""
    words = [word for word in sys.argv[1:] if not word.startswith("-")]
    return [s for s in steps if not words or any(word in s.name for word in words)]


def main() -> int:
    """Run all, or the steps that are named: the contract and Rust's tests in lanes, then Python's
    that measure; checks, and Python's that compute, beside them."""
    total, tested, cached = Counts(), [], []
    begin = time.monotonic()
    print(f"Order of Python's tests: --seed={seed()}", flush=True)
    contract, rust = (ThreadPoolExecutor(LANES[kind]) for kind in ("contract", "rust"))
    with ThreadPoolExecutor(2) as beside, contract, rust:
        checks = beside.map(run, named([computing_step(), *lint_steps()]))
        tests = named(test_steps())
        compiled = [step for step in tests if step.name.startswith("tests: ")]
        suites = contract.map(run, [step for step in tests if step not in compiled])
        ended = [*rust.map(run, compiled), *suites]
        ended += [run(step) for step in named([measuring_step()])]
        ended += checks
    for one in ended:
        counts = one.counts
        names = counts.failures or ["see above"] * bool(counts.failed)
        total.add(counts)
        print("".join(f"FAILED {one.step.name}: {name}\n" for name in names), end="")
        adapter = one.step.name.removeprefix("contract: ")
        if adapter != one.step.name and one.cached:
            cached.append(adapter)
        elif adapter != one.step.name and counts.passed:
            tested.append(f"{adapter} ({counts})")
    print("Adapters tested against the contract: " + (", ".join(tested) or "none"))
    print("Adapters unchanged since they passed: " + (", ".join(cached) or "none"))
    print(f"{(time.monotonic() - begin) / 60:.0f} minutes")
    print(total)
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main())
