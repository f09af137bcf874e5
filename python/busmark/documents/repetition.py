"""A campaign beside the document whose experiments it repeats."""

from __future__ import annotations

from dataclasses import dataclass

from busmark.compare.campaign import Campaign
from busmark.documents.claim import Verdict
from busmark.documents.document import Document, Statement
from busmark.documents.evidence import Check, Evidence, evidence
from busmark.documents.middlemeasure_2010 import MIDDLEMEASURE
from busmark.documents.openddsbench_2010 import OPENDDSBENCH
from busmark.documents.perftest_2023 import PERFTEST
from busmark.documents.pother_2008 import POTHER
from busmark.documents.secured_2023 import SECURED
from busmark.documents.table import Table
from busmark.documents.xrce_2022 import XRCE

DOCUMENTS: dict[str, Document] = {
    "middlemeasure-2010": MIDDLEMEASURE,
    "openddsbench-2010": OPENDDSBENCH,
    "perftest-2023": PERFTEST,
    "pother-2008": POTHER,
    "secured-2023": SECURED,
    "xrce-2022": XRCE,
}
"""By the name that a scenario's key `document` has."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A statement and what the campaign says to it."""

    statement: Statement
    lines: tuple[tuple[Check, Evidence], ...]

    @property
    def verdicts(self) -> list[Verdict]:
        """One for each check; for a statement without any, "undecided"."""
        return [found.verdict for _, found in self.lines] or ["undecided"]


@dataclass(frozen=True, slots=True)
class Repetition:
    """Statements of a document, answered by one campaign.

    Attributes:
        not_asked: statements on a part that the campaign does not have.
        tables: in the document's own columns.
    """

    document: Document
    campaign: Campaign
    answers: tuple[Answered, ...]
    not_asked: tuple[Statement, ...]
    tables: tuple[Table, ...]

    def count(self, verdict: Verdict) -> int:
        """Checks with this verdict."""
        return sum(answer.verdicts.count(verdict) for answer in self.answers)


def repetition(campaign: Campaign) -> Repetition | None:
    """What it says to the document; None where the campaign's scenario names no document."""
    document = DOCUMENTS.get(campaign.document or "")
    if document is None:
        return None
    parts = {document.part_of(case) for case in campaign.cases}
    asked = [s for s in document.statements if not parts or s.part in (None, *parts)]
    answers = tuple(
        Answered(statement, tuple((check, evidence(check, campaign)) for check in statement.checks))
        for statement in asked
    )
    return Repetition(
        document,
        campaign,
        answers,
        not_asked=tuple(s for s in document.statements if s not in asked),
        tables=tuple(document.tables(campaign)) if document.tables else (),
    )
