"""Busmark measures how publish/subscribe middleware performs, the same way for every vendor.

`busmark.open(directory)` opens results as data frames; everything else here is the command.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from busmark.results import Results

__version__ = "0.1.0"


def open(directory: str | Path) -> Results:
    """Open the results in `directory` as data frames; see `busmark.results.Results`.

    Raises:
        busmark.errors.UserError: it is no result directory, it is damaged, or a newer Busmark
            wrote it.
    """
    # Imported here: the command must answer at once, and polars takes its time.
    from busmark.results import open_results

    return open_results(directory)
