"""A campaign beside the document whose experiments it repeats."""

from __future__ import annotations

from dataclasses import dataclass

from busmark.analysis.model import Campaign
from busmark.packs.claim import Verdict
from busmark.packs.document import Document, Statement
from busmark.packs.evidence import Check, Evidence, evidence
from busmark.packs.middlemeasure_2010 import MIDDLEMEASURE
from busmark.packs.openddsbench_2010 import OPENDDSBENCH

DOCUMENTS: dict[str, Document] = {
    "middlemeasure-2010": MIDDLEMEASURE,
    "openddsbench-2010": OPENDDSBENCH,
}
"""By the name that a scenario's key `document` has."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A statement and what the campaign says to it."""

    statement: Statement
    lines: tuple[tuple[Check, Evidence], ...]

    @property
    def verdicts(self) -> list[Verdict]:
        """One for each check; of a statement without any, that nothing can be told."""
        return [found.verdict for _, found in self.lines] or ["cannot tell"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Every statement of a document, answered by one campaign."""

    document: Document
    campaign: Campaign
    answers: tuple[Answered, ...]

    def count(self, verdict: Verdict) -> int:
        """Checks with this verdict."""
        return sum(answer.verdicts.count(verdict) for answer in self.answers)


def compare(campaign: Campaign) -> Comparison | None:
    """The comparison; None where the campaign's scenario names no document."""
    document = DOCUMENTS.get(campaign.document or "")
    if document is None:
        return None
    answers = tuple(
        Answered(statement, tuple((check, evidence(check, campaign)) for check in statement.checks))
        for statement in document.statements
    )
    return Comparison(document, campaign, answers)
