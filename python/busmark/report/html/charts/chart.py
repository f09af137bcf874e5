"""What every chart consists of: panels to choose from, each with its traces and its caption."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from busmark.analysis import text
from busmark.analysis.model import Campaign, CaseSummary

MOST_CURVES = 10
"""In one panel, the floor not counted."""

Trace = dict[str, Any]
Keys = tuple[tuple[str, str], ...]
"""Selector names and the values that choose a panel."""


@dataclass(slots=True)
class Panel:
    """One choice of the selectors."""

    keys: Keys
    traces: list[Trace]
    layout: dict[str, Any]
    caption: str


@dataclass(slots=True)
class Chart:
    """A figure of the page. `id` is the identifier of its element."""

    id: str
    title: str
    explanation: str
    panels: list[Panel]
    height: int = 430
    selectors: dict[str, list[str]] = field(init=False)
    """Names with more than one value, and the values in order."""

    def __post_init__(self) -> None:
        values: dict[str, dict[str, None]] = {}
        for panel in self.panels:
            for name, value in panel.keys:
                values.setdefault(name, {})[value] = None
        self.selectors = {name: list(v) for name, v in values.items() if len(v) > 1}

    def as_json(self) -> dict[str, Any]:
        """What the page's script needs."""
        return {
            "height": self.height,
            "panels": [
                {"keys": dict(p.keys), "traces": p.traces, "layout": p.layout, "caption": p.caption}
                for p in self.panels
            ],
        }


def measured(campaign: Campaign, test: str) -> list[CaseSummary]:
    """Cases of a test in the order of the tables, without floors."""
    by_id = {case.id: case for case in campaign.cases}
    return [by_id[c] for group in campaign.groups if group.test == test for c in group.cases]


def where(case: CaseSummary, *, size: bool = True) -> Keys:
    """Placement, size and further workload: what cases of one panel have in common."""
    names = {"Placement": placement(case)}
    if size:
        names["Size"] = text.size_text(case.size)
    names |= {name.capitalize(): value for name, value in case.workload.items()}
    return tuple(names.items())


def placement(case: CaseSummary) -> str:
    """For a selector."""
    named = {
        "same": "one CPU",
        "same-each": "one CPU of each node",
        "different": "different CPUs",
        "free": "free",
    }
    return named.get(case.placement, f"CPUs {case.placement}")


def panels(
    cases: Iterable[CaseSummary],
    key: Callable[[CaseSummary], Keys],
    draw: Callable[[Keys, Sequence[CaseSummary]], Panel],
) -> list[Panel]:
    """Cases by key, in parts of at most `MOST_CURVES` labels, drawn."""
    by_key: dict[Keys, list[CaseSummary]] = {}
    for case in cases:
        by_key.setdefault(key(case), []).append(case)
    drawn = []
    for keys, members in by_key.items():
        names = list(dict.fromkeys(case.label for case in members))
        if len(names) <= MOST_CURVES:
            drawn.append(draw(keys, members))
            continue
        for first in range(0, len(names), MOST_CURVES):
            part = names[first : first + MOST_CURVES]
            told = f"{first + 1} to {first + len(part)} of {len(names)}"
            chosen = [case for case in members if case.label in part]
            drawn.append(draw((*keys, ("Curves", told)), chosen))
    return drawn


def floor_of(campaign: Campaign, case: CaseSummary) -> CaseSummary | None:
    """The null adapter's case that is this case's floor."""
    return campaign.case(case.floor.case) if case.floor else None


def described(keys: Keys) -> str:
    """Keys for a caption, such as "One CPU, 64 B"."""
    plain = {"Placement", "Size", "Middleware"}
    told = ", ".join(value if name in plain else f"{name} {value}" for name, value in keys)
    return told[:1].upper() + told[1:]


def counts_text(rounds: Sequence[int], samples: Sequence[int]) -> str:
    """ "5 rounds, 99 998 to 100 000 samples per case"."""
    if not rounds or not samples:
        return ""
    return f"{_span(rounds)} rounds and {_span(samples)} samples per case"


def _span(values: Sequence[int]) -> str:
    low, high = min(values), max(values)
    return text.count(low) if low == high else f"{text.count(low)} to {text.count(high)}"
