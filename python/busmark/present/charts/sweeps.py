"""Figures of cases over a number: the size of the body, the load, the number of endpoints."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from busmark.compare.effects import LAYER, Effect
from busmark.compare.fits import SizeFit
from busmark.model import naming as dim
from busmark.model import text
from busmark.model.case import CaseSummary
from busmark.model.entry import SERVICES, EstimatedQuantity
from busmark.model.figure import Figure
from busmark.model.naming import Label
from busmark.model.quantities.discovery import CREATION_TIME, FIRST_SAMPLE
from busmark.model.quantities.parts import MATCHED_ENDPOINTS
from busmark.model.stream import CapacitySearch, Paced
from busmark.present.charts import look, panels
from busmark.present.charts.cases import BOUNDED, CAPACITIES, Pick, counted
from busmark.present.charts.panels import Choice, Draw
from busmark.present.charts.shapes import Axis, DrawnCurve, Picture, Plot, Point, Reference, point

MAKING_ENDPOINTS = tuple(
    dim.title(name).capitalize()
    for name in ("topics", "writers", "readers", "publishers", "subscribers", "applications")
)
"""Keys in which cases differ that differ in the number of endpoints."""

FEWEST_RATES = 3
"""Different rates, to draw a curve over them."""

FIGURES: tuple[tuple[EstimatedQuantity, str, look.Dash], ...] = (
    (FIRST_SAMPLE, "first sample", "solid"),
    (CREATION_TIME, "creation", "dot"),
)
"""Times of discovery, their name in a legend, and their dash."""


def _by_label(
    cases: Iterable[CaseSummary], place: Callable[[CaseSummary], int]
) -> dict[str, list[CaseSummary]]:
    found: dict[str, list[CaseSummary]] = {}
    for case in cases:
        found.setdefault(case.label, []).append(case)
    return {label: sorted(own, key=place) for label, own in found.items()}


def _size(case: CaseSummary) -> int:
    return case.size or 0


def over_size(pick: Pick, unit: str, factor: float = 1.0, *, fitted: bool = False) -> Draw:
    """Return what draws one figure over the size, `factor` of which are one of the `unit` of its
    axis; `fitted`: a line overhead + slope · size goes with it."""

    def draw(choice: Choice) -> Iterator[Picture]:
        if len({case.size for case in choice.members}) < 2:
            return
        curves = []
        for name, own in _by_label([*choice.members, *_floors(choice, pick)], _size).items():
            points = [point(_size(case), f, factor) for case in own if (f := pick(case))]
            curves.append(DrawnCurve(name, choice.label(own[0]), points))
        here = {case.id for case in choice.members}
        fits = [fit for fit in choice.campaign.fits if fitted and set(fit.cases) <= here]
        figures = [figure for case in choice.members if (figure := pick(case))]
        yield choice.picture(
            Axis("size of the body", "sizes"),
            Axis(unit, "log"),
            [*curves, *(_line(choice, fit) for fit in fits)],
            f"{counted(figures)}{' Thin: overhead + slope · size.' if fits else ''}",
            also_linear=True,
        )

    return draw


def _floors(choice: Choice, pick: Pick) -> list[CaseSummary]:
    """Return the cases of the null adapter, unless they are far from the others."""
    nearest = dict.fromkeys(case.floor.case for case in choice.members if case.floor)
    floors = map(choice.campaign.case, nearest)
    known = [(floor, figure) for floor in floors if (figure := pick(floor))]
    values = [figure.value for case in choice.members if (figure := pick(case))]
    is_near = known and panels.near([figure.value for _, figure in known], values)
    return [floor for floor, _ in known] if is_near else []


def _line(choice: Choice, fit: SizeFit) -> DrawnCurve:
    label = choice.label(choice.campaign.case(fit.cases[0]))
    pairs = zip(fit.at_bytes, fit.value_ns, strict=True)
    points = [Point(size, at / look.MICRO) for size, at in pairs]
    return DrawnCurve(f"{label.text}, line", label, points, marks=False, thin=True, dash="solid")


def layers(unit: str, pick: Callable[[Effect], Figure | None]) -> Draw:
    """Return what draws a figure through a layer over the same of the library alone."""

    def draw(choice: Choice) -> Iterator[Picture]:
        effects = {e.versus.case: e for e in choice.campaign.effects if e.parameter == LAYER}
        ratios = {case: f for case, e in effects.items() if (f := pick(e))}
        known = [case for case in choice.members if case.id in ratios]
        sizes = sorted(set(map(_size, known)))
        if len(sizes) < 2:
            return
        curves = []
        for label, own in _by_label(known, _size).items():
            name = f"{label}, over {effects[own[0].id].reference}"
            points = [point(_size(case), ratios[case.id]) for case in own]
            curves.append(DrawnCurve(name, choice.label(own[0]), points))
        alone = Reference("the library alone", "dot", ((sizes[0], 1.0), (sizes[-1], 1.0)))
        rounds = panels.span_text([ratios[case.id].rounds for case in known])
        yield Picture(
            choice.keys,
            known,
            [Plot(Axis("size of the body", "sizes"), Axis(unit), curves, [alone])],
            f"{rounds} rounds of each, interleaved{BOUNDED}",
        )

    return draw


def ascent(choice: Choice) -> Iterator[Picture]:
    """Draw goodput over the specified rate: a curve for each label and topology."""
    curves: dict[tuple[str, str], list[tuple[CaseSummary, Paced]]] = {}
    for case in choice.members:
        if paced := panels.paced(case):
            curves.setdefault((case.label, panels.topology(case)), []).append((case, paced))
    topologies = list(dict.fromkeys(topology for _, topology in curves))
    every = [paced for curve in curves.values() for _, paced in curve]
    if len({paced.specified_mbit_per_s for paced in every}) < FEWEST_RATES:
        return
    drawn = [
        DrawnCurve(
            f"{label}, {topology}",
            choice.label(curve[0][0]),
            [
                point(
                    paced.specified_mbit_per_s,
                    paced.carried,
                    note=f"{case.params.rate_hz:g} /s of {text.size_text(case.size)}",
                )
                for case, paced in sorted(curve, key=lambda e: e[1].specified_mbit_per_s)
            ],
            hollow=bool(topologies.index(topology) % 2),
            dash=look.DASHES[topologies.index(topology) % len(look.DASHES)],
        )
        for (label, topology), curve in curves.items()
    ]
    on = [case for curve in curves.values() for case, _ in curve]
    limits = _limits("specified", [p.specified_mbit_per_s for p in every], on)
    yield choice.picture(
        Axis("specified for a sending node, Mbit/s", "log"),
        Axis("goodput of a sending node, Mbit/s", "log"),
        drawn,
        counted([p.carried for p in every]),
        limits,
    )


def capacity(choice: Choice) -> Iterator[Picture]:
    """Draw the trials of a search: what was offered, and what arrived."""
    known = [(case, case.capacity) for case in choice.members if case.capacity]
    curves = [curve for case, found in known for curve in _trials(case, choice.label(case), found)]
    offered = [point.x for curve in curves if not curve.thin for point in curve.points]
    if not offered:
        return
    limits = _limits("offered", offered, [case for case, _ in known])
    of_service = choice.members[0].test in SERVICES
    unit = text.RATE if of_service else text.MBIT
    sentence = "; ".join(
        f"{case.label} "
        f"{text.figure_text(case.sustained, unit) if case.sustained else 'not found'}, "
        f"{of.confirmed} of {of.confirm} trials confirm it"
        for case, of in known
    )
    yield choice.picture(
        Axis("requests, 1/s" if of_service else "offered, Mbit/s", "log"),
        Axis("responses, 1/s" if of_service else "goodput, Mbit/s", "log"),
        curves,
        f"{sentence}.",
        limits,
    )


def _trials(case: CaseSummary, label: Label, found: CapacitySearch) -> Iterator[DrawnCurve]:
    """Yield trials that met the criterion, those that did not, and the rate that was found."""
    name, of_service = case.label, case.test in SERVICES
    trials = [
        (t.shortfall, t.offered_per_s, t.answered_per_s)
        if of_service
        else (t.shortfall, t.offered_mbit_per_s, t.mbit_per_s)
        for t in found.trials
        if t.rate_hz
    ]
    for passed in (True, False):
        points = [
            Point(offered, carried, note=shortfall or "met")
            for shortfall, offered, carried in trials
            if carried and (shortfall is None) == passed
        ]
        legend = name if passed else f"{name}, not met"
        if points:
            yield DrawnCurve(legend, label, points, line=False, hollow=not passed)
    arrived = [carried for *_, carried in trials if carried]
    if arrived and case.sustained:
        ends = [Point(case.sustained.value, end) for end in (min(arrived), max(arrived))]
        yield DrawnCurve(f"{name}, sustained", label, ends, marks=False, thin=True)


def _limits(asked: str, at: Sequence[float], cases: Sequence[CaseSummary]) -> list[Reference]:
    """Return the line on which everything asked for arrives, and capacities across."""
    low, high = min(at, default=1.0), max(at, default=1.0)
    found = [Reference(f"all that is {asked}", "dot", ((low, low), (high, high)), fits_axis=False)]
    for name, attribute, dash in CAPACITIES:
        values = {value for case in cases if (value := getattr(case, attribute))}
        found += [Reference(name, dash, ((low, v), (high, v))) for v in sorted(values)]
    return found


def existing(choice: Choice) -> Iterator[Picture]:
    """Draw discovery over the endpoints that are there already."""
    if len({_existing(case) for case in choice.members}) < 2:
        return
    curves = []
    for label, own in _by_label(choice.members, _existing).items():
        for time, name, dash in FIGURES:
            known = [(_existing(c), f) for c in own if (f := time.figure(c))]
            points = [point(at, figure, look.MICRO * 1e3) for at, figure in known]
            of = choice.label(own[0])
            hollow = time is CREATION_TIME
            curves.append(DrawnCurve(f"{label}, {name}", of, points, hollow=hollow, dash=dash))
    shown = [found for case in choice.members if (found := FIRST_SAMPLE.figure(case))]
    x, y = Axis("existing endpoints"), Axis("time, ms", "log")
    yield choice.picture(x, y, curves, counted(shown))


def _existing(case: CaseSummary) -> int:
    return int(case.params.existing or 0)


def memory(pick: Callable[[CaseSummary], float | None]) -> Draw:
    """Return what draws memory per endpoint over the number of endpoints."""

    def endpoints(case: CaseSummary) -> int:
        return case.whole.counted(MATCHED_ENDPOINTS) or 0

    def draw(choice: Choice) -> Iterator[Picture]:
        if len({endpoints(case) for case in choice.members}) < 2:
            return
        curves = []
        for label, own in _by_label(choice.members, endpoints).items():
            points = [Point(endpoints(case), pick(case) or 0.0) for case in own]
            curves.append(DrawnCurve(label, choice.label(own[0]), points))
        rounds = panels.span_text([case.rounds.ok for case in choice.members])
        yield choice.picture(
            Axis("writers and readers of all participants", "log"),
            Axis("memory per endpoint, MiB", "log"),
            curves,
            f"The most in {rounds} rounds, of all participants together. What they need "
            "without an endpoint is in it, and weighs less the more endpoints there are.",
        )

    return draw
