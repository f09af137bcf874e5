"""What a campaign tells while it runs. Progress bar and log are listeners; deleting one changes no
number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from busmark.store import Case


@dataclass(frozen=True)
class CampaignBegins:
    """The plan is settled and the result directory open."""

    cases: list[Case]
    unsupported: list[Case]
    """What cannot run, each with its reason."""
    rounds_done: int
    rounds_planned: int
    """Without those that adaptive rounds may add."""
    expected_s: float


@dataclass(frozen=True)
class RoundBegins:
    """A round is about to start."""

    case: Case
    round: int
    attempt: int


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
    rows: list[dict[str, Any]]
    """Of the case so far, this one included."""
    outlook: Outlook


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


Event = CampaignBegins | RoundBegins | RoundEnds | RoundFails | CampaignEnds


class Listener(Protocol):
    """Anything that wants to know."""

    def on(self, event: Event) -> None:
        """Called for each event, between rounds, never while one is measuring."""
