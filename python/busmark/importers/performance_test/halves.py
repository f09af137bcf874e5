"""Runs of which each process wrote a file of its own: both halves are one run.

Nothing in the files says which belong together: the identifier is of the process. So two halves are
joined where all settings agree and their names differ in nothing but the side's, or where no other
file of their folder, or of all, could be meant.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from busmark.importers.model import Run
from busmark.importers.performance_test.flaws import ABSENT, HALF, HALVES

_SIDE = re.compile(
    r"(?<![a-z])(publishers?|subscribers?|pub|sub|writers?|readers?|senders?|receivers?|sent|send|"
    r"recv|tx|rx|talkers?|listeners?|p|s)(?![a-z])"
)

PLACES: tuple[Callable[[str], str], ...] = (
    lambda name: _SIDE.sub("*", name.lower()),
    lambda name: name.replace("\\", "/").rpartition("/")[0],
    lambda name: "",
)
"""What the names of two halves have in common: the surest first."""


def joined(runs: list[Run]) -> list[Run]:
    """The runs, with both halves as one where they were found."""
    halves = [run for run in runs if run.half]
    kept = [run for run in runs if not run.half]
    for place in PLACES:
        written: dict[str, list[Run]] = {}
        read: dict[str, list[Run]] = {}
        for run in halves:
            side = written if run.half and run.half.side == "written" else read
            side.setdefault(_key(run, place(run.file)), []).append(run)
        for key, found in read.items():
            others = written.get(key, [])
            if len(found) == len(others) == 1:
                _join(found[0], others[0])
                kept.append(found[0])
                halves = [run for run in halves if run is not found[0] and run is not others[0]]
    for run in halves:
        assert run.half
        run.observed.append((HALF, f"not in this file: {ABSENT[run.half.side]}"))
    left = {id(run) for run in (*kept, *halves)}
    return [run for run in runs if id(run) in left]


def _key(run: Run, place: str) -> str:
    """Equal for halves that may belong together."""
    assert run.half
    params = {k: v for k, v in run.params.items() if k not in ("publishers", "subscribers")}
    return json.dumps([params, run.half.alike, place], sort_keys=True, default=str)


def _join(read: Run, written: Run) -> None:
    """Adds to the half that read what only the other knows."""
    if "publishers" in written.params:
        read.params["publishers"] = written.params["publishers"]
    read.values |= {k: v for k, v in written.values.items() if k in ("sent", "written_per_s")}
    read.joined.append(written.file)
    sent, received, lost = (read.values.get(key) for key in ("sent", "received", "lost"))
    told = f"{sent} sent; {received} received"
    told += "" if lost is None else f", {lost} counted as lost"
    expected = (sent or 0) * read.params.get("subscribers", 1)
    if received is not None and lost is not None and expected > received + lost:
        told += f"; {expected - received - lost} in neither count"
    read.observed.append((HALVES, told))
