"""What the answer says of cases whose rate was not reached."""

from __future__ import annotations

import re
from collections.abc import Iterable

from busmark.analysis.across.dimensions import placement_text
from busmark.analysis.model import Answer, CaseSummary
from busmark.analysis.words import text
from busmark.analysis.words.naming import described

REACHED = re.compile(r"reached [^;]+?/s of [^;]+?/s(?= \(criteria\.min_rate\))")
"""As `busmark.control.tables` words the reason of a marked round."""

MOST_TOLD = 3


def unreached(cases: Iterable[CaseSummary]) -> list[Answer]:
    """A sentence for each case in which no round, or not every one, reached its rate."""
    found = [(case, words[0]) for case in cases if (words := REACHED.search(case.reason or ""))]
    told = [_sentence(case, words) for case, words in found[:MOST_TOLD]]
    if hidden := len(found) - len(told):
        told.append(
            Answer(lead=text.plural(hidden, "further case"), rest=" did not reach its rate either.")
        )
    return told


def _sentence(case: CaseSummary, words: str) -> Answer:
    size = "a size not stated" if case.size is None else text.size_text(case.size)
    further = described(case.workload)
    where = f"At {size} {placement_text(case.placement)}" + (f", {further}" if further else "")
    marked = [a for a in case.attempts if REACHED.search(a.reason or "")]
    if case.rounds.ok:
        rounds = text.plural(case.rounds.ok + case.rounds.marked, "round")
        rest = f" in {len(marked)} of {rounds}: {words}; those do not count."
        return Answer(lead=f"{where}, {case.label} did not reach its rate", rest=rest)
    return Answer(
        lead=f"{where}, {case.label} cannot reach the rate", rest=f": {words}; no figure counts."
    )
