"""Rounds against each other: modes, drift and order."""

from __future__ import annotations

from collections.abc import Iterator
from math import expm1, log
from typing import TYPE_CHECKING, Any

from busmark.findings.params import has_rate, is_pinned
from busmark.findings.rule import Observation, Rule, count, duration, number, p_value, share
from busmark.model.entry import SEARCHES

if TYPE_CHECKING:
    from busmark.findings.view import CaseView, Series
    from busmark.stats import DensityMode, Dependence
    from busmark.store.result import Result

MIN_BIMODAL_SAMPLES = 200
"""Ten in the smallest mode that counts, 5 % of the samples."""

MIN_RATIO = 1.2
"""Between the modes' locations. If they are nearer, the median is less than 10 % from either, and
describes both."""

MIN_SHARE = 0.05
"""Share of each half of a round, in either mode."""

MIN_BIMODAL_SHARE = 0.5
"""More than this share of the rounds must show the same two modes, each round by itself: rounds
that differ from each other are no modes."""

MIN_STEPS = 3
"""Steps of the clock between the modes: nearer ones are what rounding makes of one."""

MAX_HELD = 0.1
"""Share of samples at a rate that arrived together with a later one. Where there are more, samples
differ by how long before the arrival they were sent, one period apart, which looks like modes."""

MIN_TURNS = 0.9
"""Share of samples that are in the other mode than the sample before, from which it is said that
the modes take turns: of modes at random it is at most a half."""

LEAST_NS = 100.0
"""Between the modes. Two readings of the clock are part of each latency, at 20 to 50 ns each, and
they alone vary by some of it."""


def bimodal(view: CaseView) -> Iterator[Observation]:
    from busmark.stats import typical

    held = view.held_back if has_rate(view.params) else {}
    tested = 0
    found: dict[int, tuple[DensityMode, DensityMode]] = {}
    for at, series in view.latencies.items():
        positive = series[series > 0.0]
        if positive.size >= MIN_BIMODAL_SAMPLES:
            tested += 1
            together, _ = held.get(at, (0.0, 0.0))
            if together < MAX_HELD and (pair := _throughout(positive)):
                found[at] = pair
    step = max((host.get("clock_step_ns") or 0.0 for host in view.hosts), default=0.0)
    far = max(MIN_STEPS * step, LEAST_NS)
    found = {
        n: (low, high)
        for n, (low, high) in found.items()
        if high.location - low.location > far and high.location >= MIN_RATIO * low.location
    }
    if len(found) <= MIN_BIMODAL_SHARE * tested or not found:
        return
    if len(found) > 1:
        below, above = (typical([pair[i].location for pair in found.values()]) for i in (0, 1))
        if below.high is None or above.low is None or below.high >= above.low:
            return
    # The first of equal ones: the last digits of a sum depend on where its terms lie in memory.
    at, (low, high) = max(found.items(), key=lambda each: round(min(m.share for m in each[1]), 6))
    series = view.latencies[at]
    slow = series[series > 0.0] > _between(low, high)
    # The share of samples that are in the other mode than the sample before.
    turns = float((slow[1:] != slow[:-1]).mean())
    yield Observation(
        "warning",
        f"modes of the {view.quantity} at {duration(low.location)} ({share(round(low.share, 3))} "
        f"of the samples, up to {duration(low.high)}) and {duration(high.location)} "
        f"({share(round(high.share, 3))}, from {duration(high.low)} to {duration(high.high)}) in "
        f"round {at}; two modes all along the round in {view.of_rounds(len(found), tested)}"
        + (
            f"; they take turns: {share(round(turns, 3))} of the samples are in the other "
            f"mode than the sample before"
            if turns >= MIN_TURNS
            else ""
        ),
        weight=min(low.share, high.share),
        remedy="" if is_pinned(view.params) else UNPINNED_REMEDY,
        group="" if is_pinned(view.params) else "unpinned",
    )


