"""Numbers, verdicts and sentences of a comparison."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import log

from busmark.analysis.across import dimensions as dim
from busmark.analysis.figures import Figure, Quantity
from busmark.analysis.pairwise.verdict import BETTER, UNDECIDED, WORSE
from busmark.analysis.words import text
from busmark.analysis.words.ratios import inverse, limits_text, share_text
from busmark.analysis.words.text import ABSENT, joined, number, percent_text, plural
from busmark.compare import naming
from busmark.compare.model import (
    Change,
    Comparison,
    FigureCounted,
    Judged,
    Outcome,
    Pair,
)
from busmark.model.quantities import COMPARED

LATENCIES = {"half_round_trip": "RTT/2", "one_way": "one-way latency", "round_trip": "round trip"}

MARKS = {
    "faster": "▼", "slower": "▲", "loses less": "▼", "loses more": "▲",
    "sends less": "▼", "sends more": "▲", "equivalent": "=",
    "undecided": "?",
}  # fmt: skip
"""Sign before a verdict, so that it does not depend on colour. For throughput the arrow is
turned."""

MOST_IN_A_TITLE = 3
"""Candidates that a title names."""

MOST_LEFT_OUT = 30
"""Cases told one by one where there is no way to fold them."""

OUTCOMES: dict[Outcome, str] = {
    "missed": "✗", "met": "✓", "undecided": "?", "not measured": "–",
}  # fmt: skip


ORDER: tuple[Outcome, ...] = ("missed", "not measured", "undecided", "met")
"""The worst first."""


def mark(change: Change) -> str:
    """Which way the figure went."""
    sign = MARKS[change.verdict]
    if change.quantity == "throughput":
        return {"▲": "▼", "▼": "▲"}.get(sign, sign)
    return sign


def figure_name(change: Change) -> str:
    """ "median RTT/2", "goodput", "p99 one-way latency"."""
    return name_text(change.name, change.latency)


def name_text(name: str, latency: Quantity | None) -> str:
    """The same, of a figure as `--fail-if` names it."""
    statistic = name.rpartition(".")[0]
    if latency is None:
        return COMPARED[name].word
    return f"{statistic} {LATENCIES[latency]}"


def places(changes: Sequence[Figure | None]) -> int:
    """Decimals that show two digits of the narrowest interval, at least 2 and at most 4."""
    halves = [
        (f.high - f.low) / 2 for f in changes if f and f.high is not None and f.low is not None
    ]
    narrowest = min((half for half in halves if half > 0), default=0.01)
    return min(max(text.decimals(narrowest, 2), 2), 4)


def change_text(change: Change, decimals: int | None = None) -> str:
    """ "1.031 [1.024, 1.038]"; a difference in loss in per cent of the samples."""
    figure = change.change
    if figure is None:
        return f"lost ({' and '.join(change.lost)})" if change.lost else ABSENT
    if change.kind == "difference":
        return _difference_text(figure)
    shown = places([figure]) if decimals is None else decimals
    if figure.low is None or figure.high is None:
        return f"{number(figure.value, shown)} [{ABSENT}]"
    limits = limits_text(figure.value, figure.low, figure.high, shown)
    return f"{number(figure.value, shown)} {limits}"


def _unit(change: Change) -> str:
    """In a sentence; a table names it above."""
    return " ×" if change.change and change.kind != "difference" else ""


def _difference_text(figure: Figure) -> str:
    def signed(value: float) -> str:
        shown = percent_text(abs(value)).removesuffix(" %")
        return shown if value == 0 else f"{'+' if value > 0 else text.MINUS}{shown}"

    if figure.low is None or figure.high is None:
        return f"{signed(figure.value)} [{ABSENT}] %"
    return f"{signed(figure.value)} [{signed(figure.low)}, {signed(figure.high)}] %"


def value_text(figure: Figure | None) -> str:
    """A side's own figure with its interval and unit."""
    if figure is None:
        return ABSENT
    if figure.unit == "1":
        if figure.low is None or figure.high is None:
            return percent_text(figure.value)
        limits = f"[{percent_text(figure.low)}, {percent_text(figure.high)}]"
        return f"{percent_text(figure.value)} {limits}"
    return text.figure_text(figure, text.SCALES[figure.unit])


