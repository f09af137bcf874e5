"""A campaign compared with the document whose experiments it repeats."""

from __future__ import annotations

from dataclasses import dataclass

from busmark.compare.campaign import Campaign
from busmark.plugins.papers.document import Document, GroupedTable, Statement
from busmark.plugins.papers.evidence import Check, Evidence, Verdict, evidence
from busmark.plugins.papers.middlemeasure_2010 import MIDDLEMEASURE
from busmark.plugins.papers.openddsbench_2010 import OPENDDSBENCH
from busmark.plugins.papers.perftest_2023 import PERFTEST
from busmark.plugins.papers.pother_2008 import POTHER
from busmark.plugins.papers.secured_2023 import SECURED
from busmark.plugins.papers.xrce_2022 import XRCE

DOCUMENTS: dict[str, Document] = {
    "middlemeasure-2010": MIDDLEMEASURE,
    "openddsbench-2010": OPENDDSBENCH,
    "perftest-2023": PERFTEST,
    "pother-2008": POTHER,
    "secured-2023": SECURED,
    "xrce-2022": XRCE,
}
"""Documents by the value of a scenario's key `document`."""


@dataclass(frozen=True, slots=True)
class StatementOutcome:
    """A statement with the checks of a campaign against it."""

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
        skipped: statements on experiments that the campaign does not have.
        tables: in the document's own columns.
    """

    document: Document
    campaign: Campaign
    answers: tuple[StatementOutcome, ...]
    skipped: tuple[Statement, ...]
    tables: tuple[GroupedTable, ...]

    def count(self, verdict: Verdict) -> int:
        """Return the number of checks with this verdict."""
        return sum(answer.verdicts.count(verdict) for answer in self.answers)


def repetition(campaign: Campaign, name: str | None = None) -> Repetition | None:
    """Return what it says to the document of this name, or to its scenario's; None where that names
    none."""
    document = DOCUMENTS.get(name or campaign.keys.get("document", ""))
    if document is None:
        return None
    parts = {document.part_of(case) for case in campaign.cases}
    applicable = [s for s in document.statements if not parts or s.part in (None, *parts)]
    answers = tuple(
        StatementOutcome(
            statement, tuple((check, evidence(check, campaign)) for check in statement.checks)
        )
        for statement in applicable
    )
    return Repetition(
        document,
        campaign,
        answers,
        skipped=tuple(s for s in document.statements if s not in applicable),
        tables=tuple(document.tables(campaign)) if document.tables else (),
    )
