"""What a pair is called: by what sets it apart from the other pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from busmark.analysis import dimensions as dim
from busmark.analysis.naming import described, short_title
from busmark.analysis.text import size_text
from busmark.compare.sides import SideCase


@dataclass(frozen=True, slots=True)
class Named:
    """`label`: adapter and choices; empty where only they are compared. `workload`: the rest."""

    label: str
    workload: str


def name_pairs(
    cases: Sequence[SideCase], adapters: Mapping[str, Mapping[str, Any]], by: Sequence[str]
) -> list[Named]:
    """Names by the baseline's cases, without the parameters that are compared."""
    titles = {str(found.get("name") or path): found for path, found in adapters.items()}
    flats = [case.flat for case in cases]
    names = [name for name in dim.varying(flats) if name not in by]
    choices = dim.telling([name for name in names if dim.is_choice(name)], flats)
    workload = [name for name in names if not dim.is_choice(name)]
    named = []
    for flat in flats:
        parts = [] if "adapter" in by else [_sides(flat, titles)]
        parts += [dim.choice_text(name, flat[name]) for name in choices if name in flat]
        texts = {dim.title(n): dim.value_text(n, flat[n]) for n in workload if n in flat}
        named.append(Named(" · ".join(parts), described(texts)))
    return named


def _sides(flat: dim.Flat, titles: Mapping[str, Mapping[str, Any]]) -> str:
    names = [str(flat.get("adapter")), *([str(flat["peer"])] if flat.get("peer") else [])]
    return " → ".join(short_title(name, titles) for name in names)


def where(test: str, size: int | None, placement: str) -> str:
    """ "latency of 64 B on one CPU"."""
    of = f" of {size_text(size)}" if size is not None else ""
    return f"{test}{of} {dim.placement_text(placement)}"
