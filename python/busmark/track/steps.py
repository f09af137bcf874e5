"""Series of a history, one figure of one case on one machine each, and their steps."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from busmark import stats
from busmark.compare.change import along, by_difference, unchanged
from busmark.compare.matching import is_neutral
from busmark.compare.verdict import WORSE, by_size, of_each
from busmark.host.profile import LOAD
from busmark.model import naming as dim
from busmark.model.figure import Figure, Quantity
from busmark.model.naming import NamedCase, name_cases
from busmark.track.history import HistoryEntry, TrackedCase
from busmark.track.model import HistoryStep, Kind

Key = tuple[str, str]
"""Machine and case."""


@dataclass(slots=True)
class HistorySeries:
    """Series of one figure."""

    machine: str
    """Key of the machine, made of its facts."""
    case: str
    """Key of the case, made of its parameters."""
    figure: str
    entries: list[HistoryEntry] = field(default_factory=list)
    cases: list[TrackedCase] = field(default_factory=list)
    """Case of each entry."""

    @property
    def figures(self) -> list[Figure]:
        """The figure of each entry of the series."""
        return [case.figures[self.figure] for case in self.cases]

    @property
    def bounds(self) -> list[float]:
        """How far each figure may be off by two clocks, as a share of itself."""
        return [
            (entry.bound_ns(case, self.figure) or 0.0) / figure.value if figure.value else 0.0
            for entry, case, figure in zip(self.entries, self.cases, self.figures, strict=True)
        ]

    @property
    def latency(self) -> Quantity | None:
        """Return what the latency is, where it is one."""
        return self.cases[-1].latencies.get(self.figure)

    def without_newest(self, fewer: int) -> HistorySeries:
        """Return the series without the results of this many newest commits."""
        return replace(self, entries=self.entries[:-fewer], cases=self.cases[:-fewer])


def machine_key(entry: HistoryEntry) -> str:
    """Return the same for results of one machine."""
    return json.dumps(entry.machine.facts, sort_keys=True, default=str)


def case_key(case: TrackedCase) -> str:
    """Return the same for cases that are the same experiment, whichever version of Busmark ran
    them: a neutral parameter counts as none."""
    own = {name: value for name, value in case.params.items() if not is_neutral(name, value)}
    # What is called latency is not the same for every source of a result.
    return json.dumps([own, case.latencies.get("median.latency")], sort_keys=True, default=str)


def in_order(entries: Iterable[HistoryEntry]) -> list[HistoryEntry]:
    """Return the results by the time of their commits."""
    return sorted(entries, key=lambda entry: entry.ordered_by)


def series_of(entries: Iterable[HistoryEntry], figures: Sequence[str]) -> list[HistorySeries]:
    """Return all series of these figures, machine by machine, in the order in which they begin. A
    figure by two clocks whose bound is not known, or no smaller than itself, is in none."""
    found: dict[tuple[str, str, str], HistorySeries] = {}
    for entry in in_order(entries):
        machine = machine_key(entry)
        for case in entry.cases:
            key = case_key(case)
            for name in figures:
                if name in case.figures and is_bounded(entry, case, name):
                    own = found.setdefault((machine, key, name), HistorySeries(machine, key, name))
                    own.entries.append(entry)
                    own.cases.append(case)
    machines = dict.fromkeys(one.machine for one in found.values())
    order = {machine: place for place, machine in enumerate(machines)}
    cases = {key: place for place, key in enumerate(dict.fromkeys(s.case for s in found.values()))}
    return sorted(
        found.values(),
        key=lambda one: (order[one.machine], cases[one.case], figures.index(one.figure)),
    )


def is_bounded(entry: HistoryEntry, case: TrackedCase, figure: str) -> bool:
    """Return whether a figure is by one clock, or by two whose bound is smaller than itself."""
    bound_ns = entry.bound_ns(case, figure)
    return bound_ns is not None and (not bound_ns or bound_ns < case.figures[figure].value)


def names_of(series: Sequence[HistorySeries]) -> dict[str, NamedCase]:
    """Return what cases are called, by their keys: by what sets them apart from each other."""
    flats: dict[str, dict[str, Any]] = {}
    titles: dict[str, Mapping[str, Any]] = {}
    for one in series:
        flats.setdefault(one.case, one.cases[-1].params)
        titles |= one.entries[-1].versions
    return name_cases(flats, titles)


LEVEL = 0.01
"""Probability that a check of what has not changed finds any step, at most: a check follows every
commit."""

CONFIRMATIONS = 3
"""Results in a row, the newest among them, after each of which a step was found, until it is
confirmed. Two bad results among three look like a step, and are gone after one or two more."""

CONFIDENCE = 0.95

FEWEST = stats.FEWEST_FOR_STEP

MOST = 500
"""Results of a series that are looked through, the newest: the search takes the square of them."""

FACTS = {"version": "version", "middleware_version": "middleware", "sha256": "library"}
"""Facts of an adapter, and their names for people."""


def tested(series: HistorySeries) -> bool:
    """Return whether it has results enough for a step."""
    return len(series.entries) >= FEWEST


def find(
    series: Sequence[HistorySeries], only: Container[int] | None = None
) -> list[list[stats.SeriesStep]]:
    """Return the steps of each series, significant at `LEVEL` over all series that are tested.
    `only`: numbers of those that are searched."""
    numbers = {id(one): number for number, one in enumerate(series)}
    enough = [one for one in series if tested(one)]
    found: dict[int, list[stats.SeriesStep]] = {}
    for machine in dict.fromkeys(one.machine for one in enough):
        own = [one for one in enough if one.machine == machine]
        scaled = [_scaled(one) for one in own]
        steps = stats.steps_together(
            [values for values, _ in scaled],
            of_each(LEVEL, len(enough)),
            CONFIDENCE,
            only=[n for n, one in enumerate(own) if only is None or numbers[id(one)] in only],
        )
        for one, (values, logs), of_it in zip(own, scaled, steps, strict=True):
            skipped = len(one.entries) - int(values.size)
            known = [along(one.figure, step.moved(skipped), logs=logs) for step in of_it]
            found[id(one)] = list(_beyond_clocks(one, known))
    return [found.get(id(one), []) for one in series]


def _beyond_clocks(
    series: HistorySeries, found: Sequence[stats.SeriesStep]
) -> Iterator[stats.SeriesStep]:
    """Yield the steps with the bounds of the clocks in their changes; a step that may be of the
    clocks alone is none."""
    bounds, same = series.bounds, unchanged(series.figure)
    places = [0, *(step.index for step in found), len(bounds)]
    # Results of one level may all be off alike, so that more of them do not help.
    levels = [max(bounds[first:end], default=0.0) for first, end in pairwise(places)]
    for step, (before, after) in zip(found, pairwise(levels), strict=True):
        if before or after:
            step = replace(step, change=step.change.off_by(after, before))
            low, high = step.change.estimate.low, step.change.estimate.high
            if low is None or high is None or low <= same <= high:
                continue
        yield step


def _scaled(series: HistorySeries) -> tuple[NDArray[np.float64], bool]:
    """Return the newest values, as logarithms where changes are ratios; and whether they are."""
    values = np.array([figure.value for figure in series.figures][-MOST:])
    logs = unchanged(series.figure) == 1.0 and bool(values.min() > 0.0)
    return (np.log(values) if logs else values), logs


def in_a_row(
    series: Sequence[HistorySeries], found: Sequence[Sequence[stats.SeriesStep]], margin: float
) -> list[list[int]]:
    """Return for each step after how many results of its series in a row it was found, up to
    `CONFIRMATIONS`: with all, without the newest commit's result, and so on."""
    counts = [[1] * len(steps) for steps in found]
    going = {(n, i) for n, steps in enumerate(found) for i in range(len(steps))}
    for fewer in range(1, CONFIRMATIONS):
        older = [one.without_newest(fewer) for one in series]
        again = find(older, {n for n, _ in going})
        known = [
            places(own, steps, series[n], margin)
            for n, (own, steps) in enumerate(zip(older, again, strict=True))
        ]
        going = {(n, i) for n, i in going if is_known(series[n], found[n][i], known[n], margin)}
        for n, i in going:
            counts[n][i] += 1
    return counts


