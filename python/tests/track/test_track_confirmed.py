"""What looks like a regression fails a check only once further results have confirmed it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from track_histories import MEDIAN, entry, history, noise, run

from busmark.track import HistoryEntry, read, track

pytestmark = pytest.mark.usefixtures("page_script")

BEFORE = 20


def results(factors: Sequence[float], seed: int = 1) -> list[HistoryEntry]:
    """Return twenty results that are alike, then these."""
    every = [1.0] * BEFORE + list(factors)
    return [
        entry(number, {MEDIAN: 5000.0 * factor * own})
        for number, (factor, own) in enumerate(zip(every, noise(len(every), seed), strict=True))
    ]


def codes(path: Path, entries: Sequence[HistoryEntry], *options: str) -> list[int]:
    """Return the codes of a check after each of the results behind the twenty."""
    found = []
    for count in range(BEFORE + 1, len(entries) + 1):
        history(path, entries[:count])
        found.append(run("history", "check", "--history", path, *options).exit_code)
    return found


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
@pytest.mark.parametrize(
    "bad", [[1.1, 1, 1], [1.1, 1.1, 1], [1.1, 1, 1.1], [1, 1.1, 1.1], [1.3, 1.3, 1]]
)
def test_bad_results_now_and_then_fail_no_check(
    tmp_path: Path, bad: list[float], seed: int
) -> None:
    entries = results([*bad, 1, 1, 1, 1], seed)
    assert codes(tmp_path / "h.jsonl", entries) == [0] * 7


@pytest.mark.parametrize("step", [1.05, 1.1])
def test_a_step_fails_one_check_after_five_results(tmp_path: Path, step: float) -> None:
    assert codes(tmp_path / "h.jsonl", results([step] * 7)) == [0, 0, 0, 0, 1, 0, 0]


def test_until_then_it_is_listed_as_unconfirmed(tmp_path: Path) -> None:
    path = history(tmp_path / "h.jsonl", results([1.1] * 4))
    found = track(path, read(path))
    ((_, step),) = found.unconfirmed
    assert (step.in_a_row, step.confirmed, step.new) == (2, False, False)
    assert not found.new and not found.standing
    ended = run("history", "check", "--history", path, "--html", tmp_path / "h.html",
                "--markdown", tmp_path / "h.md")  # fmt: skip
    assert ended.exit_code == 0
    page, text = (tmp_path / "h.html").read_text(), (tmp_path / "h.md").read_text()
    for shown in (page, text, ended.output):
        assert "? none new, 1 unconfirmed" in shown and "2 of 3" in shown
    assert run("history", "check", "--history", path, "--unconfirmed").exit_code == 1
    assert run("history", "check", "--history", path, "--standing").exit_code == 0


def test_results_of_older_commits_confirm_nothing_about_the_newest(tmp_path: Path) -> None:
    entries = results([1.1, 1.1, 1.0])
    late = [*entries[:5], *entries[10:], *entries[5:10]]
    path = history(tmp_path / "h.jsonl", late)
    ((_, step),) = track(path, read(path)).unconfirmed
    assert not step.confirmed and run("history", "check", "--history", path).exit_code == 0


def test_results_of_another_machine_confirm_nothing(tmp_path: Path) -> None:
    entries = results([1.1] * 3)
    other = [entry(BEFORE + 3 + n, {MEDIAN: 7000.0}, host="two") for n in range(3)]
    path = history(tmp_path / "h.jsonl", [*entries, *other])
    ((_, step),) = track(path, read(path)).unconfirmed
    assert step.in_a_row == 1
    assert run("history", "check", "--history", path).exit_code == 0


def test_how_often_it_was_found_is_in_the_document(tmp_path: Path) -> None:
    path = history(tmp_path / "h.jsonl", results([1.1] * 6))
    printed = json.loads(run("history", "show", "--history", path, "--json").stdout)
    assert printed["confirmations"] == 3
    (step,) = printed["series"][0]["steps"]
    assert step["confirmed"] and step["in_a_row"] == 3 and not step["new"]
