"""Figures of each phase of a case in whose rounds something changed."""

from __future__ import annotations

from collections.abc import Sequence

from busmark.analysis.case.phases import Phase
from busmark.analysis.figures import Figure
from busmark.analysis.words import text
from busmark.report.html.blocks import Block, Rows, shown

TITLE = "Phases"
HEADS = (
    "flow", "phase", "begins with", "median RTT/2", "95 % interval", "round trips", "sent", "lost",
    "written, 1/s", "read, 1/s", "first sample after",
)  # fmt: skip
NOTE = (
    "All other figures of this case cover its phases together. A sample belongs to the phase in "
    "which it was sent, and a phase begins when its change took effect. Medians and rates describe "
    "a typical round; a lost ping or probe counts as later than any that came back. Rates are of "
    "intervals that are wholly within the phase. First sample after: from the change until every "
    "reader had received a sample again."
)


def phase_block(phases: Sequence[Phase]) -> Block:
    """One row for each flow and phase."""
    rows: Rows = [_row(phase) for phase in phases]
    return Block(TITLE, HEADS, rows, NOTE)


def _row(phase: Phase) -> tuple[str, ...]:
    half = phase.half_round_trip
    begins = f"{phase.change}, at {phase.begin_s:g} s" if phase.change else "the measured time"
    asked = bool(phase.asked)
    return (
        phase.flow, str(phase.phase), begins, *shown(half),
        text.ABSENT if half is None or half.count is None else text.count(half.count),
        text.count(phase.asked) if asked else text.ABSENT,
        text.count(phase.lost) if asked else text.ABSENT,
        _rate(phase.written_per_s), _rate(phase.read_per_s),
        " ".join(shown(phase.first_after)) if phase.first_after else text.ABSENT,
    )  # fmt: skip


def _rate(figure: Figure | None) -> str:
    if figure is None:
        return text.ABSENT
    limits = text.interval_text(figure, text.RATE[0])
    return " ".join(filter(None, (text.value_text(figure, text.RATE[0]), limits)))
