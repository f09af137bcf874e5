"""Figures into files, and a list of what was made and what was left out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from busmark.analysis.model import Campaign
from busmark.analysis.text import plural
from busmark.report.drawing.left_out import cases_left_out
from busmark.report.drawing.texts import one_line
from busmark.report.figures import theme
from busmark.report.figures.kind import source
from busmark.report.figures.kinds import ALL
from busmark.report.markup import escaped
from busmark.report.replace import replaced
from busmark.store import Result

INDEX = "index.md"

LONGEST = 3000
"""Characters of a caption; longer ones are cut."""

METADATA: dict[str, dict[str, Any]] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "ModDate": None, "Creator": None, "Producer": None},
}
"""Nothing that differs from one day or version to the next: the same result, the same files."""


def write_figures(result: Result, campaign: Campaign, folder: Path, ending: str) -> list[Path]:
    """All figures of the campaign into a folder of their own, named by the ending; the list first.

    Those of an earlier report with this ending are replaced; files of the user's stay.
    """
    folder = folder / ending
    with replaced(folder) as place:
        written = _figures(result, campaign, place, ending)
    return [folder / name for name in written]


def _figures(result: Result, campaign: Campaign, folder: Path, ending: str) -> list[str]:
    """The files' names, of the list first."""
    written: list[str] = []
    lines: list[str] = []
    absent: list[str] = []
    with theme.applied():
        drawn_from = source(result, campaign)
        for kind in ALL:
            before = len(written)
            for drawing in kind.draw(drawn_from, kind):
                path = folder / f"{drawing.name}.{ending}"
                caption = one_line(drawing.caption, LONGEST)
                metadata = METADATA[ending] | {"Title": f"{drawing.title}. {caption}"}
                drawing.figure.savefig(path, format=ending, metadata=metadata)
                written.append(path.name)
                linked = f"[{escaped(path.name)}]({path.name})"
                lines.append(f"- {linked}: **{escaped(drawing.title)}.** {escaped(caption)}")
            if len(written) == before:
                absent.append(f"- {kind.name}: it needs {kind.needs}.")
    (folder / INDEX).write_text(_index(campaign, lines, absent), encoding="utf-8")
    return [INDEX, *written]


def _index(campaign: Campaign, lines: list[str], absent: list[str]) -> str:
    title = f"# Figures of “{escaped(campaign.name)}”"
    parts = [title, "", f"{plural(len(lines), 'figure')}.", "", *lines]
    if absent:
        parts += ["", "## Kinds that were left out", "", *absent]
    cases = cases_left_out(campaign)
    if cases:
        parts += ["", "## Cases without figures", "", *(f"- {escaped(told)}" for told in cases)]
    return "\n".join(parts) + "\n"
