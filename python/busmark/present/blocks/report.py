"""The document of a campaign: what was required, the answer, what may spoil it, the cases, the
rest."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from busmark.compare.campaign import Campaign
from busmark.findings.registry import by_case, kinds
from busmark.model import text
from busmark.model.case import CaseSummary
from busmark.model.naming import MIDDLEWARE, NAME
from busmark.plugin import attempt, documents, parts
from busmark.present.blocks import samples, working
from busmark.present.blocks.answer import answer
from busmark.present.blocks.case import heading, summary
from busmark.present.blocks.case import sections as details
from busmark.present.blocks.cases import TITLES, cases
from busmark.present.blocks.charts import by_test, charts, sheets
from busmark.present.blocks.ci import ci_figures
from busmark.present.blocks.configuration import configuration
from busmark.present.blocks.environment import RawFiles, commands, environment, files_of
from busmark.present.blocks.findings import all_findings
from busmark.present.blocks.frames import sections
from busmark.present.blocks.further import behind, costs, further, matrices
from busmark.present.blocks.opening import by_requirement, caveats, lines, requirements, state
from busmark.present.blocks.tests import tests
from busmark.present.charts import look
from busmark.present.charts.kinds import CHARTS, CURVES
from busmark.present.charts.panels import placement
from busmark.present.charts.shapes import Bars
from busmark.present.document import (
    CASES,
    Chart,
    Document,
    FrameTable,
    ListedCase,
    Metric,
    Section,
    Suite,
    Test,
)
from busmark.present.formats import Views
from busmark.results import Results
from busmark.store import Result

FIRST = ("latency-medians", "one-way", "goodput")
"""Charts of which the first that there is stands on the first screen."""

MOST_DETAILS = 1000
"""Most cases whose details are in the page."""

MOST_CHOICES = {False: 4, True: 1}
"""Choices of cases of which the notebook has a chart: of figures, and of points of samples."""

VARIANT = re.compile(r"jitter-(?!percentiles)|(quantiles|density|10us|log)$")
"""Charts of points of samples that the notebook leaves to a call of its reader."""


def document(campaign: Campaign) -> Document:
    """Return the document, in the order in which it is read."""
    sections = [*opening(campaign), *cases(campaign), *further(campaign), *commands(campaign)]
    sections += _of_plugins(campaign)
    return Document(campaign.name, list(lines(campaign)), sections)


def _of_plugins(campaign: Campaign) -> list[Section]:
    made = [attempt(of, block, campaign) for of, block in parts(lambda plugin: plugin.blocks)]
    return [section for section in made if section is not None]


def opening(campaign: Campaign) -> list[Section]:
    """Return the first screen: what was required, the answer, what may spoil it."""
    first = (state(campaign), requirements(campaign), answer(campaign), caveats(campaign))
    return [section for section in first if section is not None]


def whole(
    campaign: Campaign, files: RawFiles | None = None, links: Sequence[tuple[str, str]] = ()
) -> Document:
    """Return the document with charts, machine and method, and with all cases in full.

    Args:
        campaign: what it shows.
        files: where the raw data are, as seen from the page.
        links: words and address of pages that belong to it.
    """
    drawn = by_test(campaign)
    first = next((c for own in drawn.values() for c in own if c.key in FIRST), None)
    sections = opening(campaign)
    if first:
        sections.append(Section("", [first], key="first"))
    sections += matrices(campaign)
    placed = {first.key if first else ""}
    every = {chart.key: chart for own in drawn.values() for chart in own}
    for section in costs(campaign):
        of = [every[section.key]] if section.key in every else []
        sections.append(replace(section, blocks=[*of, *section.blocks]))
        placed.add(section.key)
    sections += _results(campaign, drawn, placed)
    sections.append(Section("Every case", [], key=CASES))
    sections += behind(campaign)
    sections += _of_plugins(campaign)
    sections += all_findings(campaign)
    sections += environment(campaign, files)
    swatches = {each.text: look.swatch(each) for each in campaign.labels}
    return Document(
        campaign.name,
        list(lines(campaign)),
        sections,
        entries(campaign, files),
        links,
        swatches=swatches,
        labels=campaign.labels,
    )


def _results(
    campaign: Campaign, drawn: Mapping[str, Sequence[Chart]], placed: Collection[str]
) -> Iterator[Section]:
    """Yield tables and charts of each test."""
    tables: dict[str, list[Section]] = {}
    for group, section in zip(campaign.groups, cases(campaign), strict=True):
        tables.setdefault(group.test, []).append(section)
    for test, own in tables.items():
        part = TITLES.get(test, test)
        blocks = [chart for chart in drawn.get(test, ()) if chart.key not in placed]
        made = [*own, *([Section("Charts", blocks, key=f"charts-{test}")] if blocks else [])]
        yield from (replace(section, part=part) for section in made)


def entries(campaign: Campaign, files: RawFiles | None) -> list[ListedCase]:
    """Return every case, with its details as far as there is room for them."""
    found = by_case(kinds(campaign.findings))
    return [
        ListedCase(
            case.id,
            case.label,
            heading(case),
            summary(case),
            case.status.replace("_", " "),
            case.reason or "",
            _values(case),
            [*details(case, found), *files_of(case, files)] if number < MOST_DETAILS else [],
        )
        for number, case in enumerate(campaign.cases)
    ]


def _values(case: CaseSummary) -> dict[str, str]:
    """Return what the case can be chosen by: its middleware, each choice that labels have,
    parameters."""
    alone = case.is_floor or not case.label_parts
    named = {MIDDLEWARE: case.label} if alone else case.label_parts
    return {
        "Test": case.test,
        **{text.upper_first(name): value for name, value in named.items()},
        **({} if NAME in case.workload else {"Size": text.size_text(case.size)}),
        "Placement": placement(case),
        "Status": case.status.replace("_", " "),
        **{text.upper_first(name): value for name, value in (case.workload | case.choices).items()},
    }


FRAMES = ("cases", "estimates", "rounds", "findings")
"""Frames of a result for programs."""


def views(result: Result, campaign: Campaign, folder: Path, *, plain: bool = False) -> Views:
    """Return the documents of a campaign for all forms that are written into `folder`.

    Args:
        result: where its raw data are.
        campaign: what they show.
        folder: addresses are as seen from it.
        plain: charts for print without the findings that concern them.
    """
    others = [replace(each, kind=kind.name) for kind, each in documents(campaign)]
    links = [(each.title, f"{each.stem}.html") for each in others]
    return Views(
        partial(document, campaign),
        {
            "page": lambda: whole(campaign, RawFiles.from_result(result, folder), links),
            "sheets": partial(_workbook, result, campaign),
            "cells": partial(_notebook, result, campaign, folder),
            "charts": partial(_charts, result, campaign, plain=plain),
            "tables": partial(_frames, result, campaign),
            "samples": partial(_samples, result, campaign),
            "ci": partial(_ci, result, campaign),
        },
        [replace(each, links=[("Report", "report.html")]) for each in others],
    )


def _notebook(result: Result, campaign: Campaign, folder: Path) -> Document:
    """Return the document, its configuration, tests and charts, with cells to continue with."""
    own = document(campaign)
    more = [each for each in configuration(campaign) if each.key != "scenario"]
    shown = [kind for kind in CHARTS if not (kind.of_series and VARIANT.search(kind.key))]
    for of_series, most in MOST_CHOICES.items():
        kinds = [kind for kind in shown if kind.of_series == of_series]
        more += charts(campaign, kinds, most)
    sections = [
        replace(
            section,
            blocks=[
                cell
                for block in section.blocks
                for cell in (working.drawn(block) if isinstance(block, Chart) else [block])
            ],
        )
        for section in (*own.sections, *more)
    ]
    others = [kind.key for kind in CHARTS if kind not in shown and kind.cases(campaign)]
    directory = os.path.relpath(result.directory.resolve(), folder.resolve())
    first, last = working.opening(campaign, directory), working.closing(campaign, others)
    beside = [section for _, each in documents(campaign) for section in each.sections]
    return replace(own, sections=[first, *sections, *beside, last])


def _workbook(result: Result, campaign: Campaign) -> Document:
    """Return the document, its configuration, tests, charts and frames."""
    own = document(campaign)
    kinds = [kind for kind in CHARTS if kind in CURVES or kind.shape is Bars]
    # All that is known of findings is a frame.
    shown = [section for section in own.sections if section.title != "Findings"]
    more = (
        *configuration(campaign),
        *tests(campaign),
        *charts(campaign, kinds),
        *sections(Results(result, campaign)),
    )
    return replace(own, sections=[*shown, *more])


def _charts(result: Result, campaign: Campaign, *, plain: bool) -> Document:
    names, files = samples.data(result, campaign)
    shown = campaign.model_copy(update={"findings": []}) if plain else campaign
    return Document(campaign.name, [], sheets(shown, names), data=files)


def _frames(result: Result, campaign: Campaign) -> Document:
    results = Results(result, campaign)
    tables = [FrameTable(name, partial(getattr, results, name)) for name in FRAMES]
    return Document(campaign.name, [], [Section("Tables", tables)])


def _samples(result: Result, campaign: Campaign) -> Document:
    results = Results(result, campaign)
    tables = [
        FrameTable(f"samples-{case.id}", partial(results.samples, case.id))
        for case in campaign.cases
        if case.rounds.ok
    ]
    return Document(campaign.name, [], [Section("Samples", tables)])


def _ci(result: Result, campaign: Campaign) -> Document:
    """Return a suite of each requirement, and the estimates that answer what cases are for."""
    seconds = {
        case.id: sum(each.measured_s or 0.0 for each in case.attempts if each.status == "ok")
        for case in campaign.cases
    }
    suites = [
        Suite(
            words,
            [
                Test(
                    campaign.name,
                    each.case,
                    seconds.get(each.case, 0.0),
                    each.fails,
                    each.verdict == "met",
                    each.verdict,
                    each.reason,
                )
                for each in own
            ],
        )
        for words, own in by_requirement(campaign.requirements)
    ]
    properties = {"result": str(result.directory), "busmark": campaign.busmark_version}
    rows = ci_figures(Results(result, campaign).estimates, campaign.cases).to_dicts()
    metrics = [
        Metric(
            row["name"],
            row["figure"],
            row["unit"],
            row["value"],
            row["low"],
            row["high"],
            row["confidence"],
            row["more_is_better"],
            {"rounds": row["rounds"], "samples": row["count"]},
        )
        for row in rows
    ]
    return Document(
        campaign.name,
        [],
        [],
        suites=suites,
        metrics=metrics,
        begun_utc=campaign.created_utc,
        properties=properties,
    )
