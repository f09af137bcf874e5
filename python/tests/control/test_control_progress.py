"""What a user sees of a campaign while it runs."""

from __future__ import annotations

import io
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from control_fakes import PARAMS, begin, conduct, scenario

from busmark.cli.live.values import sparkline
from busmark.cli.progress import Lines, Tally, estimate
from busmark.cli.screen import Screen
from busmark.control.events import (
    CampaignBegins,
    CampaignEnds,
    Event,
    Outlook,
    RoundBegins,
    RoundEnds,
    RoundFails,
    RoundGoesOn,
)
from busmark.control.live import Live
from busmark.errors import RoundError
from busmark.store import Case, Finding

CASE = Case(id="000-x", params=PARAMS, status="planned")


def row(order: int, **figures: Any) -> dict[str, Any]:
    columns = ("statistic_value", "statistic_variance", "mbit_per_s", "bracket_low_hz",
               "bracket_high_hz", "sustained_hz")  # fmt: skip
    return {"order": order, "status": "ok", **dict.fromkeys(columns), **figures}


def test_a_case_is_shown_by_its_estimate_with_interval() -> None:
    first = row(0, statistic_value=20_000.0, statistic_variance=0.0)
    assert estimate(CASE, [first]) == "median RTT/2 10.0 µs, 1 round"
    rows = [first, row(1, statistic_value=22_000.0, statistic_variance=0.0)]
    # t(0.975, 1) = 12.706; s/sqrt(2) = 1000 ns.
    assert estimate(CASE, rows) == "median RTT/2 10.5 µs ±61 %, 2 rounds"


def test_rounds_that_do_not_count_are_not_in_the_estimate() -> None:
    bad = {**row(1, statistic_value=9e9, statistic_variance=0.0), "status": "marked"}
    good = row(0, statistic_value=20_000.0, statistic_variance=0.0)
    assert estimate(CASE, [good, bad]) == "median RTT/2 10.0 µs, 1 round"
    assert estimate(CASE, [bad]) == "—"


def test_a_stream_is_shown_by_its_goodput() -> None:
    case = CASE.model_copy(
        update={"params": PARAMS.changed(test="throughput", statistic="goodput")}
    )
    rows = [row(n, statistic_value=1e5, statistic_variance=0.0, mbit_per_s=51.2) for n in range(3)]
    assert estimate(case, rows) == "goodput 100\u202f000/s (51.2 Mbit/s) ±0 %, 3 rounds"


def test_a_search_is_shown_by_its_bracket() -> None:
    case = CASE.model_copy(update={"params": PARAMS.changed(test="capacity")})
    assert estimate(case, [row(0)]) == "1 trial"
    rows = [row(1, bracket_low_hz=1000.0, bracket_high_hz=1500.0, sustained_hz=1200.0), row(0)]
    assert (
        estimate(case, rows)
        == "sustained rate 1\u202f200/s, between 1\u202f000 and 1\u202f500/s, 2 trials"
    )


def test_a_total_that_is_not_known_grows_and_says_so() -> None:
    tally = Tally()
    tally.on(CampaignBegins([CASE], [], 0, 0, 1, 2.0))
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
    assert "median RTT/2 0.500 µs ±0 %, 2 rounds  0 s left" in told[-1]
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


OTHER = Case(id="001-another-with-a-rather-long-name-of-its-own", params=PARAMS, status="planned")


def painted(screen: Screen, output: io.StringIO, event: Event) -> str:
    """What is painted after this event, as a terminal shows it."""
    screen.on(event)
    return output.getvalue().rpartition("\x1b[J")[2]


def ended(case: Case, value_ns: float) -> RoundEnds:
    rows = [row(0, statistic_value=value_ns, statistic_variance=0.0, reason=None)]
    return RoundEnds(case, 0, rows[0], rows, Outlook(0, 3, 60.0, more=False))


LIVE = Live(
    median_ns=46_800.0,
    p99_ns=2_468_000.0,
    latencies=1280,
    rate_hz=21_312.4,
    looked_at=1024,
    unanswered=3,
    trend=tuple(float(n) for n in range(30)),
)


