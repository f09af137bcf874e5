"""What a pair is called: by what sets it apart from the other pairs of its table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from busmark.compare.model import Pair
from busmark.compare.sides import SideCase
from busmark.model import naming as dim
from busmark.model.naming import MIDDLEWARE, SEPARATOR, described, short_title
from busmark.model.text import size_text

Cases = tuple[SideCase, SideCase, str]
"""Cases of baseline and candidate, and the name of the candidate's side."""


@dataclass(frozen=True, slots=True)
class NamedPair:
    """`label`: adapter and choices; empty where only they are compared. `workload`: the rest."""

    label: str
    workload: str
    title: str
    """Heading of the column of labels."""


def name_pairs(
    pairs: Sequence[Cases], adapters: Mapping[str, Mapping[str, Any]], by: Sequence[str]
) -> list[NamedPair]:
    """Return names by the baseline's cases. Parameters that are compared are in them only where one
    table
    has several of their values: then both are named where they differ."""
    titles = {str(found.get("name") or path): found for path, found in adapters.items()}
    within = _varying_within(pairs)
    varying = _varying_by_table(pairs, by, within)
    with_adapter = "adapter" not in by or "adapter" in within
    named = []
    for first, second, _ in pairs:
        both = (first.flat, second.flat)
        choices, workload = varying[_table(first)]
        parts = [_both([_sides(flat, titles) for flat in both])] if with_adapter else []
        parts += [
            _both([dim.choice_text(name, flat.get(name)) for flat in _shown_sides(name, by, both)])
            for name in choices
            if name in first.flat
        ]
        texts = {
            dim.title(name): _both(
                [dim.value_text(name, flat.get(name)) for flat in _shown_sides(name, by, both)]
            )
            for name in workload
            if name in first.flat
        }
        heads = [MIDDLEWARE] if with_adapter else []
        heads += [dim.title(name) for name in choices if name in first.flat]
        title = SEPARATOR.join(heads)
        label = SEPARATOR.join(parts)
        named.append(NamedPair(label, described(texts), title[:1].upper() + title[1:]))
    return named


def _shown_sides(
    name: str, by: Sequence[str], both: tuple[dim.Flat, dim.Flat]
) -> Sequence[dim.Flat]:
    """Return the sides whose value is shown: of what is compared both, else the baseline's."""
    return both if name in by else both[:1]


def _table(case: SideCase) -> tuple[str, str]:
    """Return the table of a case, which states test and placement."""
    return case.test, dim.placement_of(case.params)


def _varying_by_table(
    pairs: Sequence[Cases], by: Sequence[str], within: set[str]
) -> dict[tuple[str, str], tuple[list[str], list[str]]]:
    """Return choices and workload that vary between the rows of each table."""
    of_table: dict[tuple[str, str], list[dim.Flat]] = {}
    for first, _, _ in pairs:
        of_table.setdefault(_table(first), []).append(first.flat)
    found = {}
    for table, flats in of_table.items():
        names = [name for name in dim.varying(flats) if name not in by or name in within]
        choices = dim.telling([name for name in names if dim.is_choice(name)], flats)
        found[table] = (choices, [name for name in names if not dim.is_choice(name)])
    return found


def _varying_within(pairs: Sequence[Cases]) -> set[str]:
    """Return parameters that are not the same for all pairs of one candidate."""
    of_side: dict[str, list[dim.Flat]] = {}
    for first, _, side in pairs:
        of_side.setdefault(side, []).append(first.flat)
    varied = {name for flats in of_side.values() for name in dim.varying(flats)}
    if any(len({str(f.get("adapter")) for f in flats}) > 1 for flats in of_side.values()):
        varied.add("adapter")
    return varied


def _both(texts: Sequence[str]) -> str:
    """Return one text where both sides say the same; else the baseline's and the candidate's."""
    return " / ".join(dict.fromkeys(texts))


def _sides(flat: dim.Flat, titles: Mapping[str, Mapping[str, Any]]) -> str:
    names = [str(flat.get("adapter")), *([str(flat["peer"])] if flat.get("peer") else [])]
    return " → ".join(short_title(name, titles) for name in names)


def where(pair: Pair, by: Sequence[str]) -> str:
    """Describe a pair: "latency of 64 B on one CPU"; without a placement where placements are
    compared, which the sides have in their names."""
    size = sizes_text(pair)
    parts = [pair.test, *([f"of {size}"] if size else [])]
    return " ".join(parts if "placement" in by else [*parts, dim.placement_text(pair.placement)])


def sizes_text(pair: Pair) -> str:
    """Return "64 B", or "64 B / 16 KiB" where sizes are compared; empty where there is none."""
    both = (pair.size, pair.candidate_size)
    return _both([size_text(size) for size in both if size is not None])
