"""What tools count as the size of a sample."""

from __future__ import annotations

from collections.abc import Sequence

from busmark.importers.model import Flaw, Run

SHOWN = 4


def size_flaw(tool: str, what: str) -> Flaw:
    """That a tool's size is not Busmark's, which has a header of 64 bytes beside the body."""
    return Flaw(
        f"{tool}-size",
        "note",
        "Size is not counted as Busmark counts it",
        f"The size is as the tool states it: {what}. A sample of Busmark has a header of 64 bytes "
        "beside its size.",
        "Beside results of Busmark compare sizes at which this does not matter, or measure with a "
        "size that makes the samples equal.",
    )


def sizes_of(runs: Sequence[Run]) -> str:
    """The sizes of runs, as evidence."""
    sizes = sorted({r.params["size"] for r in runs if r.params.get("size") is not None})
    shown = ", ".join(f"{size} B" for size in sizes[:SHOWN])
    return shown + (f" and {len(sizes) - SHOWN} more" if len(sizes) > SHOWN else "")
