"""What a campaign tells while it runs. Progress bar and log are listeners; deleting one changes no
number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from busmark.control.live import Live
from busmark.store import Case, Finding


@dataclass(frozen=True)
class CampaignBegins:
    """The plan is settled and the result directory open."""

    cases: list[Case]
    unsupported: list[Case]
    """What cannot run, each with its reason."""
    rounds_done: int
    """Before: those that a campaign that is resumed need not run again."""
    cases_done: int
    rounds_planned: int
    """Without those that adaptive rounds may add."""
    expected_s: float
    findings: Sequence[Finding] = ()
    """What is known before the first round."""


@dataclass(frozen=True)
class RoundBegins:
    """A round is about to start."""

    case: Case
    round: int
    attempt: int


@dataclass(frozen=True)
class LengthChosen:
    """From this round on the rounds of a case measure for another time, which the run chose."""

    case: Case
    round: int
    seconds: float
    why: str
    """In a sentence, the length included."""


@dataclass(frozen=True)
class RoundGoesOn:
    """A round is under way; sent once a second. Whoever listens must be quick: it is measured."""

    case: Case
    round: int
    seconds: float
    """Since its begin."""
    expected_s: float
    live: Live | None = None
    """How it goes; None where nobody watches, or nothing is known yet."""


@dataclass(frozen=True)
class Outlook:
    """What is left of a campaign, as far as it is known."""

    cases_done: int
    """Cases that want no further round as things stand."""
    rounds_left: int
    seconds_left: float
    more: bool
    """Whether further rounds may follow: an interval is too wide yet, a rate is being searched."""


@dataclass(frozen=True)
class RoundEnds:
    """A round is stored."""

    case: Case
    round: int
    row: dict[str, Any]
    rows: Sequence[Mapping[str, Any]]
    """Rows of the case so far, this one included."""
    outlook: Outlook
    troubles: Sequence[str] = ()
    """What ran beside it and could not do its work, in sentences."""


@dataclass(frozen=True)
class FindingAppears:
    """The rounds of a case so far show what makes its figures wrong or distorts them. Told between
    two rounds, once for a case; notes wait for the end."""

    case: Case
    finding: Finding
    """Finding on this case alone."""


@dataclass(frozen=True)
class FindingGoes:
    """What was reported for a case is no longer true, with more rounds."""

    case: Case
    finding: Finding
    """The finding as it was reported."""


@dataclass(frozen=True)
class RoundFails:
    """A round could not be finished, or not begun; it may be tried again."""

    case: Case
    round: int
    attempt: int
    reason: str
    again: bool


@dataclass(frozen=True)
class CampaignEnds:
    """Nothing runs any more; `interrupted` if the user or an error ended it early."""

    interrupted: bool


@dataclass(frozen=True)
class ResultCloses:
    """The result is whole; sent after `CampaignEnds`."""

    directory: Path
    complete: bool
    findings: Sequence[Finding]
    """All findings, including the ones of the campaign as a whole."""


Event = (
    CampaignBegins | RoundBegins | RoundGoesOn | RoundEnds | RoundFails | LengthChosen
    | FindingAppears | FindingGoes | CampaignEnds | ResultCloses
)  # fmt: skip


class Listener(Protocol):
    """Anything that wants to know. Where one has a true attribute `watches`, workers tell once a
    second how the round goes, and `RoundGoesOn` has it."""

    def on(self, event: Event) -> None:
        """Called for each event; while a round is measured with `RoundGoesOn` only."""
