"""The document of a single case: all its figures, the segments of its way, its rounds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from busmark.analysis.model import CaseSummary
from busmark.findings.kinds import Flags
from busmark.present.blocks.further import of_block, on_case
from busmark.present.document import Document, Section, Text
from busmark.report.html.details import case_details, heading, summary


def document(case: CaseSummary, found: Mapping[str, Flags]) -> Document:
    """Return the document of a case, with what was `found` of it."""
    lines = [f"{case.id}: {summary(case)}", *([case.reason] if case.reason else [])]
    return Document(heading(case), lines, list(_sections(case, found)))


def _sections(case: CaseSummary, found: Mapping[str, Flags]) -> Iterator[Section]:
    details = case_details(case)
    parameters = "; ".join(f"{name} {value}" for name, value in details.params)
    yield Section("", [Text("parameters", {"parameters": parameters}, style="quiet")])
    if section := on_case(case.id, found):
        yield section
    for block in details.blocks:
        yield Section(block.title, of_block(block))