def verdict_text(change: Change, margin: float) -> str:
    """ "slower", "within 2 %", "undecided"."""
    if change.verdict != "equivalent":
        return change.verdict
    return "equivalent" if change.kind == "difference" else f"within {share_text(margin)}"


def rounds_text(pair: Pair) -> str:
    """ "5, 5", or "5 pairs" where they were interleaved."""
    return f"{pair.baseline_rounds}, {pair.candidate_rounds}"


def versus(candidates: Sequence[str], comparison: Comparison) -> str:
    """ "new vs. old (baseline)"; of many their number."""
    some = joined(list(candidates))
    if len(candidates) > MOST_IN_A_TITLE:
        some = plural(len(candidates), "candidate")
    name = comparison.baseline.name
    return f"{some} vs. {name}" if name == "baseline" else f"{some} vs. {name} (baseline)"


def answers(comparison: Comparison) -> list[str]:
    """How the comparison ended, one sentence for each side: every headline figure on its own."""
    found = []
    for counts in comparison.summary:
        who = versus([counts.candidate], comparison)
        gone = [f"{plural(counts.missing, 'case')} of the baseline not measured"]
        if not counts.cases:
            found.append(f"{who}: {gone[0] if counts.missing else 'nothing to compare'}.")
            continue
        order = sorted(counts.figures, key=_rank)
        parts = [_counted(figure, comparison) for figure in order]
        parts += gone if counts.missing else []
        parts += _worst(comparison, counts.candidate)
        found.append(f"{who}, {plural(counts.cases, 'case')}: {'; '.join(parts)}.")
    return found


def _worst(comparison: Comparison, candidate: str) -> list[str]:
    """The decided change for the worse that is the greatest, of latencies and goodput."""
    worse = [
        (abs(log(change.change.value)), pair, change)
        for pair in comparison.pairs
        if pair.candidate == candidate and not pair.is_floor
        for change in pair.changes
        if change.verdict == "slower" and change.change and change.change.value > 0
    ]
    if not worse:
        return []
    _, pair, change = max(worse, key=lambda each: each[0])
    told = f"{figure_name(change)} {_at_least_1(change)}{_unit(change)} {change.verdict}"
    return [f"worst: {told} ({title(pair, comparison)})"]


def _rank(of: FigureCounted) -> int:
    """Medians, tails, goodput, and loss last."""
    if of.name == "loss":
        return 3
    return 2 if of.latency is None else int(of.name != "median.latency")


def _counted(of: FigureCounted, comparison: Comparison) -> str:
    """ "median RTT/2: 9 faster, 0 slower, 3 unchanged (±2 %)"."""
    loss = of.name == "loss"
    margin = share_text(comparison.equivalent_loss if loss else comparison.equivalent)
    worse = of.worse - of.loses_more
    parts = [
        f"{of.better} {'less' if loss else 'faster'}",
        f"{worse} {'more' if loss else 'slower'}",
    ]
    parts += [f"{of.loses_more} spoilt by loss"] if of.loses_more else []
    parts += [f"{of.equivalent} unchanged (±{margin})"] if of.equivalent else []
    parts += [f"{of.undecided} undecided"] if of.undecided else []
    return f"{name_text(of.name, of.latency)}: {', '.join(parts)}"


def legend(comparison: Comparison) -> str:
    """What the marks mean."""
    kinds = {c.quantity == "throughput" for pair in comparison.pairs for c in pair.headlines}
    ways = {
        frozenset({False}): "▼ is faster and ▲ slower",
        frozenset({True}): "▲ is faster and ▼ slower",
    }.get(frozenset(kinds), "For latency ▼ is faster and ▲ slower, for goodput the other way round")
    return f"{ways}; = is within {share_text(comparison.equivalent)}, ? undecided."


