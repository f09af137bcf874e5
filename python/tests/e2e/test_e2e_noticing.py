"""Findings are reported while a campaign runs, once, and taken back when they no longer hold."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from recorded import Round, campaign

from busmark.cli.event_lines import EventLines
from busmark.cli.progress import Lines
from busmark.cli.screen import Screen
from busmark.control.events import (
    Event,
    FindingAppears,
    FindingGoes,
    ResultCloses,
    RoundBegins,
    RoundEnds,
)
from busmark.store import Case

US = 1e3
DISAGREE = "Rounds disagree on the median"
TWO_MODES = "Latency has two modes"


class Log:
    """Keeps all events."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def on(self, event: Event) -> None:
        self.events.append(event)


def pings(seed: int, median_us: float = 20.0) -> list[float]:
    """Round trips of one mode."""
    spread = np.random.default_rng(seed).standard_normal(1200)
    return list(median_us * US * np.exp(0.02 * spread))


def two_modes(seed: int) -> list[float]:
    """Half of them around 15 µs, half around 25 µs."""
    both = pings(seed, 15.0)[:600] + pings(seed + 1, 25.0)[:600]
    return list(np.random.default_rng(seed).permutation(both))


class Recorded:
    """What a case's rounds are, one after the other."""

    def __init__(self, *rounds: list[float]) -> None:
        self._rounds = rounds
        self._begun: dict[str, int] = {}

    def __call__(self, case: Case, _before: Case | None) -> Round:
        number = self._begun[case.id] = self._begun.get(case.id, -1) + 1
        return Round(self._rounds[number])


def told(log: Log, title: str) -> list[tuple[str, str, int]]:
    """What was said of a finding, of which case, and after how many of its rounds."""
    found, ended = [], dict[str, int]()
    for event in log.events:
        if isinstance(event, RoundEnds):
            ended[event.case.id] = ended.get(event.case.id, 0) + 1
        elif isinstance(event, FindingAppears | FindingGoes) and event.finding.title == title:
            found.append((type(event).__name__, event.case.id, ended[event.case.id]))
    return found


def test_rounds_that_disagree_are_told_after_the_second_and_only_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = Log()
    rounds = Recorded(*(pings(n, 20.0 + 15.0 * (n == 1)) for n in range(5)))
    result = campaign(tmp_path / "r", monkeypatch, rounds, rounds=5, listeners=[log])
    assert told(log, DISAGREE) == [("FindingAppears", "000-tcp", 2)]
    assert DISAGREE in [finding.title for finding in result.manifest.findings]
    appears = next(n for n, event in enumerate(log.events) if isinstance(event, FindingAppears))
    assert isinstance(log.events[appears - 1], RoundEnds)
    assert isinstance(log.events[appears + 1], RoundBegins)


def test_what_no_longer_holds_is_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    log, output = Log(), io.StringIO()
    screen = Screen(output, lambda: (120, 30))
    rounds = Recorded(*map(two_modes, (1, 3, 5)), *map(pings, range(7)))
    result = campaign(
        tmp_path / "r", monkeypatch, rounds, rounds=10, listeners=[log, Lines(), screen]
    )
    assert told(log, TWO_MODES) == [("FindingAppears", "000-tcp", 3), ("FindingGoes", "000-tcp", 6)]
    assert TWO_MODES not in [finding.title for finding in result.manifest.findings]
    lines = capsys.readouterr().err.splitlines()
    assert f"no longer true with more rounds: {TWO_MODES}: 000-tcp" in lines
    assert sum(line.startswith(f"warning: {TWO_MODES}: 000-tcp: modes of") for line in lines) == 1
    paintings = output.getvalue().split("\x1b[J")
    counted = [f"found  1 warning: {TWO_MODES} (1 case)" in painting for painting in paintings]
    assert any(counted) and not counted[-1]


def test_what_depends_on_the_number_of_rounds_waits_for_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = Log()
    result = campaign(
        tmp_path / "r", monkeypatch, Recorded(pings(1), pings(2)), rounds=2, listeners=[log]
    )
    assert "too-few-rounds" in [finding.id for finding in result.manifest.findings]
    assert not [event for event in log.events if isinstance(event, FindingAppears)]


def test_a_finding_of_many_cases_is_told_again_when_twice_as_many_have_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    adapters = ("tcp", "uds", "udp", "mqtt", "fastdds")
    rounds = Recorded(pings(1), pings(2, 40.0), pings(3))
    campaign(tmp_path / "r", monkeypatch, rounds, adapters=adapters, listeners=[Lines()])
    lines = capsys.readouterr().err.splitlines()
    about = [line for line in lines if line.startswith(f"warning: {DISAGREE}")]
    assert len(about) == 3
    assert "median round trip of" in about[0]
    assert [line.partition(" by now")[0].rpartition(": ")[2] for line in about[1:]] == [
        "2 cases", "4 cases",
    ]  # fmt: skip


def test_other_programs_are_told_of_every_case(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rounds = Recorded(pings(1), pings(2, 40.0), pings(3))
    lines = EventLines(tmp_path / "r")
    campaign(tmp_path / "r", monkeypatch, rounds, adapters=("tcp", "uds"), listeners=[lines])
    events: list[dict[str, Any]] = list(map(json.loads, capsys.readouterr().out.splitlines()))
    appears = [event for event in events if event["event"] == "finding_appears"]
    assert sorted(event["case"] for event in appears) == ["000-tcp", "001-uds"]
    assert all(event["evidence"].startswith("median round trip of") for event in appears)
    assert {event["finding"]["id"] for event in appears} == {"rounds-disagree"}


def test_nobody_listens_and_nothing_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("looked at")

    monkeypatch.setattr("busmark.control.noticing.early_findings", refuse)
    rounds = Recorded(pings(1), pings(2, 40.0), pings(3))
    result = campaign(tmp_path / "r", monkeypatch, rounds)
    assert DISAGREE in [finding.title for finding in result.manifest.findings]


def test_what_was_told_is_among_all_findings_or_was_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = Log()
    rounds = Recorded(*map(two_modes, (1, 3, 5)), *map(pings, range(4)), pings(9, 31.0))
    campaign(tmp_path / "r", monkeypatch, rounds, rounds=8, listeners=[log])
    standing = set()
    for event in log.events:
        if isinstance(event, FindingAppears):
            standing.add((event.finding.title, event.finding.severity))
        elif isinstance(event, FindingGoes):
            standing.remove((event.finding.title, event.finding.severity))
    closes = log.events[-1]
    assert isinstance(closes, ResultCloses)
    assert standing and standing <= {(f.title, f.severity) for f in closes.findings}