@pytest.mark.parametrize("width", [40, 50, 80, 120, 200])
def test_no_value_stands_beside_the_name_of_another_case(width: int) -> None:
    output = io.StringIO()
    screen = Screen(output, lambda: (width, 24))
    screen.on(CampaignBegins([CASE, OTHER], [], 0, 0, 4, 80.0))
    screen.on(RoundBegins(CASE, 0, 0))
    screen.on(RoundGoesOn(CASE, 0, 1.0, 20.0, LIVE))
    after = painted(screen, output, ended(CASE, 20_000.0))
    assert "000-x" in after and "1/4" in after and "60 s left" in after
    assert "median RTT/2 10.0 µs" in after and "now" not in after
    following = painted(screen, output, RoundBegins(OTHER, 0, 0))
    assert "µs" not in following and "001-another" in following and "1/4" in following
    assert "10.0 µs" in painted(screen, output, RoundBegins(CASE, 1, 0))
    screen.on(RoundGoesOn(OTHER, 1, 3.0, 20.0, LIVE))
    screen.on(RoundFails(OTHER, 1, 0, "gone", again=True))
    screen.on(RoundGoesOn(OTHER, 1, 3.0, 20.0, LIVE))
    for painting in output.getvalue().split("\x1b[J")[1:]:
        shown = painting.rpartition("\r")[0].splitlines()
        assert all(len(line) < width for line in shown if f"{OTHER.id}:" not in line)


@pytest.mark.parametrize("width", [80, 120, 200])
def test_median_tail_rate_and_loss_of_a_round_that_is_under_way_fit(width: int) -> None:
    output = io.StringIO()
    screen = Screen(output, lambda: (width, 24))
    screen.on(CampaignBegins([OTHER], [], 0, 0, 4, 80.0))
    screen.on(RoundBegins(OTHER, 0, 0))
    lines = painted(screen, output, RoundGoesOn(OTHER, 0, 3.0, 20.0, LIVE)).splitlines()
    assert "77 s left" in lines[0]
    assert lines[1].startswith(OTHER.id) and "round 0, 3 s of about 20 s" in lines[1]
    for part in ("median RTT/2 23.4 µs", "p99 1\u202f234 µs", "21\u202f310/s", "lost 3/1\u202f024"):
        assert part in lines[2]
    assert lines[2].rstrip()[-1] == "█" and max(map(len, lines)) < width


def test_a_stream_shows_goodput_and_its_probes() -> None:
    case = CASE.model_copy(update={"params": PARAMS.changed(test="throughput")})
    screen = Screen(io.StringIO(), lambda: (80, 24))
    screen.on(RoundGoesOn(case, 0, 3.0, 20.0, LIVE))
    (line,) = [line for line in screen.lines(79) if line.startswith("  now")]
    assert "goodput 21\u202f310/s" in line and "probe RTT/2 23.4 µs" in line and "lost 3/" in line
    bare = replace(LIVE, median_ns=None, p99_ns=None, latencies=0, looked_at=0, unanswered=0)
    screen.on(RoundGoesOn(case, 0, 3.0, 20.0, bare))
    (line,) = [line for line in screen.lines(79) if line.startswith("  now")]
    assert "probe" not in line and "lost" not in line and "goodput 21\u202f310/s" in line


def test_what_is_painted_is_cleared_after_the_terminal_was_made_narrower() -> None:
    output, width = io.StringIO(), [100]
    screen = Screen(output, lambda: (width[0], 24))
    screen.on(CampaignBegins([OTHER], [], 0, 0, 4, 80.0))
    screen.on(RoundBegins(OTHER, 0, 0))
    screen.on(RoundGoesOn(OTHER, 0, 1.0, 20.0, LIVE))
    lengths = [len(line) for line in screen.lines(99)]
    width[0] = 40
    screen.on(RoundGoesOn(OTHER, 0, 2.0, 20.0, LIVE))
    rows = sum(math.ceil(length / 40) for length in lengths)
    assert rows > 3 and f"\x1b[{rows - 1}A\x1b[J" in output.getvalue()


