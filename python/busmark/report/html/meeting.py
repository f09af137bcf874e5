"""When the endpoints of a case had found each other, in figures."""

from __future__ import annotations

from busmark.analysis.case.meeting import Meeting
from busmark.analysis.words import text
from busmark.report.html.blocks import Block, Rows, shown
from busmark.report.html.discoveries import told

TITLE = "Endpoints discovered"


def meeting_block(found: Meeting) -> Block:
    """First, half and all; and what of it is not known exactly."""
    rows: Rows = [
        (name, told(figure), shown(figure)[1])
        for name, figure in (
            ("the first endpoint", found.first), ("half of them", found.half),
            ("all", found.last),
        )
        if figure
    ]  # fmt: skip
    rows.append(("endpoints", text.count(found.endpoints), text.ABSENT))
    note = (
        "Until an endpoint had matched all that there was to match for it, from the moment when "
        "the last endpoint of the round was created. A typical round: the median over rounds."
    )
    if found.limits:
        note += (
            f" Of {text.count(found.limits)} in all rounds only an upper limit is known: they had "
            "matched when they were first asked."
        )
    if found.unknown:
        note += f" The adapter does not count {text.count(found.unknown)} in all rounds."
    return Block(
        TITLE, ("had found its counterparts", "typical round", "95 % interval"), rows, note
    )