def places(
    older: HistorySeries, found: Iterable[stats.SeriesStep], now: HistorySeries, margin: float
) -> dict[Kind, list[int]]:
    """Return where the series as it is now has the steps that it had when it was shorter, by
    kind."""
    current = {id(entry): place for place, entry in enumerate(now.entries)}
    known: dict[Kind, list[int]] = {}
    for one in found:
        place = current[id(older.entries[one.index])]
        known.setdefault(_kind(older, one, margin), []).append(place)
    return known


def is_known(
    series: HistorySeries,
    step: stats.SeriesStep,
    known: Mapping[Kind, Sequence[int]],
    margin: float,
) -> bool:
    """Return whether a step of its kind was near."""
    slack = max(stats.LEAST_BESIDE_STEP, step.latest - step.index)
    of_kind = known.get(_kind(series, step, margin), ())
    return any(abs(place - step.index) <= slack for place in of_kind)


def _kind(series: HistorySeries, step: stats.SeriesStep, margin: float) -> Kind:
    verdict = by_size(series.figure, step.change.estimate.value, margin)
    if verdict == "equivalent":
        return "small"
    return "regression" if verdict in WORSE else "improvement"


def described(
    series: HistorySeries,
    found: Sequence[stats.SeriesStep],
    counts: Sequence[int],
    before: Mapping[Kind, Sequence[int]],
    margin: float,
    tests: int,
) -> Iterator[HistoryStep]:
    """Return the steps as the document has them. `counts`: after how many results in a row each was
    found.
    `before`: those that were confirmed without the newest results, by kind."""
    last = found[-1].after if found else 0.0
    same = unchanged(series.figure)
    for step, count in zip(found, counts, strict=True):
        kind, change = _kind(series, step, margin), step.change.estimate
        assert change.low is not None and change.high is not None
        yield HistoryStep(
            kind=kind,
            last_before=step.index - 1,
            first_after=step.index,
            earliest=step.earliest,
            latest=step.latest,
            before=step.before,
            after=step.after,
            change=change.value - same,
            low=change.low - same,
            high=change.high - same,
            p_value=step.p_value,
            p_adjusted=min(1.0, step.p_value * tests),
            in_a_row=count,
            confirmed=count >= CONFIRMATIONS,
            new=count >= CONFIRMATIONS and not is_known(series, step, before, margin),
            stands=kind == "regression" and _still(series, step.before, last, margin),
            besides=list(other_differences(series, step.index)),
        )


