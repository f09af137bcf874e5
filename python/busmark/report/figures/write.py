"""Figures into files, and a list of what was made and what was left out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from busmark.analysis.model import Campaign
from busmark.analysis.words.text import plural
from busmark.report.drawing.left_out import cases_left_out
from busmark.report.drawing.texts import one_line
from busmark.report.figures import theme
from busmark.report.figures.kind import Drawing, Source
from busmark.report.figures.kinds import ALL
from busmark.report.folder import within
from busmark.report.markup import escaped
from busmark.report.replace import replaced
from busmark.store import Result

INDEX = "index.md"

Tell = Callable[[int], object]
"""Takes how many figures there are by now."""


def silent(count: int) -> None:
    """Says nothing."""


LONGEST = 3000
"""Characters of a caption; longer ones are cut."""

METADATA: dict[str, dict[str, Any]] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "ModDate": None, "Creator": None, "Producer": None},
}
"""Nothing that differs from one day or version to the next: the same result, the same files."""


def write_figures(
    campaign: Campaign, folder: Path, endings: Sequence[str], tell: Tell = silent
) -> dict[str, list[Path]]:
    """All figures of the campaign, by ending, each into a folder named by it; the list of figures
    first. A figure is drawn and laid out once, whatever the number of endings.

    Those of an earlier report with these endings are replaced; files of the user's stay.
    """
    folders = {ending: within(folder, ending) for ending in endings}
    with ExitStack() as stack:
        places = {name: stack.enter_context(replaced(of)) for name, of in folders.items()}
        names = _figures(campaign, places, tell)
    return {
        ending: [of / INDEX, *(of / f"{name}.{ending}" for name in names)]
        for ending, of in folders.items()
    }


def _alone(result: Result, campaign: Campaign, folder: Path, *, ending: str) -> list[Path]:
    return write_figures(campaign, folder, [ending])[ending]


png = partial(_alone, ending="png")
svg = partial(_alone, ending="svg")
pdf = partial(_alone, ending="pdf")


def _figures(campaign: Campaign, places: Mapping[str, Path], tell: Tell) -> list[str]:
    """Names of the figures, without an ending."""
    lines: dict[str, list[str]] = {ending: [] for ending in places}
    names: list[str] = []
    absent: list[str] = []
    with theme.applied():
        drawn_from = Source(campaign)
        for kind in ALL:
            before = len(names)
            for drawing in kind.draw(drawn_from, kind):
                _lay_out(drawing.figure)
                for ending, place in places.items():
                    lines[ending].append(_save(drawing, place, ending))
                names.append(drawing.name)
                tell(len(names))
            if len(names) == before:
                absent.append(f"- {kind.name}: it needs {kind.needs}.")
    for ending, place in places.items():
        index = _index(campaign, lines[ending], absent)
        (place / INDEX).write_text(index, encoding="utf-8")
    return names


def _save(drawing: Drawing, place: Path, ending: str) -> str:
    """Into a file; gives its line of the list."""
    path = place / f"{drawing.name}.{ending}"
    caption = one_line(drawing.caption, LONGEST)
    metadata = METADATA[ending] | {"Title": f"{drawing.title}. {caption}"}
    drawing.figure.savefig(path, format=ending, metadata=metadata)
    linked = f"[{escaped(path.name)}]({path.name})"
    findings = f" {escaped(one_line(drawing.findings, LONGEST))}" if drawing.findings else ""
    return f"- {linked}: **{escaped(drawing.title)}.** {escaped(caption)}{findings}"


def _lay_out(figure: Figure) -> None:
    """Once: with an engine, saving lays out and draws the whole figure twice."""
    engine = figure.get_layout_engine()
    if engine is not None:
        engine.execute(figure)
        figure.set_layout_engine(None)


def _index(campaign: Campaign, lines: list[str], absent: list[str]) -> str:
    title = f"# Figures of “{escaped(campaign.name)}”"
    parts = [title, "", f"{plural(len(lines), 'figure')}.", "", *lines]
    if absent:
        parts += ["", "## Kinds that were left out", "", *absent]
    cases = cases_left_out(campaign)
    if cases:
        parts += ["", "## Cases without figures", "", *(f"- {escaped(told)}" for told in cases)]
    return "\n".join(parts) + "\n"
