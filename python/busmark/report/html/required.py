"""The requirements of a campaign as tables of text: a row for each, and a row for each case."""

from __future__ import annotations

from collections.abc import Sequence

from busmark.analysis.across.judged import Judged
from busmark.analysis.figures import Figure
from busmark.analysis.words.text import ABSENT, SCALES, count, number, plural, time_text
from busmark.report.html.blocks import Block, Rows, shown_in
from busmark.report.requirements import SIGNS, WORST, by_requirement, worst

MOST = 40
"""Cases of a table; of more, only those that do not meet the requirement."""


def requirement_blocks(judged: Sequence[Judged], most: int = MOST) -> list[Block]:
    """A table for each requirement: its cases, those that miss it first."""
    return [_block(text, own, most) for text, own in by_requirement(judged)]


def _block(text: str, own: Sequence[Judged], most: int) -> Block:
    ordered = sorted(own, key=lambda each: WORST.index(each.verdict))
    if len(own) > most:
        ordered = [each for each in ordered if each.verdict != "met"][:most]
    columns = {
        "Case": [f"{SIGNS[each.verdict]} {each.case}" for each in ordered],
        text.partition("(")[0]: [
            "" if each.percentile_ns is None else time_text(each.percentile_ns) for each in ordered
        ],
        **dict(
            zip(
                ("Measured", "95 % interval", "Limit"),
                map(list, zip(*map(_measured, ordered), strict=True)),
                strict=True,
            )
        ),
        "To decide": [_to_decide(each) for each in ordered],
    }
    kept = {head: cells for head, cells in columns.items() if any(cells)}
    rows: Rows = list(zip(*kept.values(), strict=True))
    figures = dict.fromkeys(each.figure for each in own)
    of = f"Measured: {', '.join(figures)}. " if any(each.value is not None for each in own) else ""
    more = len(own) - len(ordered)
    left = f"{plural(more, 'more case')}: `--json` has all." if more else ""
    return Block(headline(text, own), tuple(kept), rows, f"{of}{left}".strip())


def headline(text: str, own: Sequence[Judged]) -> str:
    """ "✗ loss <= 0.1%: 2 missed, 6 met"."""
    counts = {verdict: sum(each.verdict == verdict for each in own) for verdict in WORST}
    told = ", ".join(f"{count(n)} {verdict}" for verdict, n in counts.items() if n)
    return f"{SIGNS[worst(own)]} {text}: {told}"


def _measured(judged: Judged) -> tuple[str, str, str]:
    """Value, interval and limit in one unit."""
    limit = Figure(value=judged.limit, count=None, rounds=0, unit=judged.unit)
    sign = "≤" if judged.at_most else "≥"
    shown = f"{sign} {_text(limit)}"
    if judged.value is None:
        return ABSENT, ABSENT, shown
    figure = limit.model_copy(
        update={"value": judged.value, "low": judged.low, "high": judged.high}
    )
    if judged.unit == "1" or judged.unit in SCALES:
        value, interval = shown_in(figure, judged.unit)
    else:
        value, interval = _text(figure), ABSENT
    return value, interval, shown


def _text(figure: Figure) -> str:
    if figure.unit == "1" or figure.unit in SCALES:
        return shown_in(figure, figure.unit)[0]
    return f"{number(figure.value)} {figure.unit}"


def _to_decide(judged: Judged) -> str:
    if judged.verdict != "undecided":
        return ""
    if judged.more_rounds is not None:
        return f"about {plural(judged.more_rounds, 'more round')}"
    return "out of reach" if judged.low is not None else judged.reason
