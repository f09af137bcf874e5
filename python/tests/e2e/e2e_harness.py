"""What end-to-end tests are made of: the command as a user calls it, in a directory of its own,
with real workers and real adapters."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

import polars as pl
import pytest
import ready

from busmark.adapters import libraries, worker
from busmark.cli import main
from busmark.store import Result

HERE = Path(__file__).resolve().parent
PACKAGE_FOLDER = HERE.parent.parent

WATCHDOG_S = 180.0
"""A command that takes so long hangs. It bounds no duration: nothing here takes a tenth of it."""
PATIENCE_S = 60.0
"""How long a condition that must come true is waited for, on however slow a machine."""

MARK = "BUSMARK_TEST_MARK"
"""Variable by which every process that a test has started is known, its descendants included."""


@dataclass(frozen=True)
class Ended:
    """A command that has ended."""

    code: int
    out: str
    err: str

    @property
    def text(self) -> str:
        return self.out + self.err


def marked(variable: str, value: str) -> dict[int, str]:
    """Return everything alive that has this variable: process and command. A child that has not
    begun its program yet, whose command is still its parent's, is left out."""
    wanted, found, parents = f"{variable}={value}".encode(), {}, {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if wanted in (entry / "environ").read_bytes().split(b"\0"):
                    words = (entry / "cmdline").read_bytes().split(b"\0")
                    # Behind the name, which may contain anything: state and parent.
                    _, parent, *_ = (entry / "stat").read_text().rpartition(")")[2].split()
                    found[int(entry.name)] = b" ".join(words).decode(errors="replace")
                    parents[int(entry.name)] = int(parent)
            except OSError:
                continue
    return {pid: words for pid, words in found.items() if found.get(parents[pid]) != words}


def strike(process: int) -> bool:
    """Kill a process; return whether it was still there."""
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


@dataclass
class Lab:
    """A folder for scenarios and results, and the command line in it."""

    folder: Path
    scratch: Path
    """TMPDIR of everything that is started; short, for the sake of Unix-domain sockets."""
    mark: str = field(default_factory=lambda: uuid.uuid4().hex)

    @property
    def environment(self) -> dict[str, str]:
        path = [os.environ.get("PYTHONPATH", ""), str(PACKAGE_FOLDER)]
        return {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(part for part in path if part),
            "TMPDIR": str(self.scratch),
            "COLUMNS": "200",
            # What is remembered of adapters on this machine is of no concern to a test.
            "XDG_CACHE_HOME": str(self.scratch / "cache"),
            "XDG_STATE_HOME": str(self.scratch / "state"),
            MARK: self.mark,
        }

    def scenario(self, text: str, name: str = "scenario.toml") -> Path:
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def start(
        self,
        *arguments: str | Path,
        variables: Mapping[str, str | Path] | None = None,
        prefix: Sequence[str] = (),
    ) -> subprocess.Popen[str]:
        """Start `busmark` in a session of its own, as a terminal would."""
        extra = {name: str(value) for name, value in (variables or {}).items()}
        return subprocess.Popen(
            [*prefix, sys.executable, "-m", "busmark", *map(str, arguments)],
            cwd=self.folder, env={**self.environment, **extra}, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            start_new_session=True,
        )  # fmt: skip

    def busmark(
        self,
        *arguments: str | Path,
        variables: Mapping[str, str | Path] | None = None,
        prefix: Sequence[str] = (),
    ) -> Ended:
        """Run `busmark` to its end. Whatever happens, it never shows a traceback."""
        if variables or prefix:
            return end(self.start(*arguments, variables=variables, prefix=prefix))
        words = [str(argument) for argument in arguments]
        code, out, err = ready.run(words, self.folder, self.environment, self.scratch, WATCHDOG_S)
        if code is None:
            pytest.fail(f"hangs; so far it said:\n{out}{err}")
        return without_traceback(Ended(code, out, err))

    def campaign(
        self,
        text: str,
        *options: str | Path,
        out: str | Path = "result",
        code: int = 0,
        variables: Mapping[str, str | Path] | None = None,
        prefix: Sequence[str] = (),
    ) -> Ended:
        """Run a scenario of this text into the folder `result`, or another; it ends with `code`."""
        words = ("run", self.scenario(text), "--out", out, *options)
        ended = self.busmark(*words, variables=variables, prefix=prefix)
        assert ended.code == code, ended.text
        return ended

    def quickly(self, *arguments: str) -> Ended:
        """Run `busmark` within this process: for commands that end before anything runs."""
        out, err = io.StringIO(), io.StringIO()
        code: object = 0
        with (
            mock.patch.object(sys, "argv", ["busmark", *arguments]),
            contextlib.chdir(self.folder),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            try:
                main()
            except SystemExit as leaves:
                code = leaves.code
        assert isinstance(code, int)
        return Ended(code, out.getvalue(), err.getvalue())

    def processes(self) -> dict[int, str]:
        """Return everything alive that was started here: process and command."""
        return marked(MARK, self.mark)

    def workers(self) -> list[int]:
        """Return the workers alive that take part in a round."""
        return [pid for pid, command in self.processes().items() if " participate" in command]

    def assert_nothing_left(self) -> None:
        """Check that no process is left, and no directory for sockets."""
        eventually(lambda: not self.processes(), lambda: f"still alive: {self.processes()}")
        assert not list(self.scratch.glob("busmark-run-*"))
        assert not list(self.scratch.glob("busmark-node-*"))


def end(process: subprocess.Popen[str], watchdog_s: float = WATCHDOG_S) -> Ended:
    """Wait for the end of a command."""
    try:
        out, err = process.communicate(timeout=watchdog_s)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        pytest.fail(f"hangs; so far it said:\n{out}{err}")
    return without_traceback(Ended(process.returncode, out, err))


def without_traceback(ended: Ended) -> Ended:
    """Return what has ended, which must not have had a fault that it did not expect."""
    assert "Traceback" not in ended.text, ended.text
    return ended


def eventually(condition: Callable[[], Any], why: Callable[[], str]) -> Any:
    """Wait until the condition is true, or say why it never was. Looking takes a third of the time
    at most, for what is waited for needs the CPU as well."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        looked = time.monotonic()
        if value := condition():
            return value
        now = time.monotonic()
        if now > deadline:
            pytest.fail(f"not within {PATIENCE_S:g} s: {why()}")
        time.sleep(max(0.02, 2 * (now - looked)))


@contextlib.contextmanager
def tidy(process: subprocess.Popen[str]) -> Iterator[subprocess.Popen[str]]:
    """Yield a process that is gone after the test, whatever becomes of it."""
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


DOMAIN = 100 + os.getpid() % 100
"""Domain of this session: what others measure on the same machine meanwhile is not met."""


# --- scenarios ------------------------------------------------------------------------------------


def scenario(
    matrix: str,
    *,
    measure: str = "duration_s = 0.1\nwarmup_s = 0.02\nsamples = 300\nmax_samples = 5000",
    rounds: str = "min = 2",
    run: str = "",
    criteria: str = "match_timeout_s = 60\nmin_samples = 1\nmin_rate = 0\nmin_load = 0",
    also: str = "",
) -> str:
    """Return a scenario of very short rounds. A single sample is enough, at any rate, under any
    load and after however long a discovery: machines may be busy."""
    sections = {
        "measure": measure, "matrix": matrix, "rounds": rounds, "criteria": criteria,
        "run": f"domain = {DOMAIN}\n{run}",
    }  # fmt: skip
    text = "\n\n".join(f"[{name}]\n{keys}" for name, keys in sections.items())
    return f'name = "end to end"\n\n{text}\n\n{also}\n'


def need_adapters(*names: str) -> None:
    """Skip the test where one of these adapters is not built."""
    missing = [name for name in names if name not in libraries()]
    if missing:
        pytest.skip(f"not built here: {', '.join(missing)}")


def real_worker() -> Path:
    return worker()


# --- results --------------------------------------------------------------------------------------


def events(directory: Path) -> list[dict[str, Any]]:
    """Read `events.jsonl`, every line of which must be whole but one that is being written."""
    path = directory / "events.jsonl"
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]


def count(directory: Path, kind: str) -> int:
    return sum(event["event"] == kind for event in events(directory))


def begun(directory: Path) -> list[tuple[str, int]]:
    """Return case and round of every attempt, in the order of execution."""
    return [
        (event["case"], event["round"])
        for event in events(directory)
        if event["event"] == "round_begins"
    ]


def rows(directory: Path) -> list[dict[str, Any]]:
    """Return the table of rounds, by case and round."""
    found: list[dict[str, Any]] = Result(directory).cases.sort("case", "round").to_dicts()
    return found


def fingerprints(directory: Path) -> dict[str, str]:
    """Return digests of the files of every finished round."""
    return {
        str(path.relative_to(directory)): hashlib.sha256(path.read_bytes()).hexdigest()
        for row in rows(directory)
        if row["status"] != "failed"
        for path in round_files(directory, row)
    }


def round_files(directory: Path, row: Mapping[str, Any]) -> list[Path]:
    stem = f"{row['case']}.r{row['round']:03d}.parquet"
    return [directory / folder / stem for folder in ("samples", "intervals")]


def assert_intact(directory: Path) -> Result:
    """Check that every round of the table is there, once, with all that was recorded."""
    result = Result(directory)
    keys = [(row["case"], row["round"]) for row in result.cases.to_dicts()]
    assert len(keys) == len(set(keys)), "a round is listed twice"
    for row in result.cases.filter(pl.col("status") != "failed").to_dicts():
        samples = result.samples(row["case"], row["round"])
        result.intervals(row["case"], row["round"])
        recorded = samples.filter(pl.col("role").is_in(["pinger", "transmitter"]))
        assert recorded.filter(pl.col("read_ns").is_not_null()).height == row["samples"], row
    return result


def assert_complete(directory: Path, cases: int, rounds: int) -> None:
    """Check that exactly the planned rounds are there, all of them good."""
    result = assert_intact(directory)
    planned = {case.id for case in result.manifest.cases if case.status == "planned"}
    assert len(planned) == cases
    expected = {(case, number) for case in planned for number in range(rounds)}
    assert {(row["case"], row["round"]) for row in rows(directory)} == expected
    assert {row["status"] for row in rows(directory)} == {"ok"}
    assert result.manifest.finished_utc is not None
    assert not list(directory.rglob("*.partial"))


def figures(case: dict[str, Any], scope: str = "case") -> dict[str, dict[str, Any]]:
    """Return the values of a typical round that `show --json` lists as rows: of each part of this
    scope, by quantity; of the whole case under "". A quantity with several statistics is not among
    them (`seams.row_of`)."""
    found: dict[str, dict[str, list[Any]]] = {}
    for row in case["figures"]:
        if (row["scope"], row["over"], row.get("round")) == (scope, "rounds", None):
            own = found.setdefault(row.get("of") or "", {})
            own.setdefault(row["quantity"], []).append(row.get("value"))
    return {
        part: {quantity: values[0] for quantity, values in own.items() if len(values) == 1}
        for part, own in found.items()
    }
