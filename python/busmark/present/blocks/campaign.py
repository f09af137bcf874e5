"""The document of a campaign: what was required, the answer, what may spoil it, the cases, the
rest."""

from __future__ import annotations

from pathlib import Path

from busmark.analysis.model import Campaign
from busmark.frames import Results
from busmark.present.blocks.answer import answer
from busmark.present.blocks.cases import cases
from busmark.present.blocks.charts import charts
from busmark.present.blocks.configuration import configuration
from busmark.present.blocks.frames import sections
from busmark.present.blocks.further import further
from busmark.present.blocks.opening import caveats, lines, requirements, state
from busmark.present.blocks.tests import tests
from busmark.present.document import Document, Section
from busmark.present.sinks import markdown as markdown_sink
from busmark.present.sinks import workbook as workbook_sink
from busmark.report.drawing.bars import BarChart
from busmark.report.drawing.charts import CHARTS, CURVES
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
    """Write the document of a campaign into `folder` as Markdown."""
    return markdown_sink.write(document(campaign), folder)


def workbook(result: Result, campaign: Campaign, folder: Path) -> list[Path]:
    """Write the document of a campaign, its configuration, tests, charts and frames into `folder`
    as a workbook."""
    own = document(campaign)
    kinds = [kind for kind in CHARTS if kind in CURVES or isinstance(kind, BarChart)]
    # All that is known of findings is a frame.
    shown = [section for section in own.sections if section.title != "Findings"]
    more = (
        *configuration(campaign), *tests(campaign), *charts(campaign, kinds),
        *sections(Results(result, campaign)),
    )  # fmt: skip
    return workbook_sink.write(Document(own.title, own.lines, [*shown, *more]), folder)