def method(comparison: Comparison) -> str:
    """What the figures are, and which verdicts stand."""
    if not comparison.headline_tests + comparison.further_tests:
        return "Ratios are candidate over baseline. None has an interval, so there is no verdict."
    paired = {pair.paired for pair in comparison.pairs}
    rounds = {
        frozenset({True}): "Rounds of one campaign were interleaved and are compared one by one.",
        frozenset({False}): "Rounds of different campaigns are not paired.",
    }.get(frozenset(paired), "Rounds are paired within a campaign only.")
    parts = [
        "Ratios are candidate over baseline, in brackets their "
        f"{share_text(comparison.confidence)} interval.",
        rounds,
        _correction(comparison, interleaved=paired == {True}),
    ]
    if len(comparison.candidates) > 1:
        parts.append("Each candidate is corrected for by itself: another one changes no verdict.")
    return " ".join(parts if paired == {True} else [*parts, session_text(comparison)])


def _correction(comparison: Comparison, *, interleaved: bool) -> str:
    """What a verdict survives; and, where rounds were interleaved, how many are false."""
    sides = len(comparison.candidates)
    headline = _from_to([counts.headline_tests for counts in comparison.summary])
    further = _from_to([counts.further_tests for counts in comparison.summary])
    if sides == 1:
        figures = "headline figure" if headline == "1" else "headline figures"
        over = f"{headline} {figures}, and again over {further} more"
    else:
        over = f"a candidate's headline figures ({headline}), and again over its others ({further})"
    stands = f"A verdict stands where it survives Holm's correction over {over}"
    if not interleaved:
        return f"{stands}."
    level = 1.0 - comparison.confidence
    together = f" for a candidate, {share_text(sides * level)} for all {sides}" if sides > 1 else ""
    return (
        f"{stands}: each time the probability of any false verdict is at most "
        f"{share_text(level)}{together}."
    )


def _from_to(counts: Sequence[int]) -> str:
    """ "18", "12 to 18"."""
    return " to ".join(map(text.count, dict.fromkeys((min(counts), max(counts)))))


def session_text(comparison: Comparison) -> str:
    """What intervals between campaigns that were run apart do not know."""
    if comparison.sessions > 1:
        return (
            f"How much campaigns of the same differ is taken from {comparison.sessions} campaigns "
            "of the baseline, and is in the intervals."
        )
    return (
        "How often a verdict is false is not known: what differs between two campaigns of the same "
        "is in no interval. `busmark ab` interleaves both sides; --repeat DIR gives further "
        "campaigns of the baseline."
    )


def title(pair: Pair, comparison: Comparison) -> str:
    """What a pair is called where no table says it; with the candidate where there are several."""
    several = [pair.candidate] if len(comparison.candidates) > 1 else []
    where = naming.where(pair, comparison.by)
    parts = [*several, *([pair.label] if pair.label else []), where]
    return ", ".join([*parts, *([pair.workload] if pair.workload else [])])


def further(comparison: Comparison) -> list[str]:
    """Changes besides those that the tables have, a line for each pair."""
    lines = []
    for pair in comparison.pairs:
        told = [
            f"{figure_name(change)} {_at_least_1(change)}{_unit(change)} {change.verdict}"
            for change in pair.changes
            if not pair.is_floor
            and change not in pair.headlines
            and change.verdict in (*BETTER, *WORSE)
        ]
        lines += [f"{title(pair, comparison)}: {'; '.join(told)}"] if told else []
    return lines


def _at_least_1(change: Change) -> str:
    """The ratio of the greater figure over the smaller: the verdict says which is which."""
    if change.kind != "ratio" or change.change is None or not 0.0 < change.change.value < 1.0:
        return change_text(change)
    return change_text(change.model_copy(update={"change": inverse(change.change)}))


def remarks(comparison: Comparison) -> list[str]:
    """Why headline figures have no verdict, and rounds that do not count."""
    lines: list[str] = []
    for pair in comparison.pairs:
        headline = pair.headline
        told = []
        if headline and headline.reason and headline.reason != UNDECIDED:
            said = verdict_text(headline, comparison.equivalent)
            told.append(f"{said}: {headline.reason}")
        lines += [f"{title(pair, comparison)}: {line}" for line in [*told, *pair.remarks]]
    return lines