def test_a_low_terminal_gets_as_many_lines_as_it_has() -> None:
    output = io.StringIO()
    screen = Screen(output, lambda: (80, 3))
    screen.on(CampaignBegins([CASE], [], 0, 0, 4, 80.0))
    screen.on(RoundBegins(CASE, 0, 0))
    shown = painted(screen, output, RoundGoesOn(CASE, 0, 1.0, 20.0, LIVE))
    assert len(shown.splitlines()) == 2


def test_a_sparkline_is_flat_where_little_changes() -> None:
    assert sparkline([1.0, 2.0, 3.0], 3) == "▁▄█" or sparkline([1.0, 2.0, 3.0], 3) == "▁▅█"
    assert set(sparkline([100.0, 101.0, 100.5], 3)) == {"▁"}
    assert sparkline([0.0, 0.0], 2) == "▁▁" and sparkline([], 0) == ""


def test_an_output_that_has_no_blocks_gets_none() -> None:
    output = io.TextIOWrapper(io.BytesIO(), encoding="latin-1", errors="backslashreplace")
    screen = Screen(output, lambda: (120, 24))
    screen.on(RoundGoesOn(CASE, 0, 1.0, 20.0, LIVE))
    assert not any(set("▁█") & set(line) for line in screen.lines(119))


WRONG = Finding(id="x", severity="warning", title="Something is wrong", cause="", evidence="",
                remedy="")  # fmt: skip


def test_findings_and_troubles_are_told_as_they_come(capsys: pytest.CaptureFixture[str]) -> None:
    note = WRONG.model_copy(update={"severity": "note", "title": "By the way"})
    output = io.StringIO()
    screen, lines = Screen(output, lambda: (80, 24)), Lines()
    for listener in (screen, lines):
        listener.on(CampaignBegins([CASE], [], 0, 0, 4, 80.0, [WRONG, note]))
        end = ended(CASE, 20_000.0)
        listener.on(replace(end, troubles=["the load stopped"]))
    for text in (output.getvalue(), capsys.readouterr().err):
        assert "warning: Something is wrong\n" in text and "By the way" not in text
        assert "the load stopped\n" in text


def test_what_stays_above_is_broken_between_words() -> None:
    output = io.StringIO()
    screen = Screen(output, lambda: (60, 24))
    reason = "the worker died, " + "and nobody knows why, " * 5
    screen.on(RoundFails(CASE, 0, 0, reason, again=True))
    lines = output.getvalue().replace("\r\x1b[J", "").splitlines()
    assert max(map(len, lines)) < 60
    assert " ".join(" ".join(lines).split()).startswith(f"failed: 000-x: {reason}".rstrip())


def test_the_screen_moves_within_a_round() -> None:
    output = io.StringIO()
    screen = Screen(output, lambda: (120, 24))
    screen.on(CampaignBegins([CASE], [], 0, 0, 2, 40.0))
    screen.on(RoundBegins(CASE, 0, 0))
    shown = [painted(screen, output, RoundGoesOn(CASE, 0, s, 20.0)) for s in (1.0, 2.0, 15.0)]
    assert len(set(shown)) == 3
    assert "39 s left" in shown[0] and "25 s left" in shown[2]
    assert "15 s of about 20 s" in shown[2]


def test_a_resumed_campaign_goes_on_where_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = begin(tmp_path / "r", cases=2)
    conduct(writer, scenario(min=2), lambda *_: 1000, monkeypatch)
    _, log, _ = conduct(writer, scenario(min=5), lambda *_: 1000, monkeypatch)
    writer.close()
    output = io.StringIO()
    screen = Screen(output, lambda: (120, 24))
    first = painted(screen, output, log.events[0])
    assert "4/10" in first and "0/2 cases done" in first
    for event in log.events[1:]:
        screen.on(event)
    assert "10/10" in output.getvalue()
    assert painted(screen, output, CampaignEnds(interrupted=False)) == ""
