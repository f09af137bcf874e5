"""Documents with notes that no other reviewed one has: of many cases, of short histories, of
adapters that were checked, of actions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from seams import done
from synthetic_campaign import Builder, capabilities, samples_around
from test_golden import page_text, printed

if TYPE_CHECKING:
    from conftest import Golden


def result(folder: Path, cases: int = 1, **manifest: Any) -> Path:
    """Write a result with pings of 10 µs, half of the round trip, in each case."""
    build, rng = Builder(folder), np.random.default_rng(3)
    for number in range(cases):
        case = build.case(f"udp-{number:02d}", size=64 * (number + 1))
        for round_ in range(3):
            build.pings(case, round_, samples_around(20_000, 1500, rng))
    return build.finish(**manifest)


def test_a_requirement_that_many_cases_miss(golden: Golden, tmp_path: Path) -> None:
    shown = printed("show", result(tmp_path, cases=14), "--require", "p99.latency <= 5us")
    golden("required-80.txt", shown.partition("\nAnswer\n")[0])


def test_a_history_of_too_few_results(
    golden: Golden, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for day in (1, 2, 3):
        of = result(tmp_path / f"r{day}", cookie=f"{day:016x}")
        done("history", "add", of, "--history", "h.jsonl", "--commit", f"{day:040x}", "--machine",
             "bench", "--date", f"2026-01-0{day}T00:00:00Z")  # fmt: skip
    golden("short-history-80.txt", printed("history", "show", "--history", "h.jsonl"))


def test_a_list_of_results(golden: Golden, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)
    for day, name in enumerate(("before", "after"), 1):
        result(Path("busmark-results") / name, created_utc=f"2026-01-0{day}T10:00:00Z")
    # The table above it has the directories.
    golden("list-note-80.txt", printed("list").splitlines()[-1] + "\n")


def test_adapters_that_the_conformance_suite_ran_over(golden: Golden, tmp_path: Path) -> None:
    report = {"checked_utc": "2025-01-01T10:00:00Z", "results": {}}
    of = result(tmp_path / "r", adapters={"udp": capabilities("udp") | {"conformance": report}})
    done("report", of, "--to", "html", "--out", tmp_path / "page")
    lines = page_text(tmp_path / "page").splitlines()
    (end,) = (n for n, line in enumerate(lines) if line.startswith("Conformance suite"))
    golden("checked-page.txt", "".join(f"{line}\n" for line in lines[end - 3 : end + 1]))


def test_actions(golden: Golden, tmp_path: Path) -> None:
    build = Builder(tmp_path)
    for goals in (1, 10):
        case = build.case(f"udp-{goals}", test="action", goals=goals, goal_time_s=0.1)
        for round_ in range(3):
            wait = 100_000.0 + 1000 * round_ * goals
            build.row(
                case, round_, goals_sent=100 * goals, goals_without_result=round_, cancels_sent=0,
                goals_succeeded=100 * goals - round_, goals_cancelled=0, goals_refused=0,
                feedback_expected=1000 * goals, feedback_received=1000 * goals - round_,
                goal_accepted_ns=wait, first_feedback_ns=2 * wait,
                result_delay_ns=3 * wait, result_reply_ns=wait / 2,
            )  # fmt: skip
    # The last lines have the directory.
    golden("actions-80.txt", printed("show", build.finish()).partition("\nResult:")[0])