def differs(comparison: Comparison) -> list[str]:
    """In which parameters compared cases differ besides those that are compared, and why they are
    compared all the same."""
    found: dict[tuple[str, str, bool], list[Pair]] = {}
    for pair in comparison.pairs:
        for name, values in pair.differs.items():
            mine, theirs = (dim.value_text(name, value) for value in values)
            told = f"{dim.title(name)}: {mine} vs. {theirs}"
            stated = not {None, "unstated"} & {v for v in values if v is None or isinstance(v, str)}
            found.setdefault((name, told, stated), []).append(pair)
    lines = []
    for (name, line, stated), pairs in found.items():
        of = title(pairs[0], comparison) if len(pairs) == 1 else plural(len(pairs), "case")
        lines.append(f"{line} ({of}): {_why(name, comparison.by, stated=stated)}")
    return lines


def _why(name: str, by: Sequence[str], *, stated: bool) -> str:
    """Why cases are compared though a parameter differs."""
    if name == "qos.depth" and "qos.history" in by:
        return "a depth belongs to the history keep-last"
    if {"adapter", "peer", "side"} & set(by):
        return "each adapter has its own default"
    if not stated:
        return "one side does not state it"
    return "these cases were named, or --force was given"


def left_out(comparison: Comparison, *, every: bool = False) -> list[str]:
    """Cases that are not compared; without `every` the first of them, and how many more."""
    left = comparison.left_out if every else comparison.left_out[:MOST_LEFT_OUT]
    lines = [f"{case.side}, {case.case}: {case.reason}" for case in left]
    more = len(comparison.left_out) - len(left)
    return [*lines, f"{text.count(more)} more: `--json` has all"] if more else lines


def findings(comparison: Comparison) -> list[str]:
    """What each campaign has found that may spoil it, a line for each."""
    sides = (comparison.baseline, *comparison.candidates)
    told = {side.directory: dict.fromkeys(side.findings) for side in sides}
    return [f"{directory}: {'; '.join(titles)}" for directory, titles in told.items() if titles]


def judged_text(judged: Judged, comparison: Comparison) -> str:
    """About a criterion and a case."""
    if judged.pair is None:
        several = [judged.candidate] if len(comparison.candidates) > 1 else []
        return f"{', '.join([*several, judged.label])}: {judged.reason}"
    return f"{title(comparison.pairs[judged.pair], comparison)}: {judged.reason}"


def gate_text(comparison: Comparison) -> str:
    """How all criteria together ended; empty where there are none."""
    if comparison.gate is None:
        return ""
    counts = _outcomes(comparison.criteria)
    told = {
        "missed": f"Gate failed: {counts}",
        "met": f"Gate passed: {counts}",
    }.get(comparison.gate, f"Gate undecided, which ends with exit code 0: {counts}")
    apart = ""
    if comparison.sessions == 1 and not all(pair.paired for pair in comparison.pairs):
        apart = "; the campaigns were run apart, and what sessions differ by is not covered"
    return told + apart


def gate_mark(comparison: Comparison) -> str:
    """✓, ✗ or ?; empty without criteria."""
    return OUTCOMES[comparison.gate] if comparison.gate else ""


@dataclass(frozen=True, slots=True)
class Condition:
    """A criterion over all cases that have its figure."""

    criterion: str
    outcome: Outcome
    judged: list[Judged]
    """The worst first."""

    @property
    def told(self) -> str:
        """ "2 missed, 1 undecided, 3 met"."""
        return _outcomes(self.judged)

    @property
    def open(self) -> list[Judged]:
        """All that is not met."""
        return [judged for judged in self.judged if judged.outcome != "met"]


def conditions(comparison: Comparison) -> list[Condition]:
    """The criteria in their order, each with how it ended."""
    found = []
    order = list(ORDER)
    for criterion in dict.fromkeys(judged.criterion for judged in comparison.criteria):
        own = [judged for judged in comparison.criteria if judged.criterion == criterion]
        own.sort(key=lambda judged: (not judged.fails, order.index(judged.outcome)))
        outcome: Outcome = "missed" if own[0].fails else own[0].outcome
        found.append(Condition(criterion, outcome, own))
    return found


def _outcomes(judged: Sequence[Judged]) -> str:
    """ "2 missed, 1 undecided, 3 met": of these only those that there are."""
    counts = Counter(one.outcome for one in judged)
    return ", ".join(f"{counts[kind]} {kind}" for kind in ORDER if counts[kind])
