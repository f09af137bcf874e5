"""Themes: fonts, sizes and colours of everything but series."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from busmark.present.vega.axes import GAP
from busmark.present.vega.parts import STROKES, Spec

Theme = Literal["light", "dark", "print"]

SCREEN = "system-ui, 'Segoe UI', 'Liberation Sans', Arial, sans-serif"
PAPER = "'Liberation Sans', Arial, Helvetica, sans-serif"


@dataclass(frozen=True, slots=True)
class _Theme:
    ground: str
    text: str
    faint: str
    grid: str
    empty: str
    """A field of a heat map without a figure."""
    em: float = 12.0
    """Size of the text: pixels on a screen, points on paper."""
    font: str = SCREEN
    weight: str = "bold"
    """Weight of titles. With one font only, PDF is the same each time."""


THEMES: dict[Theme, _Theme] = {
    "light": _Theme("#FFFFFF", "#222222", "#555555", "#DDDDDD", "#EEEEEE"),
    "dark": _Theme("#16181D", "#E6E6E6", "#A9ADB5", "#363A42", "#2A2D34"),
    "print": _Theme("#FFFFFF", "#222222", "#555555", "#DDDDDD", "#EEEEEE", 7.0, PAPER, "normal"),
}


def config(theme: Theme) -> Spec:
    """Return what a theme adds to every specification, as its `config`."""
    own = THEMES[theme]
    em, line = own.em, own.em / STROKES
    fine = {"strokeWidth": line * 0.75}
    # The darkest field is as dark as the page.
    edged = {"opacity": 1, "stroke": own.faint, "strokeWidth": line * 0.3}
    point = {"size": (em * 0.6) ** 2, "strokeWidth": line * 0.6, "opacity": 1}
    style = {
        "curve": {"strokeWidth": line},
        "thin": {"strokeWidth": line * 0.6},
        "reference": fine,
        "interval": fine,
        "whisker": fine,
        "compared": {"strokeWidth": line * 1.4},
        "area": {"line": False},
        "band": {"fillOpacity": 0.22},
        "violin": {"fillOpacity": 0.25},
        "box": fine | {"fillOpacity": 0},
        "median": {"stroke": own.text, "strokeWidth": line},
        "mark": point,
        "hollow": point | {"fill": own.ground},
        "part": point | {"size": (em * 0.5) ** 2},
        "edge": point | {"size": (em * 0.55) ** 2},
        "dots": {"size": (em * 0.18) ** 2, "opacity": 1},
        "few-dots": {"size": (em * 0.35) ** 2, "opacity": 1},
        "pointed": point | {"opacity": 0},
        "sample": {"strokeWidth": line, "opacity": 1},
        "bar": {"opacity": 1},
        "field": edged,
        "empty": edged | {"color": own.empty},
        "written": {"fill": own.text, "fontSize": em * 0.93},
    }
    ticks = {"size": em * 0.5, "thickness": line * 0.75}
    return {
        "background": own.ground,
        # A sheet has its title; each of its points would be read out.
        "aria": theme != "print",
        "font": own.font,
        "padding": em * 0.4,
        "concat": {"spacing": em * GAP},
        "view": {"stroke": None},
        "style": style,
        "errorbar": {"rule": {"color": own.text}, "ticks": ticks | {"color": own.text}},
        "title": {
            "anchor": "start",
            "frame": "bounds",
            "color": own.text,
            "fontSize": em * 8 / 7,
            "fontWeight": own.weight,
            "subtitleColor": own.faint,
            "subtitleFontSize": em * 0.93,
            "offset": em * 0.5,
            "subtitlePadding": em * 0.3,
        },
        "axis": {
            "titleFontSize": em * 8 / 7,
            "labelFontSize": em,
            "titleFontWeight": "normal",
            "titleColor": own.text,
            "labelColor": own.text,
            "domainColor": own.faint,
            "tickColor": own.faint,
            "gridColor": own.grid,
            "gridWidth": line * 0.4,
            "domainWidth": line * 0.5,
            "tickWidth": line * 0.5,
            "tickSize": em * 0.35,
            "titlePadding": em * 0.4,
            "labelPadding": em * 0.2,
            "labelOverlap": True,
            "labelFlush": False,
        },
        "legend": {
            "labelFontSize": em,
            "labelColor": own.text,
            "offset": em * 0.6,
            "padding": 0,
            "rowPadding": em * 0.15,
            "columnPadding": em,
            "labelOffset": em * 0.4,
        },
    }
