"""Histories with known answers: entries without a result behind them, and results in the real
format."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from click.testing import CliRunner, Result
from compare_results import campaign
from seams import command

from busmark.errors import UserError
from busmark.track import Commit, HistoryEntry, Machine, TrackedCase

__all__ = ["campaign", "entry", "figure", "history", "noise", "run"]

GOODPUT, MEDIAN, LOSS = "goodput.throughput", "median.latency", "loss"


def run(*words: object) -> Result:
    """Run a command; it may refuse, but not end by an exception of its own."""
    ended = CliRunner().invoke(command, [str(word) for word in words], env={"COLUMNS": "200"})
    if ended.exception is not None and not isinstance(ended.exception, SystemExit | UserError):
        raise ended.exception
    return ended


def noise(n: int, seed: int, deviation: float = 0.005) -> list[float]:
    """Draw factors about 1."""
    factors: list[float] = np.exp(
        deviation * np.random.default_rng(seed).standard_normal(n)
    ).tolist()
    return factors


def figure(value: float, unit: str = "ns") -> dict[str, Any]:
    """Return a figure with an interval of 1 % to each side."""
    return dict(value=value, low=value * 0.99, high=value * 1.01, confidence=0.95, count=5000,
                rounds=5, unit=unit)  # fmt: skip


def entry(
    number: int, figures: dict[str, float], *, host: str = "bench", kernel: str = "6.1",
    adapter: str = "udp", version: str = "1", size: int = 64, **more: Any,
) -> HistoryEntry:  # fmt: skip
    """Return a result of the commit of this number, one each day."""
    units = {GOODPUT: "Mbit/s", LOSS: "1"}
    own = {name: figure(value, units.get(name, "ns")) for name, value in figures.items()}
    test = "throughput" if GOODPUT in figures else "latency"
    params = {"test": test, "adapter": adapter, "size": size, "placement": "same"}
    case = TrackedCase.model_validate(dict(
        id=f"000-{test}-{adapter}-{size}B", params=params | more.pop("params", {}),
        effort={"duration_s": 2.0}, rounds=5, figures=own,
        latencies={MEDIAN: "half_round_trip"} if MEDIAN in own else {},
    ))  # fmt: skip
    day = f"2026-{1 + number // 28:02d}-{1 + number % 28:02d}T00:00:00Z"
    return HistoryEntry(
        commit=Commit(id=f"{number:040x}", utc=day, subject=f"change {number}"),
        machine=Machine(name=host, facts={"hostname": host, "cpu_model": "A"},
                        settings={"kernel": kernel}),
        cookie=more.pop("cookie", f"{host}-{number}-{size}"), directory="r", campaign="c",
        measured_utc=day, added_utc=day, busmark_version="1",
        versions={adapter: {"title": adapter.upper(), "version": version}}, cases=[case], **more,
    )  # fmt: skip


def history(path: Path, entries: Sequence[HistoryEntry]) -> Path:
    """Write the file as `add` writes it."""
    lines = [one.model_dump_json(exclude_none=True) + "\n" for one in entries]
    path.write_text("".join(lines), encoding="utf-8")
    return path


def repository(folder: Path, commits: int, day_of: Callable[[int], int] = int) -> list[str]:
    """Make a git repository with this many commits, each on its day; return their identifiers."""

    def git(*words: str, day: int = 0) -> str:
        date = f"2026-02-{1 + day_of(day):02d}T12:00:00Z"
        who = {"NAME": "A", "EMAIL": "a@example.org", "DATE": date}
        env = {f"GIT_{role}_{k}": v for role in ("AUTHOR", "COMMITTER") for k, v in who.items()}
        done = subprocess.run(["git", *words], cwd=folder, env={"PATH": "/usr/bin:/bin", **env},
                              capture_output=True, text=True, check=True)  # fmt: skip
        return done.stdout.strip()

    folder.mkdir(exist_ok=True)
    git("init", "-q")
    found = []
    for day in range(commits):
        (folder / "code").write_text(str(day))
        git("add", "code")
        git("commit", "-q", "-m", f"Change {day}", day=day)
        found.append(git("rev-parse", "HEAD"))
    return found