def _throughout(series: Series) -> tuple[DensityMode, DensityMode] | None:
    """Return the two largest modes of a round, the lower first, if each half of the round has both:
    one that follows the other is a change during the round."""
    from busmark.stats import modes

    modality = modes(series)
    if modality.count < 2:
        return None
    low, high = sorted(modality.largest, key=lambda mode: mode.location)
    half = series.size // 2
    for part in (series[:half], series[half:]):
        above = float((part > _between(low, high)).mean())
        if min(above, 1.0 - above) < MIN_SHARE:
            return None
    return low, high


def _between(low: DensityMode, high: DensityMode) -> float:
    return float((low.location * high.location) ** 0.5)


UNPINNED_REMEDY = (
    "Look at the timeline: when is which mode there? Pin every participant, "
    "then vary one thing at a time (wait strategy, rate, size). Report both modes."
)

BIMODAL = Rule(
    id="bimodal",
    check_case=bimodal,
    concerns=("median",),
    early=3,
)


MIN_DRIFT_SAMPLES = 100
"""Five in each of the 20 blocks of the trend test."""

MIN_DRIFT = 0.05
"""Least drift from the first to the last third that is reported: less matters to nobody who
compares middleware."""

MAX_P = 0.01
MIN_DRIFT_SHARE = 0.5
"""Share of rounds that must drift, all in the same direction. By chance one round in a hundred does
at `MAX_P`, and more than half of three rounds do in fewer than one case in three thousand."""


def non_stationary(view: CaseView) -> Iterator[Observation]:
    import numpy as np

    from busmark.stats import drift

    if view.params.timeline:
        return  # It changes because the scenario changes something.
    tested = 0
    changes: list[float] = []
    for series in view.latencies.values():
        if series.size < MIN_DRIFT_SAMPLES:
            continue
        tested += 1
        seen = drift(series)
        if seen.relative_change is None or seen.p_value is None:
            continue
        if abs(seen.relative_change) >= MIN_DRIFT and seen.p_value < MAX_P:
            changes.append(seen.relative_change)
    up = [change for change in changes if change > 0.0]
    down = [change for change in changes if change < 0.0]
    same = max(up, down, key=len)
    if len(same) <= MIN_DRIFT_SHARE * tested or not same:
        return
    middle = float(np.median(same))
    yield Observation(
        "warning",
        f"the median {view.quantity} {'rises' if middle > 0 else 'falls'} by "
        f"{share(round(abs(middle), 3))} from the first to the last third of a round, in "
        f"{view.of_rounds(len(same), tested)} with {MIN_DRIFT_SAMPLES} samples or more "
        f"(p < {MAX_P})",
        weight=abs(middle),
    )


NON_STATIONARY = Rule(
    id="non-stationary",
    check_case=non_stationary,
    concerns=("latency",),
    early=3,
)


MAX_RATIO = 1.2
"""Highest over lowest round. Five rounds that vary by 3 % (1 sigma) exceed it in fewer than one
case in a thousand, such that vary by 5 % in about one in thirteen."""


def rounds_disagree(view: CaseView) -> Iterator[Observation]:
    by_round = {
        "median": _medians(view),
        "goodput_mbit_per_s": {
            n: rate for n, rate in view.values("samples_per_s").items() if rate > 0
        },
    }
    if view.params.test != "throughput":
        del by_round["goodput_mbit_per_s"]
    for figure, values in by_round.items():
        if len(values) < 2 or min(values.values()) <= 0.0:
            continue
        low, high = min(values, key=values.__getitem__), max(values, key=values.__getitem__)
        ratio = values[high] / values[low]
        if ratio <= MAX_RATIO or (figure == "median" and _alike(view, low, high)):
            continue
        median = figure == "median"
        ends = [
            f"{duration(values[n]) if median else f'{number(values[n])} /s'} in round {n}"
            for n in (low, high)
        ]
        yield Observation(
            "warning",
            f"{f'median {view.quantity}' if median else 'rate of received samples'} of "
            f"{' and '.join(ends)} of {count(len(values), 'round')}, ratio {number(ratio)}",
            weight=ratio,
            concerns=("median",) if median else ("goodput_mbit_per_s", "samples_per_s"),
            remedy=_remedy(view),
            group=f"{figure} {_remedy(view)}",
        )


