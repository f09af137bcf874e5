"""What a rule is: its standing text, and the checks it makes.

A rule states title, cause and remedy once. A check yields observations: how bad it is and the
evidence, and other words only where the standing ones do not fit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from busmark.findings.view import CaseView
    from busmark.store.result import Result

Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
"""error: figures are wrong or unusable; warning: figures are distorted; note: good to know."""

Params = dict[str, Any]
"""`Case.params`."""
Profile = dict[str, Any]
"""A host profile of `busmark.host`; any key may be absent or None."""
Capabilities = dict[str, Any]
"""An adapter's capabilities as in the manifest."""


@dataclass(frozen=True, slots=True)
class Observation:
    """That a rule applies, to one case or to the host.

    `weight` orders observations of one rule; the greatest is the one a merged finding quotes. A
    text left empty is the rule's own.
    """

    severity: Severity
    evidence: str
    weight: float = 0.0
    title: str = ""
    cause: str = ""
    remedy: str = ""
    node: str = ""
    """Of the user's, on which it was seen; those who check do not set it."""


@dataclass(frozen=True, slots=True)
class CheckedFact:
    """What a host rule looked at: a name, the value seen (None: could not be seen), and why it is
    in order when the rule is silent."""

    name: str
    value: str | None
    fine: str


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule. A check that is None is not made."""

    id: str
    title: str
    cause: str
    remedy: str
    check_host: Callable[[Profile], Iterable[Observation]] | None = None
    """The machine, before anything runs."""
    check_plan: Callable[[Params, Profile, Capabilities], Iterable[Observation]] | None = None
    """One planned case on one machine on which it is to run."""
    check_case: Callable[[CaseView], Iterable[Observation]] | None = None
    """One case that has been run."""
    check_campaign: Callable[[Result], Iterable[Observation]] | None = None
    """All rounds together."""
    of_trials: bool = False
    """Whether `check_case` holds for the trials of a search too, which differ on purpose."""
    fact: Callable[[Profile], CheckedFact] | None = None
    """The line of `busmark doctor` for this rule."""
