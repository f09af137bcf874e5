"""How a campaign is shown while it runs: `screen` on a terminal, plain lines elsewhere; and what
both say of its figures and findings so far."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from busmark.cli.output import echo
from busmark.control.events import (
    CampaignBegins,
    CampaignEnds,
    Event,
    FindingAppears,
    FindingGoes,
    LengthChosen,
    Listener,
    RoundEnds,
    RoundFails,
)
from busmark.control.precision import GOODPUT, spread
from busmark.findings.registry import kinds
from busmark.model.entry import SEARCHES
from busmark.model.naming import by_reason, cases_text
from busmark.model.text import duration, number, percent_text, plural
from busmark.plan.expand import in_common
from busmark.plan.extent import range_text
from busmark.store import Case

Row = Mapping[str, Any]

ABSENT = "—"


def estimate(case: Case, rows: Sequence[Row]) -> str:
    """Return what the rounds so far come to: "median RTT/2 23.4 µs ±2.1 %, 5 rounds".

    The interval is the one by which rounds are added: 95 %, of a typical round. One round has
    none.
    """
    if case.params.test in SEARCHES:
        return _search(rows)
    if case.params.test == "discovery":
        return _median_of(rows, "first_sample_ns", "first sample after")
    if case.params.test == "action":
        return _median_of(rows, "goal_accepted_ns", "goals accepted after")
    good = [row for row in rows if row["status"] == "ok" and row["statistic_value"] is not None]
    if not good:
        return ABSENT
    mean = sum(row["statistic_value"] for row in good) / len(good)
    statistic = case.params.statistic
    if statistic == GOODPUT:
        rates = [row["mbit_per_s"] for row in good if row["mbit_per_s"] is not None]
        bits = f" ({number(sum(rates) / len(rates))} Mbit/s)" if rates else ""
        value = f"goodput {number(mean)}/s{bits}"
    elif case.params.test == "service":
        value = f"{statistic} response time {number(mean / 1000)} µs"
    else:
        # As in tables: a pong is not distinguished from a ping, so each has half of the way.
        value = f"{statistic} RTT/2 {number(mean / 2000)} µs"
    return f"{value}{_interval(good)}, {plural(len(good), 'round')}"


def _interval(good: Sequence[Row]) -> str:
    level = spread(good)
    width = level.relative_half_width() if level else None
    return f" ±{percent_text(width)}" if width is not None else ""


def _median_of(rows: Sequence[Row], column: str, words: str) -> str:
    """Return the mean of the medians of rounds; rounds of few repetitions have no interval."""
    good = [row for row in rows if row["status"] == "ok" and row[column] is not None]
    if not good:
        return ABSENT
    mean = sum(row[column] for row in good) / len(good)
    value = f"{words} {number(mean / 1000)} µs"
    return f"{value}{_interval(good)}, {plural(len(good), 'round')}"


def _search(rows: Sequence[Row]) -> str:
    """Return the state of a search for a rate: its rate, its bracket, its trials."""
    latest = max(rows, key=lambda row: row["order"])
    trials = plural(len(rows), "trial")
    low, high, rate = (latest[key] for key in ("bracket_low_hz", "bracket_high_hz", "sustained_hz"))
    if low is None or high is None:
        return trials
    sustained = f"sustained rate {number(rate)}/s, " if rate is not None else ""
    return f"{sustained}between {number(low)} and {number(high)}/s, {trials}"


Kind = tuple[str, str]
"""Severity and title."""


class FindingPrinter:
    """Prints a kind with its first case, and again when twice as many cases have it."""

    def __init__(self) -> None:
        self._cases: dict[Kind, set[str]] = {}
        self._named: set[tuple[Kind, str]] = set()
        self._most: dict[Kind, int] = {}

    def on(self, event: Event) -> list[str]:
        """Return the lines to print of this event."""
        if isinstance(event, FindingAppears):
            return self._appears(event)
        if isinstance(event, FindingGoes):
            return self._goes(event)
        return []

    def counted(self) -> str:
        """Return a line with the last kind: "3 warnings, last Two modes (2 cases)"; or empty."""
        kinds = [kind for kind, cases in self._cases.items() if cases]
        if not kinds:
            return ""
        by_severity = Counter(severity for severity, _ in kinds)
        text = ", ".join(plural(n, severity) for severity, n in sorted(by_severity.items()))
        title, cases = kinds[-1][1], plural(len(self._cases[kinds[-1]]), "case")
        return f"{text}{', last' if len(kinds) > 1 else ':'} {title} ({cases})"

    def _appears(self, event: FindingAppears) -> list[str]:
        finding, case = event.finding, event.case.id
        kind = (finding.severity, finding.title)
        cases = self._cases.setdefault(kind, set())
        cases.add(case)
        most = self._most.get(kind, 0)
        if len(cases) < max(1, 2 * most):
            return []
        self._most[kind] = len(cases)
        self._named.add((kind, case))
        text = f"{finding.severity}: {finding.title}"
        if len(cases) > 1:
            return [f"{text}: {len(cases)} cases by now, the last {case}"]
        evidence = finding.evidence.removeprefix(f"{case}: ")
        return [f"{text}: {case}: {evidence}"]

    def _goes(self, event: FindingGoes) -> list[str]:
        kind, case = (event.finding.severity, event.finding.title), event.case.id
        cases = self._cases.get(kind, set())
        cases.discard(case)
        if (kind, case) not in self._named and cases:
            return []
        left = f"; {plural(len(cases), 'other case')} left" if cases else ""
        return [f"withdrawn after more rounds: {event.finding.title}: {case}{left}"]


def listeners(*, as_json: bool) -> list[Listener]:
    """Return the listeners of a run: what fits standard error, and `as_json` lines on standard
    output."""
    return [JsonLines(), _shown()] if as_json else [_shown()]


def _shown() -> Listener:
    from busmark.cli.screen import Screen

    return Screen() if sys.stderr.isatty() else Lines()


class Tally:
    """How far a campaign is, from what it tells."""

    def __init__(self) -> None:
        self.done = 0
        """Rounds that have ended or were given up."""
        self.total = 0
        self.cases = 0
        self.cases_done = 0
        self.failed = 0
        """Attempts at rounds that failed."""
        self._more = False
        self._left_s = 0.0

    def on(self, event: Event) -> None:
        """Count rounds, cases and failed attempts."""
        if isinstance(event, CampaignBegins):
            self.done, self.cases_done = event.rounds_done, event.cases_done
            self.total, self.cases = self.done + event.rounds_planned, len(event.cases)
            self._left_s = event.expected_s
        elif isinstance(event, RoundEnds):
            self.done = event.left.rounds_done
            # Trials and further rounds come one by one: the total grows with them.
            self.total = self.done + event.left.rounds_left
            self.cases_done, self._more = event.left.cases_done, event.left.more
            self._left_s = event.left.seconds_left
        elif isinstance(event, RoundFails):
            self.failed += 1
            self.done += not event.again
            self.total = max(self.total, self.done)

    @property
    def rounds(self) -> str:
        """Rounds done of all rounds: 3/12, or 3/12+ where further ones may follow."""
        return f"{self.done}/{self.total}{'+' if self._more else ''}"

    @property
    def left(self) -> str:
        """The time left."""
        return self.left_after(0.0)

    def left_after(self, seconds: float) -> str:
        """Return the same, when this share of it has gone by."""
        left = duration(max(0.0, self._left_s - seconds))
        return f"{left}{' or more' if self._more else ''} left"

    @property
    def failures(self) -> str:
        """Number of attempts that failed, in words; empty where none did."""
        return f"{plural(self.failed, 'attempt')} failed" if self.failed else ""


def unsupported(event: CampaignBegins) -> list[str]:
    """Return a line for each reason why cases cannot run, with these cases."""
    reasons = by_reason((case.id, case.reason or "") for case in event.unsupported)
    return [f"unsupported: {cases_text(ids)}: {reason}" for reason, ids in reasons.items()]


def chosen(event: CampaignBegins) -> list[str]:
    """Return a line of what all cases have in common: a line and a scenario have other defaults."""
    common = in_common(event.cases)
    return [f"in every case: {common}"] if common else []


def warnings(event: CampaignBegins) -> list[str]:
    """Return what is wrong before anything is measured, a line each; notes are left to the
    report."""
    return [
        f"{kind.severity}: {kind.counted(len(event.cases))}"
        for kind in kinds(event.findings)
        if kind.severity != "note"
    ]


class JsonLines:
    """Prints a line of JSON for each event, on standard output, for other programs."""

    watches = True

    def on(self, event: Event) -> None:
        """Print the line of an event."""
        echo(event.model_dump_json())


class Lines:
    """One line per round."""

    def __init__(self) -> None:
        self._tally = Tally()
        self._noticed = FindingPrinter()

    def on(self, event: Event) -> None:
        """Print the lines of an event."""
        self._tally.on(event)
        for line in self._noticed.on(event):
            echo(line, err=True)
        if isinstance(event, CampaignBegins):
            for line in unsupported(event):
                echo(line, err=True)
            before = f", {event.rounds_done} done before" if event.rounds_done else ""
            planned = f"{plural(len(event.cases), 'case')}, {plural(event.rounds_planned, 'round')}"
            echo(f"{planned}{before}, {range_text(event.expected_s, event.longest_s)}", err=True)
            for line in [*chosen(event), *warnings(event)]:
                echo(line, err=True)
        elif isinstance(event, RoundEnds):
            status = "" if event.row["status"] == "ok" else f"  MARKED: {event.row['reason']}"
            echo(
                f"[{self._tally.rounds}] {event.case.id} round {event.round}"
                f"  {estimate(event.case, event.rows)}  {self._tally.left}{status}",
                err=True,
            )
            for trouble in event.troubles:
                echo(f"{event.case.id} round {event.round}: {trouble}", err=True)
        elif isinstance(event, LengthChosen):
            echo(f"{event.case.id}: {event.why}", err=True)
        elif isinstance(event, RoundFails):
            again = "; trying again" if event.again else "; given up"
            echo(f"FAILED {event.case.id} round {event.round}: {event.reason}{again}", err=True)
        elif isinstance(event, CampaignEnds):
            if event.interrupted:
                echo("interrupted; the finished rounds are stored", err=True)
            if self._tally.failures:
                echo(self._tally.failures, err=True)
