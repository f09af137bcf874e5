"""docs/reference/python.md: what `busmark.open` gives, column by column."""

from __future__ import annotations

import inspect

from tools.pages import markdown as md

from busmark.estimate.columns import FRAMES, FrameColumns
from busmark.results import Results
from busmark.store import TABLES

START = """\
```python
import busmark

r = busmark.open("busmark-results/quickstart")
print(r.cases.select("case", "size", "half_round_trip_median_ns", "half_round_trip_count"))
```

How to work with it: [open the results](../tasks/open-the-results.md). Frames are polars frames;
each becomes a pandas frame by `.to_pandas()`, which needs the packages pandas and pyarrow. Times
are nanoseconds, sizes bytes, Mbit/s 10⁶ bit/s. What is not known is null, never 0.

A directory that is no result, that is damaged beyond use, or that a newer Busmark wrote, raises
`busmark.errors.UserError` with what is wrong, where, and what to do.
"""

OTHERS = (
    "name", "directory", "manifest", "campaign", "parameters", "cases", "estimates",
    "series", "rounds", "findings", "problems", "latencies",
    "samples", "intervals", "batches", "discoveries", "goals", "matches", "hops", "wire",
    "system",
    "compare", "reported",
)  # fmt: skip

IN_RESULT = set(TABLES.values())
"""Columns that the page about the result directory lists."""


def page() -> str:
    """Return the page as Markdown."""
    parts = [
        md.head("Python interface", "`busmark.open`"),
        START,
        "## `Results`\n",
        md.table(("Call", "Gives"), [(md.code(_call(n)), _summary(n)) for n in OTHERS]),
    ]
    for frame in FRAMES:
        parts += [f"## `r.{frame.call}`\n", md.paragraph(_about(frame))]
        if frame.columns not in IN_RESULT:
            parts.append(
                md.table(
                    ("Column", "Kind", "Unit", "Meaning"),
                    [(md.code(c.name), c.kind, c.unit, c.meaning) for c in frame.columns],
                )
            )
    return "\n".join(parts)


def _about(frame: FrameColumns) -> str:
    lazy = frame.call in {"samples()", "intervals()", "system()"}
    text = f"One row is {frame.row}. {frame.note}".strip()
    if lazy:
        text += " A lazy frame: nothing is read before `.collect()`."
    for name, columns in TABLES.items():
        if columns == frame.columns:
            text += f" It has the columns of the table [`{name}`](result.md#{name})."
    return text


def _call(name: str) -> str:
    member = inspect.getattr_static(Results, name)
    if not inspect.isfunction(member):
        return name
    shown = [
        str(parameter).replace(": 'str'", "").partition(":")[0]
        + ("" if parameter.default is parameter.empty else f"={parameter.default!r}")
        for key, parameter in inspect.signature(member).parameters.items()
        if key != "self"
    ]
    return f"{name}({', '.join(shown)})"


def _summary(name: str) -> str:
    text = inspect.getdoc(inspect.getattr_static(Results, name)) or ""
    return md.without(text.partition("\n\n")[0], "Return ")
