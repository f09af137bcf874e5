"""What the pages share: templates with their filters, and the style."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from busmark.analysis.across.dimensions import value_text
from busmark.analysis.words import text
from busmark.findings.kinds import kinds, worst
from busmark.present.blocks.environment import flat_facts
from busmark.present.sinks.html import anchor

if TYPE_CHECKING:
    from jinja2 import Environment

HERE = Path(__file__).parent


@cache
def environment() -> Environment:
    """Environment of all templates, each of which is compiled once."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    made = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "count": text.count,
        "size": text.size_text,
        "figure": text.figure_text,
        "time": _time,
        "percent": text.percent_text,
        "param": value_text,
        "facts": lambda values: list(flat_facts(values)),
        "anchor": anchor,
        "code": code,
        "joined": text.joined,
        "worst": worst,
        "kinds": kinds,
    }
    return made


def code(words: str) -> Markup:
    """Text in which what stands between backticks is code."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(words))))


def _time(value_ns: float | None) -> str:
    """A single time without an interval, in its own unit."""
    if value_ns is None:
        return text.ABSENT
    scale = text.scale_for([abs(value_ns)])
    return f"{text.number(value_ns / scale.factor)} {scale.unit}"
