"""The results as gnuplot plots them: data files, labels, and scripts that run.

- `gpd`: a data file for each case, with all its samples. `labels`: its `.stats` file.
- `summary`: `latency.csv`, and data files over sizes and rates.
- `sets`: which cases a script plots, one or up to ten. `language`: texts and arrays in gnuplot.
- `scripts`: one for each type of chart, copied as they are.
- `write`: the folder.
"""

from __future__ import annotations

from pathlib import Path

from busmark.analysis.model import Campaign
from busmark.report.gnuplot.write import write_folder
from busmark.store import Result


def write(result: Result, campaign: Campaign, folder: Path) -> list[Path]:
    """Into the folder's folder `gnuplot`, the script that plots everything first."""
    return write_folder(result, campaign, folder / "gnuplot")
