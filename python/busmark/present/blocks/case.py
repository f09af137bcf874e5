"""The document of a single case: all its figures, the segments of its way, its rounds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from busmark.findings.registry import Flags
from busmark.model import text
from busmark.model.case import CaseSummary
from busmark.model.naming import flatten, placement_text, title, value_text
from busmark.model.quantities import GOODPUT
from busmark.model.quantities.action import ACCEPTED
from busmark.model.quantities.discovery import FIRST_SAMPLE
from busmark.present.blocks.details import details
from busmark.present.blocks.findings import on_case
from busmark.present.blocks.imported import reported_headline
from busmark.present.blocks.rows import Field, listing
from busmark.present.document import Cell, Document, Section, Text


def document(case: CaseSummary, found: Mapping[str, Flags]) -> Document:
    """Return the document of a case, with what was `found` of it."""
    lines = [f"{case.id}: {summary(case)}", *([case.reason] if case.reason else [])]
    return Document(heading(case), lines, list(sections(case, found)))


def sections(case: CaseSummary, found: Mapping[str, Flags]) -> Iterator[Section]:
    """Yield what is known of a case: findings, figures, parameters."""
    if section := on_case(case.id, found):
        yield section
    every = list(details(case))
    yield from (section for section in every if not section.folded)
    if case.floor:
        fields = (
            Field("Case", lambda floor: Cell(floor.case, case=floor.case)),
            Field("Differs in", lambda floor: text.joined(floor.differs)),
        )
        yield Section("Floor", [listing([case.floor], fields)])
    yield from (section for section in every if section.folded)
    flat = flatten(case.params)
    named = [f"{title(name)} {value_text(name, value)}" for name, value in flat.items()]
    # For this machine alone it stands once, with the machine.
    if case.os and case.params.network == "nodes":
        named.append(f"operating system {case.os}")
    parameters = Text("line", {"line": f"{'; '.join(named)}."}, style="quiet")
    yield Section("Parameters", [parameters], folded=True)


def heading(case: CaseSummary) -> str:
    """Return what the case is, in a line."""
    parts = [case.label, text.size_text(case.size), placement_text(case.placement)]
    further = [f"{name} {value}" for name, value in case.workload.items() if value != text.ABSENT]
    return " · ".join([case.test, *parts, *further])


def summary(case: CaseSummary) -> str:
    """Return the result in a few words."""
    if case.rtt_2:
        return f"median RTT/2 {text.figure_text(case.rtt_2.median)}"
    if case.response_time:
        return f"median response time {text.figure_text(case.response_time.median)}"
    if found := ACCEPTED.figure(case):
        return f"goals accepted after {text.figure_text(found)}"
    if found := FIRST_SAMPLE.figure(case):
        return f"first sample after {text.figure_text(found)}"
    if found := GOODPUT.figure(case):
        return f"goodput {text.figure_text(found, text.MBIT)}"
    return reported_headline(case) or case.status.replace("_", " ")
