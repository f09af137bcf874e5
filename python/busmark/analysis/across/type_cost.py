"""What a type of the user's costs: the same value as the type and as octets, on one library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from busmark.analysis.across.dimensions import placement_text
from busmark.analysis.figures import Figure, over_rounds
from busmark.analysis.model import Answer, CaseSummary
from busmark.analysis.words import text


def type_costs(cases: Sequence[CaseSummary], adapters: Mapping[str, Any]) -> list[Answer]:
    """One sentence for each latency case of the kind `type` that has its counterpart in octets."""
    found = []
    for case in cases:
        if case.test != "latency" or case.params.payload != "type":
            continue
        wanted = {**case.params.stated(), "payload": "octet"}
        octets = next((other for other in cases if other.params.stated() == wanted), None)
        difference = _difference(case, octets) if octets else None
        if difference is not None:
            name = adapters.get(case.adapter, {}).get("user_type") or "the type"
            found.append(_sentence(case, str(name), difference))
    return found


def _difference(case: CaseSummary, octets: CaseSummary) -> Figure | None:
    """Difference of the medians of RTT/2, round by round: both were measured within each, so that
    what slows a round slows both. RTT/2 holds one serialisation and one deserialisation."""
    mine, theirs = case.round_medians, octets.round_medians
    shared = sorted(mine.keys() & theirs.keys())
    both = [c.latency for c in (case, octets) if c.latency]
    count = sum((each.sent or 0) - (each.lost or 0) for each in both)
    return over_rounds([mine[r] - theirs[r] for r in shared], "ns", count, signed=True)


def _sentence(case: CaseSummary, name: str, difference: Figure) -> Answer:
    shown = text.figure_text(difference, text.TIME)
    octets = f"the same {text.size_text(case.size)} as octets, with {case.label}"
    where = f" {placement_text(case.placement)}"
    how = (
        f" (median RTT/2, difference within each of {text.plural(difference.rounds, 'round')}: "
        "one serialisation and one deserialisation)."
    )
    if difference.low is None or difference.high is None:
        return Answer(lead=f"{name} differs by {shown} from {octets}{where}", rest=how)
    if difference.low <= 0 <= difference.high:
        lead = f"The cost of {name} is undecided, compared with {octets}{where}: {shown}"
        return Answer(lead=lead, rest=how)
    if difference.high < 0:
        less = difference.model_copy(
            update={
                "value": -difference.value, "low": -difference.high, "high": -difference.low,
            }
        )  # fmt: skip
        shown = text.figure_text(less, text.TIME)
        return Answer(lead=f"{name} costs {shown} less than {octets}{where}", rest=how)
    return Answer(lead=f"{name} costs {shown} more than {octets}{where}", rest=how)
