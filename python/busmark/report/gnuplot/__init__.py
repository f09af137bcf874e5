"""The results as gnuplot plots them: data files, labels, and scripts that run.

- `gpd`: a data file for each case, with all its samples. `labels`: its `.stats` file.
- `summary`: `latency.csv`. `curves`: data, sets and scripts of charts of curves.
- `sets`: which cases a script plots, one or up to ten. `language`: texts and arrays in gnuplot.
- `scripts`: one for each other type of chart, copied unchanged.
- `write`: the folder.
"""

from __future__ import annotations

from pathlib import Path

from busmark.analysis.model import Campaign
from busmark.report.folder import within
from busmark.report.gnuplot.write import write_folder
from busmark.store import Result


def write(result: Result, campaign: Campaign, folder: Path) -> list[Path]:
    """Into the folder's folder `gnuplot`, the script that plots everything first."""
    return write_folder(result, campaign, within(folder, "gnuplot"))