def _medians(view: CaseView) -> dict[int, float]:
    """Return the median of each round; with lost samples later than any, as tables show it."""
    import numpy as np

    arrived = {n: float(np.median(series)) for n, series in view.latencies.items()}
    known = view.values("median_ns") if view.quantity != "one-way latency" else {}
    return {n: known.get(n, median) for n, median in arrived.items()}


def _alike(view: CaseView, fast: int, slow: int) -> bool:
    """Return whether the intervals of the two rounds' medians meet."""
    from busmark.stats import percentile_interval

    below = percentile_interval(view.latencies[fast], 50.0).high
    above = percentile_interval(view.latencies[slow], 50.0).low
    return below is None or above is None or below >= above


def _remedy(view: CaseView) -> str:
    return "" if is_pinned(view.params) else UNPINNED_TOO


UNPINNED_TOO = "Pin every participant, let nothing else run, and raise `rounds.min`."


ROUNDS_DISAGREE = Rule(
    id="rounds-disagree",
    check_case=rounds_disagree,
    concerns=("median",),
    early=2,
)


ORDER_CERTAIN = 0.001
"""A campaign is tested once for each effect; one in a thousand then speaks without cause."""
MIN_ORDER_EFFECT = 0.03
"""Least effect of order that is reported: smaller ones, though certain, matter to nobody who
compares middleware."""
MIN_ORDER_ROUNDS = 3
"""Rounds of a case: with fewer, its own level is not known."""


def order_effects_in_campaign(result: Result) -> Iterator[Observation]:
    rows = _relative(result)
    yield from _drift(rows)
    yield from _predecessors(rows)


def _relative(result: Result) -> list[dict[str, Any]]:
    """Return counted rounds in order of execution, with the logarithm of their value over the
    case's typical one as `change`, and the adapter that ran before as `after`. The trials of a
    search are left out: each has a rate of its own."""
    import polars as pl

    table = result.cases
    if "statistic_value" not in table.columns or "order" not in table.columns:
        return []
    table = table.sort("order").with_columns(pl.col("adapter").shift(1).alias("after"))
    counted = table.filter(
        (pl.col("status") == "ok")
        & (pl.col("statistic_value") > 0)
        & ~pl.col("test").is_in(SEARCHES)
    )
    logs = counted.with_columns(pl.col("statistic_value").log().alias("log")).with_columns(
        (pl.col("log") - pl.col("log").median().over("case")).alias("change"),
        pl.len().over("case").alias("rounds"),
    )
    return logs.filter(pl.col("rounds") >= MIN_ORDER_ROUNDS).to_dicts()


def _drift(rows: list[dict[str, Any]]) -> Iterator[Observation]:
    from busmark.stats import drift

    for test in dict.fromkeys(row["test"] for row in rows):
        changes = [row["change"] for row in rows if row["test"] == test]
        half = len(changes) // 2
        if not half:
            continue
        found = drift(changes)
        by = sum(changes[half:]) / (len(changes) - half) - sum(changes[:half]) / half
        if (
            found.p_value is None
            or found.p_value >= ORDER_CERTAIN
            or abs(by) < log(1 + MIN_ORDER_EFFECT)
        ):
            continue
        yield Observation(
            "warning",
            f"{'latency' if test == 'latency' else 'goodput'} in the second half of "
            f"{count(len(changes), 'round')} {100 * expm1(by):+.1f} % against the first "
            f"(Mann-Kendall {p_value(found.p_value)})",
            weight=abs(by),
            title="The machine changed while the campaign ran",
            cause="Temperature, frequency, another tenant, or work that began or ended.",
            remedy="Rounds are interleaved, so comparisons within the campaign stand. Do not "
            "compare its figures with another day's; run it again on a quiet machine.",
        )


