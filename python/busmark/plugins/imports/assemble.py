"""Runs of several files become cases and rounds: runs of equal parameters are one case.

Before that they get the parameters that the user adds with `--set`, which a source does not state.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from busmark.errors import UserError, nearest
from busmark.model.naming import FLOOR_ADAPTER
from busmark.plugins.imports.model import Run, RunParameters

TEST_ORDER = ("latency", "throughput")

LONGEST = 150
"""Characters of a name: file names have 255 bytes, and something is added to them."""
ENOUGH = 4
"""Figures that two files must share to be of one run."""

ROUNDED_NS = 510.0
"""How far two means may be apart: RTI Perftest's CSV has whole microseconds, its JSON two
decimals."""

ROUNDED = 5e-4
"""Relative difference of two values that were rounded: the CSV of performance_test has four digits.
"""

DEVIATIONS = 1e-2
"""Relative difference of two deviations, which are divided by the count or by one less."""

KEYS = (
    "adapter", "transport", "profile", "payload", "size", "wait", "placement", "arrivals",
    "rate_hz", "peer", "topics", "writers", "readers", "publishers", "subscribers", "instances",
    "load", "writer_on", "reader_on", "link_rate", "link_loss", "link_delay", "link_jitter",
)  # fmt: skip
"""Parameters of a case; with `qos.` and `settings.` before it any name."""

PREFIXES = ("qos.", "settings.")

WHOLE = {"size", "topics", "writers", "readers", "publishers", "subscribers", "instances"}
NUMBERS = {"rate_hz"}
ASSUMED = {"placement": "unstated", "arrivals": "unstated"}
"""Parameters that say that the source does not state them."""

ARRIVALS = ("closed", "constant", "poisson", "paced", "unstated")

VAGUE = {**ASSUMED, "adapter": "socket"}
"""Parameters that say little: what another file of the same run states is better."""


@dataclass(slots=True)
class ImportedCase:
    """Runs with the same parameters, in order of the files."""

    id: str
    params: RunParameters
    runs: list[Run] = field(default_factory=list)


def given(settings: Sequence[str]) -> dict[str, Any]:
    """Return what the user gave, by key. Raises `UserError` for what is no parameter, or no value
    of it."""
    found: dict[str, Any] = {}
    for setting in settings:
        key, equals, text = setting.partition("=")
        key = key.strip()
        if not equals or not text.strip():
            raise UserError(f"{setting!r} is not KEY=VALUE", where="--set")
        if key not in KEYS and not (key.startswith(PREFIXES) and key.partition(".")[2]):
            there = f"There are {', '.join(KEYS)}, qos.NAME and settings.NAME."
            raise UserError(
                f"no parameter {key!r}",
                where="--set",
                remedy=nearest(key, [*KEYS, *PREFIXES], always=there),
            )
        found[key] = _value(key, text.strip())
    return found


def _value(key: str, text: str) -> Any:
    try:
        value = json.loads(text, parse_constant=lambda _: text)
    except ValueError:
        value = text
    if not isinstance(value, str | int | float | bool):
        value = text
    if key in WHOLE and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
        raise UserError(f"{key} is a whole number, not {text!r}", where="--set")
    if key in NUMBERS and (isinstance(value, bool) or not isinstance(value, int | float)):
        raise UserError(f"{key} is a number, not {text!r}", where="--set")
    if key == "arrivals" and value not in ARRIVALS:
        raise UserError(f"arrivals are {', '.join(ARRIVALS)}, not {text!r}", where="--set")
    if key in KEYS and key not in WHOLE | NUMBERS:
        value = text
    if (key, value) == ("adapter", FLOOR_ADAPTER):
        raise UserError("the adapter null is Busmark's own", where="--set")
    return value


def add(settings: dict[str, Any], run: Run) -> None:
    """Add what the user gave to a run's parameters. What the source states stays.

    Raises:
        UserError: the source states another value; of the adapter's name it may.
    """
    for key, value in settings.items():
        group, dot, name = key.partition(".")
        place = getattr(run.params, group) if dot else run.params.declared()
        reported = place.get(name or key)
        free = reported is None or reported == ASSUMED.get(key) or key == "adapter"
        if not free and reported != value:
            raise UserError(
                f"the file states {key}: {reported}, not {value}",
                where=run.file,
                remedy="Leave this --set out, or import the file by itself.",
            )
        setattr(run.params, group, {**place, name: value} if dot else value)


def without_copies(runs: list[Run]) -> tuple[list[Run], list[str]]:
    """Return the runs, and a line for each that is a copy of another file's, whole or cut off:
    the longer one counts."""
    kept: list[Run] = []
    lines = []
    for run in runs:
        place = next((at for at, other in enumerate(kept) if _copy(other, run)), None)
        if place is None:
            kept.append(run)
            continue
        first, copy = kept[place], run
        if _length_s(copy) > _length_s(first):
            first, copy = copy, first
        lines.append(
            f"{copy.file}, line {copy.line}: the same run as in {first.file}: counted once"
        )
        first.joined += [copy.file, *copy.joined]
        kept[place] = first
    return kept, lines


def _length_s(run: Run) -> float:
    return run.values.get("measured_s") or 0.0


def _copy(one: Run, other: Run) -> bool:
    """Return whether two files have one run in one form: the tool gave both one identifier and no
    part of the run contradicts it, or all counts and a number of figures are equal to the last
    digit."""
    if one.form != other.form or one.file == other.file:
        return False
    if one.params.declared() != other.params.declared() or one.half != other.half:
        return False
    mine, theirs = ({s.key: s.value_ns for s in run.reported} for run in (one, other))
    if one.identity and one.identity == other.identity:
        parts = [key for key in mine.keys() & theirs.keys() if key[3] is not None]
        return all(mine[key] == theirs[key] for key in parts)
    return len(mine) >= ENOUGH and mine == theirs and one.values == other.values


def without_repeats(runs: list[Run]) -> tuple[list[Run], list[str]]:
    """Return the runs, and a line for each that was left out. A run that two files report in two
    forms (a text and its log, a CSV and its JSON) counts once; what the first lacks it takes from
    the second."""
    kept: list[Run] = []
    lines = []
    for run in runs:
        first = next((other for other in kept if _same(other, run)), None)
        if first is None:
            kept.append(run)
            continue
        lines.append(f"{run.file}, line {run.line}: the same run as in {first.file}: counted once")
        first.joined.append(run.file)
        first.samples = run.samples if first.samples is None else first.samples
        mine = first.params.declared()
        for key, value in run.params.declared().items():
            if key not in mine or mine[key] == VAGUE.get(key):
                setattr(first.params, key, value)
        first.values = run.values | first.values
    return kept, lines


def _same(first: Run, second: Run) -> bool:
    """Return whether two forms are of one run: all figures that both state are equal but for
    rounding. Files of one form that round alike are two runs, unless one is a copy (`_copy`)."""
    if first.form == second.form or first.params.test != second.params.test:
        return False
    sizes = {run.params.size for run in (first, second)} - {None}
    mine, theirs = ({s.key: s.value_ns for s in run.reported} for run in (first, second))
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
    """Return the cases in order of test, adapter and size."""
    by_params: dict[str, ImportedCase] = {}
    for run in runs:
        key = json.dumps(run.params.declared(), sort_keys=True, default=str)
        by_params.setdefault(key, ImportedCase("", run.params)).runs.append(run)
    ordered = sorted(
        by_params.values(),
        key=lambda case: (
            TEST_ORDER.index(case.params.test),
            case.params.adapter,
            -1 if case.params.size is None else case.params.size,
        ),
    )
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


def _name(params: RunParameters) -> str:
    """Return a name of a case, for files and links."""
    parts = [params.adapter, params.test, params.size, params.qos.get("reliability") or None]
    known = "-".join(str(part) for part in parts if part is not None)
    plain = re.sub(r"[^a-z0-9_.]+", "-", known.lower())
    return plain[:LONGEST].strip("-.") or "case"
