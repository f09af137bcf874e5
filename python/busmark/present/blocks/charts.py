"""The charts of a campaign: a chart for each kind, or for each place that several kinds share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from busmark.compare.campaign import Campaign
from busmark.findings.registry import Flags, by_case, kinds
from busmark.model.text import size_text
from busmark.present import same_in_all
from busmark.present.blocks.samples import parts_of
from busmark.present.charts.flagged import Findings, concerning, of_kinds
from busmark.present.charts.kinds import CHARTS, KINDS, ChartKind
from busmark.present.charts.shapes import Picture, one_line
from busmark.present.document import Chart, Section, Text
from busmark.present.drawings import safe

MOST_DRAWN = 500
"""Cases of a test in one chart of distributions or of time: with more, the first of the table."""


def by_test(campaign: Campaign) -> dict[str, list[Chart]]:
    """Return the charts for which the campaign has data, by test; several kinds may be in one."""
    drawn: dict[str, list[Chart]] = {kind.test: [] for kind in CHARTS}
    found = by_case(kinds(campaign.findings))
    places: dict[str, list[ChartKind]] = {}
    for kind in CHARTS:
        places.setdefault(kind.place.id if kind.place else kind.key, []).append(kind)
    for name, own in places.items():
        if chart := _together(campaign, name, own, found):
            drawn[own[0].test].append(chart)
    return drawn


def _together(
    campaign: Campaign, name: str, own: Sequence[ChartKind], found: Mapping[str, Flags]
) -> Chart | None:
    """Return what one place has; each shape has its own explanation where these differ."""
    first, left_out = own[0], 0
    shapes: list[Any] = []
    keys, explanations, marks = [], [], []
    for kind in own:
        cases = kind.cases(campaign)
        room = MOST_DRAWN if kind.of_series else len(cases)
        left_out = max(left_out, len(cases) - room)
        for shape in kind.shapes(campaign, cases[:room], page=True):
            shapes.append(replace(shape, apart=False) if isinstance(shape, Picture) else shape)
            keys.append(kind.place.keys if kind.place else ())
            explanations.append(kind.explanation)
            flags = concerning(kind.figures, shape.members, found)
            every = of_kinds(flag for each in flags.values() for flag in each)
            marks.append([each.mark for each in every])
    if not shapes:
        return None
    title = first.place.title if first.place else first.title
    differ = len({kind.explanation for kind in own}) > 1
    return Chart(
        name, title, shapes, explanations[0], explanations if differ else (), keys, marks, left_out
    )


def charts(
    campaign: Campaign, kinds: Sequence[ChartKind], most: int | None = None
) -> Iterator[Section]:
    """Return the charts of these kinds, with a shape for each choice of cases, or at most this many
    of them."""
    for kind in kinds:
        if shapes := list(islice(kind.shapes(campaign, kind.cases(campaign)), most)):
            chart = Chart(kind.key, kind.title, shapes, kind.explanation)
            yield Section(kind.title, [chart], detail=True, key=kind.key)


def sheets(campaign: Campaign, samples: Mapping[str, str]) -> list[Section]:
    """Return the charts for paper, one for each choice of cases, with letters of findings; then
    which kinds and cases have none.

    Args:
        campaign: what they show.
        samples: names of the files with the figures of cases.
    """
    findings, charts = Findings(campaign), list[Chart]()
    absent: list[str] = []
    for kind in KINDS:
        before = len(charts)
        for shape in kind.shapes(campaign, kind.cases(campaign)):
            charts.append(_sheet(kind, shape, findings, samples))
        if len(charts) == before:
            absent.append(f"{kind.key}: it needs {kind.needs}.")
    sections = [Section("Charts", charts)]
    for title, lines in (
        ("Kinds that were left out", absent),
        ("Cases without data", _without_data(campaign)),
    ):
        if lines:
            sections.append(Section(title, [Text("line", {"line": line}) for line in lines]))
    return sections


def _sheet(kind: ChartKind, shape: Any, findings: Findings, samples: Mapping[str, str]) -> Chart:
    marked, letters = findings.on(kind.figures, shape)
    lead = same_in_all.middleware(shape.members)
    labels = {}
    if isinstance(shape, Picture) and shape.apart:
        variable = "jitter_stats" if "IPDV" in shape.plot.x.title else "latency_stats"
        labels = {
            case.label: (f"{samples[case.id]}.stats", variable)
            for case in shape.members
            if case.id in samples
        }
    name = ".".join(map(safe, (kind.key, *parts_of(shape.keys, shape.members[0]))))
    caption = f"{lead}. {shape.caption}" if lead else shape.caption
    return Chart(
        name,
        kind.title,
        [marked],
        kind.explanation,
        captions=[caption],
        notes=[letters],
        labels=labels,
    )


def _without_data(campaign: Campaign) -> list[str]:
    """Write a line for each case that has no result, and for each part that could not be read."""
    lines = []
    for case in campaign.cases:
        if case.headline is None:
            why = "no sample came back" if case.status == "ok" else case.status.replace("_", " ")
            why = f"{why}, {case.reason}" if case.reason and case.status != "ok" else why
            lines.append(f"{case.id} ({case.label}, {size_text(case.size)}): {why}")
    return [one_line(line, 1000) for line in (*lines, *campaign.problems)]
