"""Sentences of the answer that no ranking has: rates not reached, limits, what types cost."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from busmark.compare.ranking import Group
from busmark.estimate.levels import ENOUGH
from busmark.model import text
from busmark.model.case import CaseSummary
from busmark.model.figure import Figure, Frozen, over_rounds
from busmark.model.figures import Part
from busmark.model.naming import described, placement_text, title
from busmark.model.parameters import Parameters
from busmark.model.quantities import CPUS_USED
from busmark.model.quantities import parts as of_parts
from busmark.model.quantities.stream import LOST, SENT
from busmark.model.stream import Paced
from busmark.stats import SIGNED


class Answer(Frozen):
    """One sentence of the answer in two parts: first what matters most, then what follows."""

    lead: str
    rest: str

    @property
    def sentence(self) -> str:
        """Return the whole sentence."""
        return f"{self.lead}{self.rest}"


REACHED = re.compile(r"reached ([^;]+?)/s of [^;]+?/s(?= \(criteria\.min_rate\))")
"""Reason of a marked round, in the words of `busmark.control.tables`."""

MOST_SENTENCES = 3


def unreached(cases: Iterable[CaseSummary]) -> list[Answer]:
    """Return a sentence for each case in which some or all rounds did not reach their rate."""
    found = [case for case in cases if REACHED.search(case.reason or "")]
    lines = [_sentence(case) for case in found[:MOST_SENTENCES]]
    if hidden := len(found) - len(lines):
        lines.append(
            Answer(lead=text.plural(hidden, "further case"), rest=" did not reach its rate either.")
        )
    return lines


def _sentence(case: CaseSummary) -> Answer:
    size = "a size not stated" if case.size is None else text.size_text(case.size)
    further = described(case.workload)
    where = f"At {size} {placement_text(case.placement)}" + (f", {further}" if further else "")
    reasons = [a.reason or "" for a in case.attempts]
    marked = [found for reason in reasons if (found := REACHED.search(reason))]
    worst = min(marked, key=lambda one: float(re.sub(r"[^\d.]", "", one[1])))
    words = f"{worst[0]} at worst" if len(marked) > 1 else worst[0]
    if case.rounds.ok:
        rounds = text.plural(case.rounds.ok + case.rounds.marked, "round")
        these = "these rounds do" if len(marked) > 1 else "this round does"
        rest = f" in {len(marked)} of {rounds}: {words}; {these} not count."
        return Answer(lead=f"{where}, {case.label} did not reach its rate", rest=rest)
    return Answer(
        lead=f"{where}, {case.label} cannot reach the rate", rest=f": {words}; no figure counts."
    )


LONGEST = 200
"""Characters of a reason."""


def breaking(cases: Sequence[CaseSummary]) -> list[Answer]:
    """Return one sentence for each label of cases with applications and a rate that ran."""
    by_label: dict[str, list[CaseSummary]] = {}
    for case in cases:
        meant = case.params.applications and case.params.rate_hz
        if meant and case.status not in ("unsupported", "not_run"):
            by_label.setdefault(case.label, []).append(case)
    return [_of_label(label, sorted(own, key=load)) for label, own in by_label.items()]


def applications(params: Parameters) -> int:
    """Return the number of applications on all nodes together."""
    return (params.applications or 0) * len(str(params.writer_on or "").split("+"))


def load(case: CaseSummary) -> float:
    """Return the bytes of bodies per second that all readers together were to read."""
    params, count = case.params, applications(case.params)
    pairs = count**2 * params.topics * params.writers * params.readers
    return float(pairs * (params.rate_hz or 0.0) * (case.size or 0))


def _of_label(label: str, cases: Sequence[CaseSummary]) -> Answer:
    for case in cases:
        if why := shortfall(case):
            return Answer(lead=f"{label} fell short", rest=f" at {_what(case)}: {why}.")
    rest = f" of {_what(cases[-1])}, the most that was asked for."
    return Answer(lead=f"{label} carried the traffic", rest=rest)


def _what(case: CaseSummary) -> str:
    params, asked = case.params, load(case)
    scale = text.scale_for([asked], text.BYTES)
    return (
        f"{text.plural(applications(params), 'application')}, {params.rate_hz:g}/s "
        f"of {text.size_text(case.size)} by each writer ({text.number(asked / scale.factor)} "
        f"{scale.unit} to be read)"
    )


def shortfall(case: CaseSummary) -> str | None:
    """Return why the case did not get all that was to be read; None if it did."""
    if case.status == "failed":
        reasons = [each.reason for each in case.attempts if each.reason] or [case.reason or ""]
        first = " ".join(reasons[-1].split("; ")[0].split())
        return first if len(first) <= LONGEST else f"{first[:LONGEST]}…"
    levels = {part.of: part for part in case.parts("level")}
    system, readers = levels.get("system"), levels.get("reader")
    if system is None or readers is None:
        return None
    parts = []
    worst = least(case, "reader")
    if readers.value(of_parts.SHORT) and worst:
        of = [_short(levels[scope], noun) for scope, noun in NOUNS if scope in levels]
        sentence = text.joined([each for each in of if each])
        parts.append(
            f"{sentence} read less than {text.percent_text(ENOUGH)} of it, the least "
            f"{text.percent_text(worst.value(of_parts.LEAST_SHARE) or 0.0)} ({least_name(worst)})"
        )
    if lost := system.counted(of_parts.LOST):
        whole = text.count(system.counted(of_parts.EXPECTED))
        parts.append(f"{text.count(lost)} of {whole} samples were lost")
    if not parts:
        return None
    if used := CPUS_USED.figure(case):
        parts.append(f"participants kept {text.number(used.value)} CPUs busy")
    return text.joined(parts)


NOUNS = (("reader", "reader"), ("participant", "application"), ("node", "node"))


def _short(level: Part, noun: str) -> str:
    short = level.counted(of_parts.SHORT)
    return (
        f"{text.count(short)} of {text.plural(level.counted(of_parts.MEMBERS) or 0, noun)}"
        if short
        else ""
    )


def least(case: CaseSummary, level: str) -> Part | None:
    """Return the member of a level that read the smallest share of what it was to read; None
    without a theoretical rate."""
    found = (each for each in case.parts("level") if (each.of or "").startswith(f"{level}: "))
    return next(found, None)


def least_name(member: Part | None) -> str:
    """Return the name of a member of a level, with its node; nothing for the whole."""
    name = (member.of or "").partition(": ")[2] if member else ""
    if member is None or name == "all":
        return ""
    return f"{name} on {member.node}" if member.node not in (None, name) else name


MOST_NAMED = 3

CARRIED = 0.99
"""Share of what was specified that must arrive."""


def carried(group: Group, cases: Sequence[CaseSummary]) -> list[Answer]:
    """State for each label up to which specified rate (nearly) everything arrives; nothing without
    several rates of one size, or where workloads differ in more than the rate."""
    paced: dict[str, list[Paced]] = {}
    for case in cases:
        if case.paced:
            paced.setdefault(case.label, []).append(case.paced)
    if len({_but_for_rate(case) for case in cases if is_paced(case)}) != 1:
        return []
    if any(len({_specified(p) for p in of_label}) < len(of_label) for of_label in paced.values()):
        return []
    steps = {label: sorted(p, key=_specified) for label, p in paced.items() if len(p) > 1}
    if not steps:
        return []
    reached = {label: _up_to(points) for label, points in steps.items()}
    ordered = sorted(reached.items(), key=lambda item: (-item[1], item[0]))
    lines = [f"with {label} {_limit(limit, steps[label])}" for label, limit in ordered[:MOST_NAMED]]
    if len(ordered) > MOST_NAMED:
        lines.append(f"{len(ordered) - MOST_NAMED} more in the plot")
    lead = f"{_where(group)}, {text.percent_text(CARRIED)} or more of what is specified arrives"
    return [Answer(lead=lead, rest=f": {', '.join(lines)}.")]


def _but_for_rate(case: CaseSummary) -> tuple[object, ...]:
    rate = title("rate_hz")
    return (case.size, *(item for item in case.workload.items() if item[0] != rate))


def is_paced(case: CaseSummary) -> bool:
    """Return whether it is a throughput case with a rate: its goodput is what was asked for, at
    best."""
    return case.paced is not None


def _specified(paced: Paced) -> float:
    return paced.specified_mbit_per_s


def _up_to(points: Sequence[Paced]) -> float:
    """Return the greatest specified rate up to which all are carried; 0: not even the smallest."""
    limit = 0.0
    for paced in points:
        if paced.carried.value < CARRIED * paced.specified_mbit_per_s:
            break
        limit = paced.specified_mbit_per_s
    return limit


def _limit(limit: float, points: Sequence[Paced]) -> str:
    if limit == 0:
        return f"at none of {len(points)} rates"
    everywhere = limit == points[-1].specified_mbit_per_s
    return f"{'at all rates ' if everywhere else ''}up to {text.number(limit)} Mbit/s"


def _where(group: Group) -> str:
    where = placement_text(group.placement)
    return where[:1].upper() + where[1:]


def type_costs(cases: Sequence[CaseSummary], adapters: Mapping[str, Any]) -> list[Answer]:
    """Return a sentence for each latency case of payload `type` with its counterpart in octets."""
    found = []
    for case in cases:
        if case.test != "latency" or case.params.payload != "type":
            continue
        wanted = {**case.params.declared(), "payload": "octet"}
        octets = next((other for other in cases if other.params.declared() == wanted), None)
        difference = _difference(case, octets) if octets else None
        if difference is not None:
            name = adapters.get(case.adapter, {}).get("user_type") or "The type"
            found.append(_cost_sentence(case, str(name), difference))
    return found


def _difference(case: CaseSummary, octets: CaseSummary) -> Figure | None:
    """Return the difference of the medians of RTT/2, round by round: what slows a round slows both,
    which were measured in it. RTT/2 holds one serialisation and one deserialisation."""
    mine, theirs = case.round_medians, octets.round_medians
    shared = sorted(mine.keys() & theirs.keys())
    back = ((SENT.value(each) or 0) - (LOST.value(each) or 0) for each in (case, octets))
    count = int(sum(back))
    return over_rounds([mine[r] - theirs[r] for r in shared], "ns", count, within=SIGNED)


def _cost_sentence(case: CaseSummary, name: str, difference: Figure) -> Answer:
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
        lead = f"{name} may cost more or less than {octets}{where}: {shown}"
        return Answer(lead=lead, rest=how)
    if difference.high < 0:
        less = difference.model_copy(
            update={"value": -difference.value, "low": -difference.high, "high": -difference.low}
        )
        shown = text.figure_text(less, text.TIME)
        return Answer(lead=f"{name} costs {shown} less than {octets}{where}", rest=how)
    return Answer(lead=f"{name} costs {shown} more than {octets}{where}", rest=how)
