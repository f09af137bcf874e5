"""The report as a notebook that was run, and that a user can continue from: `report.ipynb`.

- `opening`, `latency`, `throughput`, `averages`, `closing`: its cells. `choice`: the cases in it.
- `cells`: what a cell is. `execute`: runs them. `kernel`: the process that does.
"""

from __future__ import annotations

import os
from pathlib import Path

import nbformat

from busmark.analysis.model import Campaign
from busmark.report.notebook import closing, latency, opening, throughput
from busmark.report.notebook.cells import notebook, written
from busmark.report.notebook.execute import execute
from busmark.store import Result
from busmark.store.atomic import write_text

NAME = "report.ipynb"


def write(result: Result, campaign: Campaign, folder: Path) -> list[Path]:
    """The notebook into `folder`, with what its cells gave.

    Raises:
        UserError: a cell fails; nothing is written then.
    """
    directory = os.path.relpath(result.directory.resolve(), folder.resolve())
    made = build(campaign, directory)
    execute(made, folder)
    path = folder / NAME
    write_text(path, written(made))
    return [path]


def build(campaign: Campaign, directory: str) -> nbformat.NotebookNode:
    """The cells, not run; `directory` is where the results are, seen from the notebook."""
    return notebook(
        [
            *opening.cells(campaign, directory),
            *latency.cells(campaign),
            *throughput.cells(campaign),
            *closing.cells(campaign),
        ]
    )
