"""How much time looking for findings may take while a campaign runs."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "findings"))

from planted import Planted, clean

from busmark.control.events import FindingAppears, FindingGoes
from busmark.control.noticing import GRACE_S, SHARE, Noticing
from busmark.store import Finding


class Clock:
    """Time that passes as told, and CPU time that passes with every reading."""

    def __init__(self, each_s: float = 0.0) -> None:
        self.now_s, self.each_s, self.worked_s = 0.0, each_s, 0.0

    def now(self) -> float:
        return self.now_s

    def worked(self) -> float:
        self.worked_s += self.each_s
        return self.worked_s


@pytest.fixture
def planted(tmp_path: Path) -> Planted:
    made = Planted(tmp_path / "r")
    for name in ("a", "b"):
        slow = clean(2, rounds=1, median_ns=40_000.0)
        made.case(name, [*clean(1, rounds=2), *slow])
    made.result()
    return made


def noticing(planted: Planted, clock: Clock, known: Sequence[Finding] = ()) -> Noticing:
    def rows(case: str) -> list[dict[str, object]]:
        return [row for row in planted.rows if row["case"] == case]

    return Noticing(planted.directory, rows, known, clock.now, clock.worked)


def test_a_case_waits_until_its_share_of_time_has_passed(planted: Planted) -> None:
    clock = Clock(2 * GRACE_S)
    looking = noticing(planted, clock)
    first, second = planted.cases
    assert [news.case.id for news in looking.after(first)] == ["a"]
    assert list(looking.after(second)) == []
    clock.now_s += 2 * GRACE_S / SHARE
    # The case that waits longest comes first.
    assert [news.case.id for news in looking.after(first)] == ["b"]


def test_a_finding_that_is_not_among_all_at_the_end_is_taken_back(planted: Planted) -> None:
    looking = noticing(planted, Clock())
    (news,) = looking.after(planted.cases[0])
    assert isinstance(news, FindingAppears)
    assert list(looking.at_the_end([news.finding])) == []
    assert list(looking.at_the_end([])) == [FindingGoes(news.case, news.finding)]
    assert list(looking.at_the_end([])) == []


def test_what_cannot_be_read_does_not_end_the_campaign(planted: Planted) -> None:
    (planted.directory / "manifest.json").write_text("{")
    assert list(noticing(planted, Clock()).after(planted.cases[0])) == []


def test_what_was_known_beforehand_is_not_told_again(planted: Planted) -> None:
    (news,) = noticing(planted, Clock()).after(planted.cases[0])
    looking = noticing(planted, Clock(), [news.finding])
    assert list(looking.after(planted.cases[0])) == []
    assert [news.case.id for news in looking.after(planted.cases[1])] == ["b"]
