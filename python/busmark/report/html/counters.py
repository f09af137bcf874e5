"""What the kernel counted of memory and of the network, of one case and of several."""

from __future__ import annotations

from collections.abc import Sequence

from busmark.analysis.model import CaseSummary
from busmark.analysis.words import text
from busmark.model.quantities.counters import COUNTERS
from busmark.report.html.blocks import Block, Rows

TITLE = "Counters of the system"
NOTE = (
    "In the measured time of the rounds that count. Other programs on the machine and in the "
    "participants' networks count as well; interfaces include loopback."
)


def counter_block(case: CaseSummary) -> Block:
    """Return a row for each counter of a case."""
    rows: Rows = [
        (one.title, text.amount(case.counters[one.column], one.unit))
        for one in COUNTERS
        if one.column in case.counters
    ]
    return Block(TITLE, ("counter", "count"), rows, NOTE)


def counters_block(cases: Sequence[CaseSummary]) -> Block | None:
    """Return a row for each case with counters, without those that are 0 everywhere; None where no
    case has any."""
    counted = [case for case in cases if case.counters]
    shown = [one for one in COUNTERS if any(case.counters.get(one.column) for case in counted)]
    rows: Rows = [
        (case.id, *(text.amount(case.counters.get(one.column), one.unit) for one in shown))
        for case in counted
    ]
    known = [one for one in COUNTERS if any(one.column in case.counters for case in counted)]
    zero = [one.title for one in known if one not in shown]
    note = f"{NOTE} 0 in all cases: {text.joined(zero)}." if zero else NOTE
    return Block(TITLE, ("case", *(one.title for one in shown)), rows, note) if rows else None
