"""The document of a campaign: what was required, the answer, what may spoil it, the cases, the
rest."""

from __future__ import annotations

import os
import re
from pathlib import Path

from busmark.analysis.model import Campaign
from busmark.documents import repetition as repeated
from busmark.frames import Results
from busmark.present.blocks import repetition
from busmark.present.blocks.answer import answer
from busmark.present.blocks.cases import cases
from busmark.present.blocks.charts import charts
from busmark.present.blocks.configuration import configuration
from busmark.present.blocks.frames import sections
from busmark.present.blocks.further import further
from busmark.present.blocks.opening import caveats, lines, requirements, state
from busmark.present.blocks.tests import tests
from busmark.present.charts.kinds import CHARTS, CURVES
from busmark.present.charts.shapes import Bars
from busmark.present.document import Document, Section
from busmark.present.sinks import markdown as markdown_sink
from busmark.present.sinks import workbook as workbook_sink
from busmark.store import Result

MOST_CHOICES = {False: 4, True: 1}
"""Choices of cases of which the notebook has a chart: of figures, and of points of samples."""

VARIANT = re.compile(r"jitter-(?!percentiles)|(quantiles|density|10us|log)$")
"""Charts of points of samples that the notebook leaves to a call of its reader."""


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
    files = markdown_sink.write(document(campaign), folder)
    if found := repeated(campaign):
        files += markdown_sink.write(repetition.document(found), folder, "comparison.md")
    return files


def notebook(result: Result, campaign: Campaign, folder: Path) -> list[Path]:
    """Write the document of a campaign, its configuration, tests and charts into `folder` as a
    notebook that was run, with cells to continue with.

    Raises:
        UserError: a cell fails; nothing is written then.
    """
    # Only now: Jupyter's packages are optional.
    from busmark.present.blocks.working import closing, opening
    from busmark.present.sinks import notebook as sink

    own = document(campaign)
    more = [each for each in configuration(campaign) if each.key != "scenario"]
    if campaign.perftest:
        more += tests(campaign)
    shown = [kind for kind in CHARTS if not (kind.of_series and VARIANT.search(kind.key))]
    for of_series, most in MOST_CHOICES.items():
        kinds = [kind for kind in shown if kind.of_series == of_series]
        more += charts(campaign, kinds, most)
    others = [kind.key for kind in CHARTS if kind not in shown and kind.cases(campaign)]
    directory = os.path.relpath(result.directory.resolve(), folder.resolve())
    return sink.write(
        Document(own.title, own.lines, [*own.sections, *more]),
        opening(campaign, directory), closing(campaign, others), folder,
    )  # fmt: skip


def workbook(result: Result, campaign: Campaign, folder: Path) -> list[Path]:
    """Write the document of a campaign, its configuration, tests, charts and frames into `folder`
    as a workbook."""
    own = document(campaign)
    kinds = [kind for kind in CHARTS if kind in CURVES or kind.shape is Bars]
    # All that is known of findings is a frame.
    shown = [section for section in own.sections if section.title != "Findings"]
    more = (
        *configuration(campaign), *tests(campaign), *charts(campaign, kinds),
        *sections(Results(result, campaign)),
    )  # fmt: skip
    return workbook_sink.write(Document(own.title, own.lines, [*shown, *more]), folder)
