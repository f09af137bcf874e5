"""Charts in Jupyter, a result's and own ones, as a bundle by MIME type.

The bundle has the specification, which Jupyter draws itself, and a picture for programs that do
not, where `vl-convert` is installed.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Mapping
from typing import Any

from busmark.compare.campaign import Campaign
from busmark.errors import UserError
from busmark.present.blocks.tests import tests
from busmark.present.charts.kinds import CHARTS
from busmark.present.document import Chart
from busmark.present.vega import config, specification
from busmark.present.vega.parts import CHARACTER, lines
from busmark.present.vega.theme import THEMES
from busmark.results import Results

MIME, SCHEMA = (
    "application/vnd.vegalite.v5+json",
    "https://vega.github.io/schema/vega-lite/v5.json",
)
"""Type and schema of specifications that every Jupyter since 2023 draws; they use nothing newer."""

WIDTH = 900
"""Pixels of a chart."""


class Drawing:
    """A Vega-Lite specification that Jupyter shows.

    Args:
        specification: the chart, with its data.
        title: what is shown where nothing draws it.
    """

    def __init__(self, specification: Mapping[str, Any], title: str = "") -> None:
        self.specification = dict(specification)
        self.title = title

    def __repr__(self) -> str:
        return f"<chart: {self.title}>"

    def _repr_mimebundle_(self, **_: object) -> dict[str, Any]:
        spec = {**self.specification, "config": config("light")}
        bundle: dict[str, Any] = {MIME: {**spec, "$schema": SCHEMA}, "text/plain": repr(self)}
        if importlib.util.find_spec("vl_convert"):
            import vl_convert

            svg = vl_convert.vegalite_to_svg(spec)
            png = vl_convert.svg_to_png(svg)
            # A picture of thousands of points is smaller as PNG, any other as SVG.
            bundle |= {"image/svg+xml": svg} if len(svg) < len(png) else {"image/png": png}
        return bundle


def chart(results: Results, key: str, choice: Mapping[str, str] | None = None) -> Drawing:
    """Return a chart of the report; without `choice` the first.

    Args:
        results: what `busmark.open` returns.
        key: name of the chart, such as "latency-size".
        choice: of the cases, such as {"Placement": "one CPU"}.

    Raises:
        UserError: there is no such chart, or it has nothing to show for this choice.
    """
    others = []
    for title, shape in _shapes(results.campaign, key):
        if set((choice or {}).items()) <= set(shape.keys):
            width = int(WIDTH / (CHARACTER * THEMES["light"].em))
            heading = {"text": title, "subtitle": lines(shape.caption, width, label=False)}
            spec = specification(shape, width=WIDTH) | {"title": heading}
            return Drawing(spec, f"{title}. {shape.caption}".strip(". "))
        others.append(str(dict(shape.keys)))
    raise UserError(
        f"the chart {key} has nothing to show for this choice",
        where="chart",
        remedy=f"It has {' or '.join(others) or 'no cases in this result'}.",
    )


def _shapes(campaign: Campaign, key: str) -> Iterator[tuple[str, Any]]:
    """Yield the title and each shape of a chart, drawn when it is needed."""
    for kind in CHARTS:
        if kind.key == key:
            yield from ((kind.title, s) for s in kind.shapes(campaign, kind.cases(campaign)))
            return
    blocks = [block for section in tests(campaign) for block in section.blocks]
    charts = {block.key: block for block in blocks if isinstance(block, Chart)}
    if key not in charts:
        known = ", ".join([*(kind.key for kind in CHARTS), *charts])
        raise UserError(f"no chart {key!r}", where="chart", remedy=f"There are {known}.")
    yield from ((charts[key].title, shape) for shape in charts[key].shapes)
