"""From the results of a history to the document."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from busmark import stats
from busmark.compare.change import unchanged
from busmark.compare.measured import compared_name
from busmark.compare.verdict import EQUIVALENT, EQUIVALENT_LOSS, WORSE, direction
from busmark.errors import UserError
from busmark.model import limits
from busmark.model import naming as dim
from busmark.model.naming import NamedCase, described
from busmark.model.parameters import Parameters
from busmark.model.text import MINUS, joined, plural
from busmark.track import steps as detection
from busmark.track.history import HistoryEntry
from busmark.track.model import (
    HistoryPoint,
    HistoryStep,
    Kind,
    TrackedHistory,
    TrackedMachine,
    TrackedSeries,
)
from busmark.track.result import differences, short
from busmark.track.steps import HistorySeries, machine_key, names_of, series_of

DEFAULT_FIGURES = ("median.latency", "p99.latency", "goodput.throughput", "loss")
"""Figures that are examined unless `--figure` says otherwise."""


def track(
    path: Path,
    entries: Sequence[HistoryEntry],
    *,
    figures: Sequence[str] = (),
    worse_than: float = EQUIVALENT,
    new_for: int = 1,
) -> TrackedHistory:
    """Look through a history, its results in the order in which they were added.

    Raises:
        UserError: the history is empty, or has none of the figures.
    """
    if not entries:
        raise UserError(
            "this history has no result yet",
            where=str(path),
            remedy="`busmark history add DIR` adds one.",
        )
    wanted = [_figure(name, entries) for name in figures] or list(DEFAULT_FIGURES)
    series = series_of(entries, wanted)
    if not series:
        raise UserError(f"no result has {joined(wanted, 'or')}", where=str(path))
    found = detection.find(series)
    counts = detection.in_a_row(series, found, worse_than)
    known = _confirmed_before(entries[:-new_for], wanted, series, found, worse_than)
    tests = sum(map(detection.tested, series))
    machines = _machines(entries)
    names = names_of(series)
    places = {key: place for place, key in enumerate(machines)}
    shown = [
        _series(
            one,
            names[one.case],
            places[one.machine],
            list(detection.described(one, steps, own, known.get(_key(one), {}), worse_than, tests)),
        )
        for one, steps, own in zip(series, found, counts, strict=True)
    ]
    shown = _beside_floors(shown)
    return TrackedHistory(
        history=str(path),
        results=len(entries),
        commits=len({entry.commit.id for entry in entries}),
        newest=entries[-1].commit.id,
        figures=wanted,
        worse_than=worse_than,
        worse_than_loss=EQUIVALENT_LOSS,
        level=detection.LEVEL,
        confidence=detection.CONFIDENCE,
        least=stats.LEAST_BESIDE_STEP,
        confirmations=detection.CONFIRMATIONS,
        new_for=new_for,
        tests=tests,
        machines=list(machines.values()),
        cases=len(names),
        remarks=_remarks(entries, wanted, series, machines, tests),
        series=shown,
    )


def _figure(name: str, entries: Sequence[HistoryEntry]) -> str:
    """Return a figure that some result has.

    Raises:
        UserError: there is none.
    """
    known = {figure for entry in entries for case in entry.cases for figure in case.figures}
    if name in known:
        return name
    there = sorted(known)
    subject = limits.subject(name, "--figure")
    names = (compared_name(subject, test) for test in subject.row.tests)
    own = next((name for name in names if name in known), "")
    if not own:
        raise UserError(
            f"no result of this history has {subject}",
            where="--figure",
            remedy=f"There are {joined(there)}.",
        )
    return own


def _key(series: HistorySeries) -> tuple[str, str, str]:
    return series.machine, series.case, series.figure


def _confirmed_before(
    older: Sequence[HistoryEntry],
    figures: Sequence[str],
    now: Sequence[HistorySeries],
    found: Sequence[Sequence[stats.SeriesStep]],
    margin: float,
) -> dict[tuple[str, str, str], dict[Kind, list[int]]]:
    """Return what was confirmed without the newest results: by series and kind, places in the
    series as it
    is now. Only series that have a step now are searched."""
    before = series_of(older, figures)
    current = {_key(one): one for one in now}
    stepped = {_key(one) for one, steps in zip(now, found, strict=True) if steps}
    steps_then = detection.find(before, {n for n, one in enumerate(before) if _key(one) in stepped})
    counts = detection.in_a_row(before, steps_then, margin)
    known = {}
    for one, steps, own in zip(before, steps_then, counts, strict=True):
        confirmed = [s for s, n in zip(steps, own, strict=True) if n >= detection.CONFIRMATIONS]
        known[_key(one)] = detection.places(one, confirmed, current[_key(one)], margin)
    return known


def _beside_floors(series: Sequence[TrackedSeries]) -> list[TrackedSeries]:
    """Return the series with a note at steps where the floor of the same machine has one of the
    same direction, too."""
    floors: dict[tuple[int, bool], list[tuple[str, set[str]]]] = {}
    for one in series:
        for step in one.steps if one.is_floor else ():
            around = {point.commit for point in one.points[step.earliest - 1 : step.latest + 1]}
            change = f"{100 * step.change:+.1f} %".replace("-", MINUS)
            place = one.machine, _is_worse(one, step)
            note = f"{one.figure} of the null adapter: {change}"
            floors.setdefault(place, []).append((note, around))
    found = []
    for one in series:
        steps = []
        for step in one.steps:
            first = one.points[step.first_after].commit
            known = floors.get((one.machine, _is_worse(one, step)), ())
            near = [note for note, around in known if first in around]
            if near and not one.is_floor:
                step = step.model_copy(update={"besides": [*step.besides, *near]})
            steps.append(step)
        found.append(one.model_copy(update={"steps": steps}))
    return found


def _is_worse(series: TrackedSeries, step: HistoryStep) -> bool:
    return (step.change > 0.0) == series.smaller_is_better


def _series(series: HistorySeries, named: NamedCase, machine: int, steps: list) -> TrackedSeries:  # type: ignore[type-arg]
    newest = series.cases[-1]
    size = newest.params.get("size")
    return TrackedSeries(
        machine=machine,
        case=newest.id,
        label=named.label,
        adapter=str(newest.params.get("adapter") or ""),
        test=str(newest.params.get("test", "latency")),
        placement=dim.placement_of(Parameters.model_construct(**newest.params)),
        size=size if isinstance(size, int) else None,
        workload=described(named.workload),
        is_floor=named.is_floor,
        figure=series.figure,
        latency=series.latency,
        unit=series.figures[-1].unit,
        smaller_is_better=direction(series.figure, more=True) in WORSE,
        kind="ratio" if unchanged(series.figure) == 1.0 else "difference",
        points=[_point(entry, series, n) for n, entry in enumerate(series.entries)],
        tested=detection.tested(series),
        steps=steps,
    )


def _point(entry: HistoryEntry, series: HistorySeries, place: int) -> HistoryPoint:
    figure = series.figures[place]
    return HistoryPoint(
        commit=entry.commit.id,
        subject=entry.commit.subject,
        commit_utc=entry.commit.utc,
        measured_utc=entry.measured_utc,
        modified=entry.commit.modified,
        value=figure.value,
        low=figure.low,
        high=figure.high,
        count=figure.count,
        rounds=figure.rounds,
        bound_ns=entry.bound_ns(series.cases[place], series.figure) or None,
    )


def _machines(entries: Sequence[HistoryEntry]) -> dict[str, TrackedMachine]:
    of: dict[str, list[HistoryEntry]] = {}
    for entry in entries:
        of.setdefault(machine_key(entry), []).append(entry)
    first = entries[0].machine
    return {
        key: TrackedMachine(
            name=own[-1].machine.name,
            facts=own[-1].machine.facts,
            results=len(own),
            differs=differences(first, own[-1].machine),
        )
        for key, own in of.items()
    }


def _is(number: int) -> str:
    return "is" if number == 1 else "are"


def _remarks(
    entries: Sequence[HistoryEntry],
    figures: Sequence[str],
    series: Sequence[HistorySeries],
    machines: dict[str, TrackedMachine],
    tests: int,
) -> list[str]:
    """Return what is to be borne in mind."""
    found = []
    if len(machines) > 1:
        _, *others = machines.values()
        apart = dict.fromkeys(fact for machine in others for fact in machine.differs)
        found.append(
            f"results of {plural(len(machines), 'machine')} are kept apart: they differ in "
            f"{joined(list(apart))}"
        )
    cases = [{case.id for case in entry.cases} for entry in entries]
    if any(own != cases[-1] for own in cases[:-1]):
        gone = len(
            {one.case for one in series} - {o.case for o in series if entries[-1] in o.entries}
        )
        if gone:
            found.append(
                f"{plural(gone, 'case')} {_is(gone)} not in the newest result: "
                "the scenario has changed, it is of another machine, or they failed"
            )
    few = len(series) - tests
    if few and tests:
        found.append(
            f"{plural(few, 'series', 'series')} {'has' if few == 1 else 'have'} fewer than "
            f"{2 * stats.LEAST_BESIDE_STEP} results: too few for a change to be found"
        )
    one_way = [
        entry.bound_ns(case, name)
        for entry in entries
        for case in entry.cases
        for name in figures
        if name in case.figures and not detection.is_bounded(entry, case, name)
    ]
    if unknown := one_way.count(None):
        found.append(
            f"{plural(unknown, 'one-way figure')} between nodes {_is(unknown)} left out: an older "
            "Busmark added the result, without the bound of the clocks"
        )
    if wide := len(one_way) - unknown:
        found.append(
            f"{plural(wide, 'one-way figure')} {_is(wide)} left out: the bound of the clocks is "
            "no smaller than the time"
        )
    modified = [short(entry.commit.id) for entry in entries if entry.commit.modified]
    if modified:
        some = joined(list(dict.fromkeys(modified))[-3:])
        found.append(
            f"{plural(len(modified), 'result')} of files that differed from their commit: {some}"
        )
    placed: dict[float, set[str]] = {}
    for entry in entries:
        placed.setdefault(entry.committed_s, set()).add(entry.commit.id)
    tied = sum(len(ids) for ids in placed.values() if len(ids) > 1)
    if tied:
        found.append(
            f"{tied} commits have the date of another, and git did not know their ancestry: the "
            "time of the measurement orders them, which need not be their order"
        )
    without = sum(entry.commit.utc is None for entry in entries)
    if without:
        found.append(
            f"{plural(without, 'result')} of commits whose date is not known: the time of the "
            "measurement orders them"
        )
    return found
