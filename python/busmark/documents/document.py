"""A document as data: what stands for its middleware, and what it states."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from busmark.compare.campaign import Campaign
from busmark.documents.evidence import Check
from busmark.documents.table import Table
from busmark.estimate.case import CaseSummary

Part = Literal["latency", "throughput", "discovery", "scalability", "determinism"]
"""Experiments that a document has in scenarios of their own."""


def its_test(case: CaseSummary) -> str:
    """The part of a document whose parts are tests."""
    return case.test


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
        part: a campaign without a case of this part is not asked; None: each is.
    """

    where: str
    found: str
    checks: tuple[Check, ...] = ()
    untold: str = ""
    part: Part | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """A document whose experiments are repeated.

    Attributes:
        tables: of a campaign, in the document's own columns; None: it has none.
        scenarios: besides `quick` and `full`, in the folder of its name.
        part_of: the part that a case belongs to.
        sizes: what its scenarios have, in words.
        figures_stated: whether its tables have the document's own figures in rows of their own.
    """

    title: str
    source: str
    stand_ins: tuple[StandIn, ...]
    deviations: tuple[str, ...]
    statements: tuple[Statement, ...]
    tables: Callable[[Campaign], list[Table]] | None = None
    scenarios: tuple[str, ...] = ()
    part_of: Callable[[CaseSummary], str] = its_test
    sizes: str = (
        "`quick` has every test, payload kind and QoS at least once and takes minutes; `full` has "
        "the whole matrix."
    )
    figures_stated: bool = False
