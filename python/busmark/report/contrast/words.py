"""Numbers, verdicts and sentences of a comparison."""

from __future__ import annotations

from collections.abc import Sequence

from busmark.analysis import text
from busmark.analysis.figures import Figure
from busmark.analysis.text import ABSENT, number, percent_text, plural
from busmark.compare import naming
from busmark.compare.model import BETTER, WORSE, Change, Contrast, Judged, Pair
from busmark.compare.verdict import UNDECIDED

LATENCIES = {"half_round_trip": "RTT/2", "one_way": "one-way probes", "round_trip": "round trip"}

QUANTITIES = {"throughput": "goodput", "loss": "loss", "discovery": "discovery"}

MARKS = {
    "faster": "▼", "slower": "▲", "loses less": "▼", "loses more": "▲", "equivalent": "=",
    "cannot tell": "?",
}  # fmt: skip
"""Before a verdict, so that it does not hang on colour. Of throughput the arrow is turned."""

MOST_LEFT_OUT = 30
"""Cases told one by one where there is no way to fold them."""

OUTCOMES = {"failed": "✗", "passed": "✓", "cannot tell": "?"}


def mark(change: Change) -> str:
    """Which way the figure went."""
    sign = MARKS[change.verdict]
    if change.quantity == "throughput":
        return {"▲": "▼", "▼": "▲"}.get(sign, sign)
    return sign


def figure_name(change: Change) -> str:
    """ "median RTT/2", "goodput", "p99 of one-way probes"."""
    if change.latency is None:
        return QUANTITIES[change.quantity]
    what = LATENCIES[change.latency]
    return f"{change.statistic} {what}"


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
        return ABSENT
    if change.kind == "difference":
        return _difference_text(figure)
    shown = places([figure]) if decimals is None else decimals
    if figure.low is None or figure.high is None:
        return f"{number(figure.value, shown)} [{ABSENT}]"
    limits = f"[{number(figure.low, shown)}, {number(figure.high, shown)}]"
    return f"{number(figure.value, shown)} {limits}"


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
    scales = {"ns": text.TIME, "Mbit/s": text.MBIT, "1/s": text.RATE}[figure.unit]
    return text.figure_text(figure, scales)


def verdict_text(change: Change, margin: float) -> str:
    """ "slower", "equivalent within 2 %"."""
    if change.verdict != "equivalent":
        return change.verdict
    return "equivalent" if change.kind == "difference" else f"within {share_text(margin)}"


def share_text(share: float) -> str:
    """A share that the user or the code has set, as it was set: "2 %"."""
    return f"{share * 100:g} %"


def p_text(value: float | None) -> str:
    """A p-value; below 0.0001 it is told as that."""
    if value is None:
        return ABSENT
    return "<0.0001" if value < 0.0001 else number(value, 4)


def rounds_text(pair: Pair) -> str:
    """ "5, 5", or "5 pairs" where they were interleaved."""
    return f"{pair.baseline_rounds}, {pair.candidate_rounds}"


def answers(contrast: Contrast) -> list[str]:
    """What came of it, one sentence for each side."""
    told = []
    for counts in contrast.summary:
        total = counts.better + counts.worse + counts.equivalent + counts.cannot_tell
        if not total:
            told.append(f"{counts.candidate} against {contrast.baseline.name}: nothing to compare.")
            continue
        parts = [
            f"{counts.worse} slower",
            f"{counts.better} faster",
            f"{counts.equivalent} equivalent within {share_text(contrast.equivalent)}",
            f"{counts.cannot_tell} cannot be told",
        ]
        told.append(
            f"{counts.candidate} against {contrast.baseline.name}, {plural(total, 'case')}: "
            f"{', '.join(parts)}."
        )
    return told


