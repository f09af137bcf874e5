"""What a user sees of a campaign while it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from control_fakes import PARAMS, begin, conduct, scenario

from busmark.cli.estimate import estimate
from busmark.cli.progress import Lines, Tally
from busmark.control.events import CampaignBegins, Event, Outlook, RoundEnds
from busmark.control.failure import RoundError
from busmark.store import Case

CASE = Case(id="000-x", params=PARAMS, status="planned")


def row(order: int, **figures: Any) -> dict[str, Any]:
    columns = ("statistic_value", "statistic_variance", "mbit_per_s", "bracket_low_hz",
               "bracket_high_hz", "sustained_hz")  # fmt: skip
    return {"order": order, "status": "ok", **dict.fromkeys(columns), **figures}


def test_a_case_is_shown_by_its_estimate_with_interval() -> None:
    first = row(0, statistic_value=20_000.0, statistic_variance=0.0)
    assert estimate(CASE, [first]) == "round trip median 20.00 µs, 1 round"
    rows = [first, row(1, statistic_value=22_000.0, statistic_variance=0.0)]
    # t(0.975, 1) = 12.706; s/sqrt(2) = 1000 ns.
    assert estimate(CASE, rows) == "round trip median 21.00 µs ±61 %, 2 rounds"


def test_rounds_that_do_not_count_are_not_in_the_estimate() -> None:
    bad = {**row(1, statistic_value=9e9, statistic_variance=0.0), "status": "marked"}
    good = row(0, statistic_value=20_000.0, statistic_variance=0.0)
    assert estimate(CASE, [good, bad]) == "round trip median 20.00 µs, 1 round"
    assert estimate(CASE, [bad]) == "—"


def test_a_stream_is_shown_by_its_goodput() -> None:
    case = CASE.model_copy(
        update={"params": {**PARAMS, "test": "throughput", "statistic": "goodput"}}
    )
    rows = [row(n, statistic_value=1e5, statistic_variance=0.0, mbit_per_s=51.2) for n in range(3)]
    assert estimate(case, rows) == "goodput 100,000/s (51 Mbit/s) ±0 %, 3 rounds"


def test_a_search_is_shown_by_its_bracket() -> None:
    case = CASE.model_copy(update={"params": {**PARAMS, "test": "capacity"}})
    assert estimate(case, [row(0)]) == "1 trial"
    rows = [row(1, bracket_low_hz=1000.0, bracket_high_hz=1500.0, sustained_hz=1200.0), row(0)]
    assert estimate(case, rows) == "sustained rate 1,200/s, between 1,000 and 1,500/s, 2 trials"


def test_a_total_that_is_not_known_grows_and_says_so() -> None:
    tally = Tally()
    tally.on(CampaignBegins([CASE], [], 0, 1, 2.0))
    for number in range(40):
        more = number < 39
        outlook = Outlook(
            cases_done=not more, rounds_left=int(more), seconds_left=2.0 * more, more=more
        )
        tally.on(RoundEnds(CASE, number, row(number), [], outlook))
        assert tally.done <= tally.total
        assert tally.rounds == (f"{number + 1}/{number + 2}+" if more else "40/40")
    assert tally.left == "0 s left" and tally.cases_done == 1


def test_every_line_tells_rounds_done_estimate_time_left_and_failures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def sometimes(case: str, times: int) -> int | RoundError:
        return RoundError("died", "gone [sic]") if (case, times) == ("001-x", 0) else 1000

    writer = begin(tmp_path / "r", cases=2)
    _, log, _ = conduct(writer, scenario(min=2, retries=1), sometimes, monkeypatch)
    writer.close()
    lines = Lines()
    for event in log.events:
        lines.on(event)
    shown = capsys.readouterr().err.splitlines()
    assert shown[0] == "2 cases, 4 rounds, about 6 s"
    assert "FAILED 001-x round 0: died: gone [sic]; trying again" in shown
    told = [line for line in shown if line.startswith("[")]
    assert [line.split("]")[0] for line in told] == ["[1/4", "[2/4", "[3/4", "[4/4"]
    assert "round trip median 1.00 µs ±0 %, 2 rounds  0 s left" in told[-1]
    assert shown[-1] == "1 attempt failed"


def test_cases_are_done_when_they_want_no_further_round(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def restless(case: str, times: int) -> int:
        return 1000 * (1 + times % 2) if case == "001-x" else 1000

    writer = begin(tmp_path / "r", cases=2)
    _, log, _ = conduct(writer, scenario(min=3, max=5, target=0.05), restless, monkeypatch)
    writer.close()
    ends: list[Event] = [event for event in log.events if isinstance(event, RoundEnds)]
    outlooks = [event.outlook for event in ends if isinstance(event, RoundEnds)]
    assert len(outlooks) == 3 + 5
    assert [outlook.cases_done for outlook in outlooks[-3:]] == [1, 1, 2]
    assert [outlook.rounds_left for outlook in outlooks[-3:]] == [1, 1, 0]
    assert [outlook.more for outlook in outlooks[-3:]] == [True, True, False]