def _still(series: HistorySeries, before: float, last: float, margin: float) -> bool:
    """Return whether the newest level is worse than the one before the step, by more than the
    margin."""
    name = series.figure
    return by_size(name, by_difference(name, before, last - before), margin) in WORSE


def other_differences(series: HistorySeries, index: int) -> Iterator[str]:
    """Yield what else the results on both sides of a step differ in, as text."""
    first, second = series.entries[index - 1], series.entries[index]
    if first.busmark_version != second.busmark_version:
        yield _changed("Busmark", first.busmark_version, second.busmark_version)
    yield from _adapters(series, index, first, second)
    before, after = first.machine.settings, second.machine.settings
    for fact in dict.fromkeys([*before, *after]):
        both = [before.get(fact), after.get(fact)]
        if None not in both and both[0] != both[1] and not fact.endswith(LOAD):
            yield _changed(fact.replace("_", " "), *both)
    efforts = [series.cases[place].effort for place in (index - 1, index)]
    for name in dict.fromkeys([*efforts[0], *efforts[1]]):
        both = [effort.get(name) for effort in efforts]
        if both[0] != both[1]:
            yield _changed(dim.title(name), *(dim.value_text(name, value) for value in both))


def _adapters(
    series: HistorySeries, index: int, first: HistoryEntry, second: HistoryEntry
) -> Iterator[str]:
    params = series.cases[index].params
    for role in ("adapter", "peer"):
        name = str(params.get(role))
        before, after = first.versions.get(name, {}), second.versions.get(name, {})
        changed = [
            (title, before[fact], after[fact])
            for fact, title in FACTS.items()
            if fact in before and fact in after and before[fact] != after[fact]
        ]
        # A version says more than the digest of a library.
        for title, old, new in changed[:1] if len(changed) < 3 else changed[:2]:
            short = 12 if title == "library" else None
            yield _changed(f"{title} of {name}", str(old)[:short], str(new)[:short])


def _changed(what: str, before: object, after: object) -> str:
    return f"{what}: {before} → {after}"