def method(contrast: Contrast) -> str:
    """What the figures are, and which verdicts survive."""
    level = share_text(contrast.confidence)
    paired = {pair.paired for pair in contrast.pairs}
    rounds = {
        frozenset({True}): "Rounds of one campaign were interleaved and are compared one by one.",
        frozenset({False}): "Rounds of different campaigns are not paired.",
    }.get(frozenset(paired), "Rounds are paired within a campaign only.")
    if not contrast.headline_tests + contrast.further_tests:
        return "Ratios are candidate over baseline. None has an interval, so nothing is told."
    return (
        f"Ratios are candidate over baseline, in brackets their {level} interval. {rounds} "
        "A verdict stands where it survives Holm's adjustment, so that any false one among "
        f"{plural(contrast.headline_tests, 'headline figure')} has a probability of at most 5 %, "
        f"and again among the {plural(contrast.further_tests, 'other')}."
    )


def title(pair: Pair, contrast: Contrast) -> str:
    """What a pair is called where no table says it; with the candidate where there are several."""
    where = naming.where(pair.test, pair.size, pair.placement)
    several = [pair.candidate] if len(contrast.candidates) > 1 else []
    parts = [*several, *([pair.label] if pair.label else []), where]
    return ", ".join([*parts, *([pair.workload] if pair.workload else [])])


def further(contrast: Contrast) -> list[str]:
    """Changes besides the headlines, a line for each pair."""
    lines = []
    for pair in contrast.pairs:
        told = [
            f"{figure_name(change)} {change_text(change)} {change.verdict}"
            for change in pair.changes
            if not pair.is_floor and not change.headline and change.verdict in (*BETTER, *WORSE)
        ]
        lines += [f"{title(pair, contrast)}: {'; '.join(told)}"] if told else []
    return lines


def remarks(contrast: Contrast) -> list[str]:
    """Why headline figures have no verdict, what differs, and rounds that do not count."""
    lines: list[str] = []
    differs: dict[str, list[Pair]] = {}
    for pair in contrast.pairs:
        headline = pair.headline
        told = []
        if headline and headline.reason and headline.reason != UNDECIDED:
            told.append(f"{headline.verdict}: {headline.reason}")
        for name, values in pair.differs.items():
            mine, theirs = (ABSENT if value is None else value for value in values)
            differs.setdefault(f"{name} differs: {mine}, {theirs}", []).append(pair)
        lines += [f"{title(pair, contrast)}: {line}" for line in [*told, *pair.remarks]]
    for line, pairs in differs.items():
        of = title(pairs[0], contrast) if len(pairs) == 1 else plural(len(pairs), "case")
        lines.append(f"{of}: {line}")
    return lines


def left_out(contrast: Contrast, *, every: bool = False) -> list[str]:
    """Cases that are not compared; without `every` the first of them, and how many more."""
    left = contrast.left_out if every else contrast.left_out[:MOST_LEFT_OUT]
    lines = [f"{case.side}, {case.case}: {case.reason}" for case in left]
    more = len(contrast.left_out) - len(left)
    return [*lines, f"{text.count(more)} more: `--json` has all"] if more else lines


def findings(contrast: Contrast) -> list[str]:
    """What each campaign has found that may spoil it, a line for each."""
    sides = (contrast.baseline, *contrast.candidates)
    told = {side.directory: dict.fromkeys(side.findings) for side in sides}
    return [f"{directory}: {'; '.join(titles)}" for directory, titles in told.items() if titles]


def judged_text(judged: Judged, contrast: Contrast) -> str:
    """About a criterion and a case."""
    return f"{title(contrast.pairs[judged.pair], contrast)}: {judged.reason}"


def gate_text(contrast: Contrast) -> str:
    """How the criteria ended."""
    outcomes = [judged.outcome for judged in contrast.criteria]
    parts = [f"{outcomes.count(o)} {o}" for o in ("failed", "passed", "cannot tell")]
    ended = "not met" if contrast.failed else "met"
    strict = " (strict: what cannot be told fails)" if contrast.strict else ""
    return f"Criteria {ended}: {', '.join(parts)}{strict}"
