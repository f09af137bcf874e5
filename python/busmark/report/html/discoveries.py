"""The discovery of a case in words and figures."""

from __future__ import annotations

from busmark.analysis.case.discovery import Discovery
from busmark.analysis.figures import Figure
from busmark.analysis.words import text
from busmark.report.html.blocks import Block, Rows, plain, shown

TIMES = (
    ("creation", "creation, all calls"),
    ("attach", "of this the participant"),
    ("own_match", "match of the new endpoint"),
    ("peer_match", "match of the other endpoint"),
    ("first_sample", "first sample received"),
)
"""From the begin of creation."""

AFTER = (
    ("own_match_after", "match of the new endpoint"),
    ("peer_match_after", "match of the other endpoint"),
    ("first_sample_after", "first sample received"),
)
"""From the end of creation."""


def discovery_block(found: Discovery) -> Block:
    """All figures, and how far discovery was from the end of creation."""
    rows: Rows = [(name, *shown(figure)) for key, name in TIMES if (figure := getattr(found, key))]
    rows += [
        (f"{name}, from the end of creation", told(figure), shown(figure)[1])
        for key, name in AFTER
        if (figure := getattr(found, key))
    ]
    lost = found.lost_before
    counted = text.ABSENT if lost is None else text.number(lost.value)
    rows += [
        ("lost before discovered, per repetition", counted, text.ABSENT),
        ("repetitions", text.count(found.repetitions), text.ABSENT),
        ("of these not discovered in time", text.count(found.undiscovered), text.ABSENT),
    ]
    note = (
        "From just before the first call that creates something, or from the return of the last. "
        "A typical round: the median over rounds of the median of its repetitions; samples "
        "lost: the mean."
    )
    return Block("Discovery", ("figure", "typical round", "95 % interval"), rows, note)


def told(after: Figure) -> str:
    """ "237 µs before", "7 µs after"."""
    return f"{plain(abs(after.value))} {'before' if after.value < 0 else 'after'}"
