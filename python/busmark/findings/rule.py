"""What a rule is: its standing text, and the checks it makes.

A rule states title, cause and remedy once. A check yields observations: how bad it is and the
evidence, and other words only where the standing ones do not fit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from busmark.model import text

if TYPE_CHECKING:
    from busmark.findings.view import CaseView
    from busmark.model.parameters import Parameters
    from busmark.store.result import Result


SIZE_UNITS = ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))
NAMED = 3
"""Items named in a list before it is cut short."""


number, whole, count = text.number, text.count, text.plural
duration, share = text.time_text, text.percent_text
"""Figures of evidence, written as in the tables."""


def size(octets: int) -> str:
    """Format bytes as 208 KiB; without decimals where it is a whole number of the unit."""
    for factor, unit in SIZE_UNITS:
        if octets >= factor:
            exact = octets % factor == 0
            return f"{whole(octets // factor) if exact else number(octets / factor)} {unit}"
    return text.size_text(octets)


FORMS = {"part": "{number} of {total} {what} ({share})"}
"""Evidence of which several rules differ in a noun alone."""


def part_of(part: float, total: float, what: str) -> str:
    """Return "3 of 200 pings lost (1.5 %)"; of rates, which are no counts, three digits."""
    numbers = [
        whole(each) if isinstance(part, int) and isinstance(each, int) else number(each)
        for each in (part, total)
    ]
    return FORMS["part"].format(
        number=numbers[0], total=numbers[1], what=what, share=share(round(part / total, 6))
    )


def p_value(p: float, digits: int = 1) -> str:
    """Return "p = 0.002"; "p < 0.0001" where it is less."""
    return f"p = {p:.{digits}g}" if p >= 1e-4 else "p < 0.0001"


def listed(items: Sequence[object]) -> str:
    """Join the first few items, and state how many more there are."""
    shown = ", ".join(str(item) for item in items[:NAMED])
    more = len(items) - NAMED
    return f"{shown} and {more} more" if more > 0 else shown


Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
"""error: figures are wrong or unusable; warning: figures are distorted; note: good to know."""

GROUPS = ("latency", "tail", "rounds", "load")
"""Names for several figures, in `Rule.concerns`: all of latencies; the upper percentiles of them;
how many rounds count; what a background load achieved."""

Profile = dict[str, Any]
"""A host profile of `busmark.host`; any key may be absent or None."""
Capabilities = dict[str, Any]
"""An adapter's capabilities as in the manifest."""


@dataclass(frozen=True, slots=True)
class Observation:
    """An application of a rule, to one case or to the host.

    `weight` orders observations of one rule; the greatest is the one a merged finding quotes. A
    text left empty is the rule's own.
    """

    severity: Severity
    evidence: str
    weight: float = 0.0
    title: str = ""
    cause: str = ""
    remedy: str = ""
    group: str = ""
    """Cases of different groups are not merged: what is to be done differs."""
    node: str = ""
    """The user's node on which it was seen; checks do not set it."""
    concerns: tuple[str, ...] = ()
    """Figures in question, where they are not the ones of `Rule.concerns`."""
    case: str = ""
    """The case that a check of the whole campaign accuses; those who check a case do not set it."""


@dataclass(frozen=True, slots=True)
class CheckedFact:
    """A fact that a host rule examined: a name, the value seen (None: could not be seen), and why
    it is in order when the rule is silent."""

    name: str
    value: str | None
    fine: str


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule. A check that is None is not made."""

    id: str
    title: str = ""
    """Left out, like the next two: the catalogue of texts has it."""
    cause: str = ""
    remedy: str = ""
    check_host: Callable[[Profile], Iterable[Observation]] | None = None
    """Function that checks the machine before anything runs."""
    check_plan: Callable[[Parameters, Profile, Capabilities], Iterable[Observation]] | None = None
    """Check of one planned case on one machine on which it is to run."""
    check_case: Callable[[CaseView], Iterable[Observation]] | None = None
    """Check of one case that has been run."""
    check_campaign: Callable[[Result], Iterable[Observation]] | None = None
    """Check of all rounds together."""
    of_imports: bool = False
    """Whether `check_case` holds for runs of other tools too, which have no raw tables."""
    of_trials: bool = False
    """Whether `check_case` holds for the trials of a search too, which differ on purpose."""
    explains: tuple[str, ...] = ()
    """Rules whose findings on the same cases this one may be the cause of, where it is more than a
    note: it then stands before them and names them."""
    accounts_for: tuple[str, ...] = ()
    """Rules whose findings on the same cases it is known to be the cause of, because it was asked
    for: no other finding is then named as a possible one."""
    early: int | None = 1
    """Rounds that must count before `check_case` may judge a case that is not finished; None: it
    judges finished cases only, or the user learns of it otherwise."""
    concerns: tuple[str, ...] = ()
    """Figures in question: their keys in `busmark.model`, or one of `GROUPS`. The finding stands
    next to them in tables, and on charts of them; none: on the row as a whole."""
    fact: Callable[[Profile], CheckedFact] | None = None
    """The line of `busmark doctor` for this rule."""
