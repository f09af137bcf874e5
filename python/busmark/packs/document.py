"""A document as data: what stands for its middleware, and what it states."""

from __future__ import annotations

from dataclasses import dataclass

from busmark.packs.evidence import Check


@dataclass(frozen=True, slots=True)
class StandIn:
    """What is measured here in the place of something that is no longer to be had."""

    there: str
    here: str
    why: str


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing that the document states.

    Attributes:
        where: section and figure.
        found: what it states, in our words.
        checks: what of it can be asked of a campaign; empty: nothing.
        untold: why nothing can be asked, or what the checks leave out.
    """

    where: str
    found: str
    checks: tuple[Check, ...] = ()
    untold: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """A document whose experiments are repeated."""

    title: str
    source: str
    stand_ins: tuple[StandIn, ...]
    deviations: tuple[str, ...]
    statements: tuple[Statement, ...]
