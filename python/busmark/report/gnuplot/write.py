"""The folder of gnuplot files."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

from busmark.analysis.model import Campaign
from busmark.analysis.words.text import plural
from busmark.report.drawing.charts import CURVES
from busmark.report.drawing.left_out import cases_left_out
from busmark.report.drawing.names import Names, parts_of
from busmark.report.drawing.panels import where
from busmark.report.gnuplot.curves import curve_sets, script_of
from busmark.report.gnuplot.gpd import write_gpd
from busmark.report.gnuplot.labels import stats_text
from busmark.report.gnuplot.language import assign, comment
from busmark.report.gnuplot.sets import DataFile, PlotSet, distribution_sets
from busmark.report.gnuplot.summary import write_csv
from busmark.report.markup import escaped
from busmark.report.replace import replaced
from busmark.store import Result

SCRIPTS = Path(__file__).parent / "scripts"
PARTS = ("data", "sets", "images")
ALL = "plot-all.gpi"
SAMPLES = "cases with latencies"
"""Needed by scripts that plot the files of single cases."""


def write_folder(result: Result, campaign: Campaign, folder: Path) -> list[Path]:
    """All files, the script that plots everything first; an earlier report's are replaced.

    Files of the user's stay, and so do pictures: gnuplot made them, when the user called it.
    """
    with replaced(folder) as place:
        _files(result, campaign, place)
        made = sorted(path.relative_to(place) for path in place.rglob("*") if path.is_file())
    for part in PARTS:
        (folder / part).mkdir(exist_ok=True)
    every = Path(ALL)
    return [folder / name for name in (every, *(name for name in made if name != every))]


def _files(result: Result, campaign: Campaign, folder: Path) -> None:
    for part in PARTS:
        (folder / part).mkdir()
    data = folder / "data"
    files = _data_files(result, campaign, data)
    write_csv(data / "latency.csv", campaign)
    names = Names()
    found = [
        *distribution_sets(campaign, files, names),
        *(each for chart in CURVES for each in curve_sets(chart, data, campaign, names)),
    ]
    for each in found:
        (folder / "sets" / f"{each.name}.gpi").write_text(each.text, encoding="utf-8")
    left_out = _scripts(folder, found)
    (folder / "defaults.gpi").write_text(_defaults(found), encoding="utf-8")
    (folder / ALL).write_text(_plot_all(found), encoding="utf-8")
    (folder / "README.md").write_text(_readme(campaign, found, left_out), encoding="utf-8")


def _data_files(result: Result, campaign: Campaign, folder: Path) -> dict[str, DataFile]:
    """Samples and labels of each case that has a distribution."""
    names = Names()
    files = {}
    for case in campaign.cases:
        if not case.series or not case.series.shape:
            continue
        begin = "latency" if case.test == "latency" else "load-latency"
        keys = (*where(case), ("Middleware", case.label))
        name = names.name([begin, *parts_of(keys, case)])
        blocks = write_gpd(folder / f"{name}.gpd", result, case)
        (folder / f"{name}.stats").write_text(stats_text(case), encoding="utf-8")
        files[case.id] = DataFile(name, blocks)
    return files


def _scripts(folder: Path, found: Sequence[PlotSet]) -> list[str]:
    """Copies those for which there is a set, and what they share; tells of the others."""
    for shared in ("begin.gpi", "curves.gpi"):
        shutil.copyfile(SCRIPTS / shared, folder / shared)
    wanted = {chart for each in found for chart in each.charts}
    left_out = []
    for script in sorted(SCRIPTS.glob("plot-*.gpi")):
        chart = script.stem.removeprefix("plot-")
        if chart in wanted:
            shutil.copyfile(script, folder / script.name)
        else:
            left_out.append(f"{script.name}: it needs {SAMPLES}")
    for kind in CURVES:
        name = f"plot-{kind.key}.gpi"
        if kind.key in wanted:
            (folder / name).write_text(script_of(kind), encoding="utf-8")
        else:
            left_out.append(f"{name}: it needs {kind.needs}")
    return left_out


def _defaults(found: Iterable[PlotSet]) -> str:
    """The set that a script plots when none is chosen: the first it can."""
    first: dict[str, str] = {}
    for each in found:
        for chart in each.charts:
            first.setdefault(chart, each.name)
    text = comment("what a script plots when no set is chosen")
    return text + "".join(
        assign(f"default_{chart.replace('-', '_')}", name) for chart, name in first.items()
    )


def _plot_all(found: Iterable[PlotSet]) -> str:
    text = comment("plots every set by every script that can: gnuplot plot-all.gpi")
    text += comment("as SVG: gnuplot -e \"ending='svg'\" plot-all.gpi")
    for each in found:
        text += assign("chosen", each.name)
        text += "".join(f"load 'plot-{chart}.gpi'\n" for chart in each.charts)
    return text


def _readme(campaign: Campaign, found: Sequence[PlotSet], left_out: Sequence[str]) -> str:
    pictures = sum(len(each.charts) for each in found)
    parts = [
        f"# gnuplot files of “{escaped(campaign.name)}”", "",
        f"`gnuplot plot-all.gpi`, in this folder, makes {plural(pictures, 'picture')} in `images`,",
        "with `-e \"ending='svg'\"` as SVG. Those of an earlier report stay there until they are",
        "plotted again. A single one:", "",
        "```sh",
        f"gnuplot -e \"chosen='{found[0].name}'\" plot-{found[0].charts[0]}.gpi" if found else "",
        "```", "",
        "- `data/*.gpd`: a file for each case; the first lines of a data set say its columns.",
        "- `data/*.stats`: the case's figures as texts, for labels.",
        "- `data/latency.csv`: figures of all cases.",
        "- `sets/*.gpi`: what may be chosen: which files are plotted together, and how.",
        "- `plot-*.gpi`: a script for each type of chart.", "",
        "## Sets", "", *(f"- `{each.name}`: {', '.join(each.charts)}" for each in found),
    ]  # fmt: skip
    if left_out:
        parts += ["", "## Scripts that were left out", "", *(f"- {told}" for told in left_out)]
    cases = cases_left_out(campaign)
    if cases:
        parts += ["", "## Cases without data", "", *(f"- {escaped(told)}" for told in cases)]
    return "\n".join(parts) + "\n"
