"""The document of a campaign: what was required, the answer, what may spoil it, the cases, the
rest."""

from __future__ import annotations

from pathlib import Path

from busmark.analysis.model import Campaign
from busmark.documents import repetition as repeated
from busmark.present.blocks import repetition
from busmark.present.blocks.answer import answer
from busmark.present.blocks.cases import cases
from busmark.present.blocks.further import further
from busmark.present.blocks.opening import caveats, lines, requirements, state
from busmark.present.document import Document, Section
from busmark.present.sinks.markdown import write
from busmark.store import Result


def document(campaign: Campaign) -> Document:
    """Return the document, in the order in which it is read."""
    sections = [*opening(campaign), *cases(campaign), *further(campaign)]
    return Document(campaign.name, list(lines(campaign)), sections)


def opening(campaign: Campaign) -> list[Section]:
    """Return the first screen: what was required, the answer, what may spoil it."""
    first = (state(campaign), requirements(campaign), answer(campaign), caveats(campaign))
    return [section for section in first if section is not None]


def markdown(result: Result, campaign: Campaign, folder: Path) -> list[Path]:
    """Write the document of a campaign into `folder` as Markdown, and beside it the one that
    compares it with a document whose experiments it repeats."""
    files = write(document(campaign), folder)
    if found := repeated(campaign):
        files += write(repetition.document(found), folder, "comparison.md")
    return files
