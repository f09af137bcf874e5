"""Results as data frames: the Python interface, `busmark.open(directory)`.

- `results`: `Results`, what is opened.
- `columns`: every column of its frames, with unit and meaning; the reference is made from it.
- `cases`: the analysed campaign as frames. `scans`: the raw tables, read when they are asked for.
"""

from busmark.frames.cases import schema
from busmark.frames.columns import FRAMES, FrameColumns
from busmark.frames.results import Results, open_results

__all__ = [
    "FRAMES",
    "FrameColumns",
    "Results",
    "open_results",
    "schema",
]
