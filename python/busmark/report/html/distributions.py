"""Tables of a distribution: figures, percentiles, the best so many per cent, and its character."""

from __future__ import annotations

from collections.abc import Sequence

from busmark.analysis.figures import Distribution, Figure, Percentile
from busmark.analysis.words import text
from busmark.model.statistics import POOLED, REPORTED
from busmark.report.html.blocks import Block, Rows, between, plain, shown
from busmark.report.imported import is_stated

QUANTITIES = {
    "half_round_trip": "RTT/2",
    "round_trip": "Round trip",
    "one_way": "One-way under load",
    "half_round_trip_jitter": "Jitter of RTT/2",
    "round_trip_jitter": "Jitter of the round trip",
    "one_way_jitter": "One-way jitter",
}

SHARE = (text.Scale("", 1.0),)


def latency_blocks(title: str, kinds: Sequence[Distribution]) -> list[Block]:
    """Everything about one or more quantities of the same samples, side by side."""
    return [figures(title, kinds), ladder(kinds), *_best(kinds[0]), *_character(kinds)]


def jitter_blocks(jitter: Distribution | None, share: Figure | None) -> list[Block]:
    """Variation from one sample to the next."""
    if jitter is None:
        return []
    block = figures("Jitter", [jitter])
    told = ""
    if share:
        told = f" Median jitter over median latency: {text.figure_text(share, SHARE)}."
    block.note += f" Magnitude of the change from a sample to the next (RFC 3393).{told}"
    rungs = ladder([jitter])
    rungs.title = "Percentiles of jitter"
    return [block, rungs]


def figures(title: str, kinds: Sequence[Distribution]) -> Block:
    """Figures of the same samples as one or more quantities, side by side."""
    rows: Rows = []
    for one in REPORTED:
        parts = (part for d in kinds for part in shown(one.figure(d)))
        rows.append((one.name + one.of_a_round, *parts))
    for each in POOLED:
        rows.append((each.name, *(p for d in kinds for p in (plain(d.time_ns(each.key)), ""))))
    heads = tuple(head for d in kinds for head in (QUANTITIES[d.quantity], "95 % interval"))
    whole = kinds[0]
    shape = [
        f"{name} {text.number(value)}"
        for name, value in (("skewness", whole.skewness), ("excess kurtosis", whole.kurtosis))
        if value is not None
    ]
    samples = text.samples(whole.count)
    rounds = text.plural(whole.median.rounds, "round")
    note = f"{samples} of {rounds}. " + (f"{text.joined(shape).capitalize()}." if shape else "")
    return Block(title, ("figure", *heads), rows, note.strip())


def ladder(kinds: Sequence[Distribution]) -> Block:
    """Percentiles of all rounds together, with intervals where rounds and samples support them."""
    heads = tuple(head for d in kinds for head in (QUANTITIES[d.quantity], "95 % interval"))
    rows: Rows = [
        (
            f"{rungs[0].percent:.10g}",
            *(
                part
                for p, d in zip(rungs, kinds, strict=True)
                for part in (_rung(p, d), between(p.low_ns, p.high_ns))
            ),
        )
        for rungs in zip(*(d.percentiles for d in kinds), strict=True)
    ]
    samples = text.samples(kinds[0].count)
    note = (
        f"Observed values of all {samples} of all rounds together, so they differ from the "
        f"typical round above; {text.ABSENT}: too few samples to support it."
    )
    if any(rung.lost for d in kinds for rung in d.percentiles):
        note += " A lost sample counts as later than any."
    title = "Percentiles, all rounds pooled"
    if all(is_stated(d) for d in kinds):
        title = "Percentiles"
        note = f"As the source states them; {text.ABSENT}: too few samples to support it."
    return Block(title, ("percentile", *heads), rows, note)


def _rung(rung: Percentile, of: Distribution) -> str:
    return f"lost: {text.percent_text(of.lost_share)}" if rung.lost else plain(rung.value_ns)


def _best(whole: Distribution) -> list[Block]:
    """The table of older reports: what remains when the slowest are left out."""
    if not whole.best:
        return []
    rows: Rows = [
        (
            f"{best.percent:g} %",
            text.count(best.count),
            *map(plain, (best.min_ns, best.mean_ns, best.max_ns, best.std_ns)),
        )
        for best in whole.best
    ]
    heads = ("the best", "samples", "minimum", "mean", "maximum", "standard deviation")
    note = f"{QUANTITIES[whole.quantity]}. For comparison with reports that leave out the slowest."
    return [Block("Best samples", heads, rows, note)]


def _character(kinds: Sequence[Distribution]) -> list[Block]:
    """What shows whether the figures may be trusted."""
    whole = kinds[0]
    rows: Rows = []
    if whole.effective_count is not None:
        known = text.count(round(whole.effective_count))
        rows.append(("effective sample size", known, "independent samples of equal precision"))
    if whole.modality:
        peaks = [f"{plain(m.at_ns)} ({text.percent_text(m.share)})" for m in whole.modality.largest]
        rows.append(("modes", text.count(whole.modality.count), text.joined(peaks)))
    if whole.drift and whole.drift.change:
        change = whole.drift.change
        limits = ""
        if change.low is not None and change.high is not None:
            limits = f"[{_change(change.low)}, {_change(change.high)}]"
        trending = f"{whole.drift.trending} of {whole.drift.tested} rounds trend"
        rows.append(
            (
                "last third over first",
                _change(change.value),
                f"{limits}; {trending}".removeprefix("; "),
            )
        )
    hop = next((kind.hop_std for kind in kinds if kind.hop_std), None)
    if hop:
        limits = between(hop.low_ns, hop.high_ns)
        rows.append(("σ of one hop", limits, "from hops alike to independent ones"))
    if not rows:
        return []
    note = "Modes: separate peaks of the density, with the share of samples around them."
    return [Block("Character", ("property", "value", "meaning"), rows, note)]


def _change(share: float) -> str:
    """With its sign."""
    return f"{share:+.2%}".replace("%", " %").replace("-", text.MINUS)
