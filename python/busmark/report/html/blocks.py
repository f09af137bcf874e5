"""Small tables of text, of which the details of a case consist."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from busmark.analysis.figures import Figure
from busmark.analysis.words import text

Rows = list[tuple[str, ...]]


@dataclass(slots=True)
class Block:
    """A small table: heading, names of the columns, rows of text."""

    title: str
    heads: tuple[str, ...]
    rows: Rows
    note: str = ""
    group: str = ""
    """The fold of the page that it is in; empty: it is shown at once."""


def folded(group: str, blocks: Iterable[Block]) -> list[Block]:
    """These blocks, in a fold."""
    made = list(blocks)
    for block in made:
        block.group = group
    return made


def shown(figure: Figure | None, scales: Any = text.TIME) -> tuple[str, str]:
    """Value with unit, and the interval in the same unit."""
    if figure is None:
        return text.ABSENT, text.ABSENT
    scale = text.scale_for([abs(figure.value)], scales)
    limits = text.interval_text(figure, scale) or text.ABSENT
    return f"{text.value_text(figure, scale)} {scale.unit}", limits


def shown_in(figure: Figure | None, unit: str) -> tuple[str, str]:
    """The same of a figure in this unit; a share in per cent."""
    if unit != "1":
        return shown(figure, text.SCALES[unit])
    if figure is None or figure.low is None or figure.high is None:
        return text.percent_text(figure.value if figure else None), text.ABSENT
    limits = f"[{text.percent_text(figure.low)}, {text.percent_text(figure.high)}]"
    return text.percent_text(figure.value), limits


def plain(value_ns: float | None) -> str:
    """A time without an interval, in its own unit."""
    return text.time_text(value_ns)


def between(low_ns: float | None, high_ns: float | None) -> str:
    """Limits in brackets, in the unit of the lower."""
    if low_ns is None or high_ns is None:
        return text.ABSENT
    scale = text.scale_for([abs(low_ns)])
    limits = (text.number(v / scale.factor) for v in (low_ns, high_ns))
    return f"[{', '.join(limits)}] {scale.unit}"
