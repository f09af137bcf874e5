"""Runs of several files become cases and rounds: runs of equal parameters are one case."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from busmark.importers.model import Run
from busmark.importers.settings import ASSUMED

TEST_ORDER = ("latency", "throughput")

LONGEST = 150
"""Characters of a name: file names have 255 bytes, and something is added to them."""
ENOUGH = 4
"""Figures that two files must share to be of one run."""

ROUNDED_NS = 510.0
"""How far two means may be apart: RTI Perftest's CSV has whole microseconds, its JSON two
decimals."""

ROUNDED = 5e-4
"""The same relative, of any value: the CSV of performance_test has four digits."""

DEVIATIONS = 1e-2
"""The same of deviations, which are divided by the count or by one less."""

VAGUE = {**ASSUMED, "adapter": "socket"}
"""Parameters that say little: what another file of the same run states is better."""


@dataclass(slots=True)
class ImportedCase:
    """Runs with the same parameters, in order of the files."""

    id: str
    params: dict[str, Any]
    runs: list[Run] = field(default_factory=list)


def without_repeats(runs: list[Run]) -> tuple[list[Run], list[str]]:
    """A run that two files tell of in two forms (a text and its log, a CSV and its JSON) counts
    once; what the first lacks it takes from the second. Also what is to be said of that."""
    kept: list[Run] = []
    told = []
    for run in runs:
        first = next((other for other in kept if _same(other, run)), None)
        if first is None:
            kept.append(run)
            continue
        told.append(f"{run.file}, line {run.line}: the same run as in {first.file}: counted once")
        first.joined.append(run.file)
        first.samples = run.samples if first.samples is None else first.samples
        first.params = _fuller(first.params, run.params)
        first.values = run.values | first.values
    return kept, told


def _fuller(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """All that one of them states; the first where both do."""
    made = {**first}
    for key, value in second.items():
        if key not in first or first[key] == VAGUE.get(key):
            made[key] = value
    return made


def _same(first: Run, second: Run) -> bool:
    """Whether two forms tell of one run: all figures that both state are equal but for rounding.
    Two files of one form are two runs, however alike."""
    if first.form == second.form or first.params["test"] != second.params["test"]:
        return False
    sizes = {run.params.get("size") for run in (first, second)} - {None}
    mine, theirs = ({s.key: s.value_ns for s in run.stated} for run in (first, second))
    shared = mine.keys() & theirs.keys()
    if len(sizes) > 1 or len(shared) < ENOUGH:
        return False
    return all(_equal(key, mine[key], theirs[key]) for key in shared)


def _equal(key: tuple[str, str, float | None, float | None], one: float, other: float) -> bool:
    apart, size = abs(one - other), max(abs(one), abs(other))
    if key[1] == "std":
        return apart <= max(ROUNDED_NS, DEVIATIONS * size)
    return apart <= max(ROUNDED_NS if key[1] == "mean" else 0.0, ROUNDED * size)


def cases(runs: list[Run]) -> list[ImportedCase]:
    """In order of test, adapter and size."""
    by_params: dict[str, ImportedCase] = {}
    for run in runs:
        key = json.dumps(run.params, sort_keys=True, default=str)
        case = by_params.setdefault(key, ImportedCase("", run.params))
        case.runs.append(run)
    ordered = sorted(by_params.values(), key=lambda case: _order(case.params))
    taken: set[str] = set()
    for case in ordered:
        name = base = _name(case.params)
        number = 1
        while name in taken:
            number += 1
            name = f"{base}-{number}"
        taken.add(name)
        case.id = name
    return ordered


def _order(params: Mapping[str, Any]) -> tuple[Any, ...]:
    test = params["test"]
    rank = TEST_ORDER.index(test) if test in TEST_ORDER else len(TEST_ORDER)
    size = params.get("size")
    return rank, params["adapter"], -1 if size is None else size


def _name(params: Mapping[str, Any]) -> str:
    """For files and links."""
    parts = [params["adapter"], params["test"]]
    if params.get("size") is not None:
        parts.append(params["size"])
    qos = params.get("qos") or {}
    if qos.get("reliability"):
        parts.append(qos["reliability"])
    plain = re.sub(r"[^a-z0-9_.]+", "-", "-".join(map(str, parts)).lower())
    return plain[:LONGEST].strip("-.") or "case"