def _predecessors(rows: list[dict[str, Any]]) -> Iterator[Observation]:
    from busmark.stats import difference

    rows = [row for row in rows if row["after"] is not None]
    names = sorted({row["after"] for row in rows})
    logs = _without_cases(rows)
    found = difference(
        [
            [log for row, log in zip(rows, logs, strict=True) if row["after"] == name]
            for name in names
        ]
    )
    if found is None or found.p_value >= ORDER_CERTAIN or found.spread < log(1 + MIN_ORDER_EFFECT):
        return
    yield Observation(
        "warning",
        f"after {names[found.highest]} values are {100 * expm1(found.spread):.1f} % above those "
        f"after {names[found.lowest]} (Kruskal-Wallis {p_value(found.p_value)})",
        weight=found.spread,
    )


def _without_cases(rows: list[dict[str, Any]]) -> list[float]:
    """Return logarithms without the level of each case, by a least-squares fit of a level per case
    and an effect per predecessor. A case's own median would not do: where half of its rounds follow
    what slows them down, it is a slow one, and the others pass for fast."""
    import numpy as np

    if not rows:
        return []
    cases = sorted({row["case"] for row in rows})
    names = sorted({row["after"] for row in rows})
    design = np.zeros((len(rows), len(cases) + len(names)))
    for line, row in zip(design, rows, strict=True):
        line[cases.index(row["case"])] = 1.0
        line[len(cases) + names.index(row["after"])] = 1.0
    logs = np.array([row["log"] for row in rows])
    # One more parameter than can be distinguished: the least squares with the smallest effects.
    fit, *_ = np.linalg.lstsq(design, logs, rcond=None)
    levels: list[float] = (logs - design[:, : len(cases)] @ fit[: len(cases)]).tolist()
    return levels


ORDER_EFFECTS = Rule(
    id="order-effects",
    check_campaign=order_effects_in_campaign,
    explains=("rounds-disagree", "target-missed", "dependent-rounds"),
)


DEPENDENCE_CERTAIN = 0.05
"""Share of campaigns of independent rounds that are accused, after adjustment for the number of
cases."""


def dependent_rounds_in_campaign(result: Result) -> Iterator[Observation]:
    from busmark.stats import holm

    tested = _tested(result)
    if not tested:
        return
    adjusted = holm([found.p_value for found in tested.values()])
    for (case, found), p in zip(tested.items(), adjusted, strict=True):
        if p <= DEPENDENCE_CERTAIN:
            yield Observation(
                "warning",
                f"ranks of successive rounds correlate by {found.correlation:.2f} "
                f"({count(found.rounds, 'round')}, {p_value(found.p_value, 2)})",
                weight=-found.p_value,
                case=case,
            )


def _tested(result: Result) -> dict[str, Dependence]:
    """Return what the order of its rounds says, by case."""
    import polars as pl

    from busmark.stats import dependence

    table = result.cases
    if "statistic_value" not in table.columns:
        return {}
    trials = {c.id for c in result.manifest.cases if c.params.test in SEARCHES}
    counted = table.filter(
        (pl.col("status") == "ok") & pl.col("statistic_value").is_not_null()
    ).sort("case", "round")
    found = {}
    for (case,), rows in counted.group_by("case", maintain_order=True):
        # A search sets each trial's rate by the one before.
        seen = None if case in trials else dependence(rows["statistic_value"].to_numpy())
        if seen is not None:
            found[str(case)] = seen
    return found


DEPENDENT_ROUNDS = Rule(
    id="dependent-rounds",
    check_campaign=dependent_rounds_in_campaign,
    concerns=("rounds",),
)
