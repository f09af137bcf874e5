"""Figures of cases over a number: the size of the body, the load, the number of endpoints."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from busmark.compare.campaign import Campaign
from busmark.compare.effects import LAYER, Effect
from busmark.compare.fits import WORKLOAD, DiscoveryGrowth, SizeFit
from busmark.estimate.capacity import Capacity
from busmark.estimate.case import CaseSummary
from busmark.estimate.throughput import Paced
from busmark.model import naming as dim
from busmark.model import text
from busmark.model.figure import Figure
from busmark.model.naming import Label
from busmark.present.charts import look, panels
from busmark.present.charts.cases import BOUNDED, CAPACITIES, Pick, counted
from busmark.present.charts.panels import Keys
from busmark.present.charts.shapes import Axis, Curve, Picture, Point, Reference, point

Draw = Callable[[Campaign, Sequence[CaseSummary]], Iterator[Picture]]

MOST_NAMED = 4
"""Fits in a caption; tables have all."""

MAKING_ENDPOINTS = ("topics", "writers", "readers", "publishers", "subscribers", "applications")
"""Parameters by which cases differ in the number of endpoints."""

FIGURES: tuple[tuple[str, str, look.Dash], ...] = (
    ("first_sample", "first sample", "solid"),
    ("creation", "creation", "dot"),
)
"""Fields of `Discovery`, their name in a legend, and their dash."""


def _by_label(cases: Iterable[CaseSummary]) -> dict[str, list[CaseSummary]]:
    found: dict[str, list[CaseSummary]] = {}
    for case in cases:
        found.setdefault(case.label, []).append(case)
    return found


def over_size(
    pick: Pick, unit: str, factor: float = 1.0, *, fitted: bool = False, bars: bool = False
) -> Draw:
    """Return what draws one figure over the size, `factor` of which are one of the `unit` of its
    axis.

    Args:
        fitted: whether a line overhead + slope · size goes with it.
        bars: whether there are bars of it, which show cases of one size.
    """

    def draw(campaign: Campaign, cases: Sequence[CaseSummary]) -> Iterator[Picture]:
        for keys, members in panels.split(cases, lambda case: panels.where(case, size=False)):
            sizes = len({case.size for case in members})
            if sizes < (1 if bars else 2):
                continue
            curves = []
            for name, own in _by_label([*members, *_floors(campaign, members, pick)]).items():
                known = sorted((case.size or 0, i) for i, case in enumerate(own) if pick(case))
                points = [point(at, f, factor) for at, i in known if (f := pick(own[i]))]
                curves.append(Curve(name, look.label_of(campaign, own[0]), points))
            here = {case.id for case in members}
            fits = [fit for fit in campaign.fits if fitted and set(fit.cases) <= here]
            figures = [figure for case in members if (figure := pick(case))]
            yield Picture(
                keys, members, Axis("size of the body", "sizes"), Axis(unit, "log"),
                [*curves, *(_line(campaign, fit) for fit in fits)],
                f"{counted(figures)}{' Thin: overhead + slope · size.' if fits else ''}",
                also_linear=sizes > 1, as_bars=sizes < 2,
            )  # fmt: skip

    return draw


def _floors(
    campaign: Campaign, members: Sequence[CaseSummary], pick: Pick
) -> list[CaseSummary]:  # fmt: skip
    """Return the cases of the null adapter, unless they are far from the others."""
    nearest = dict.fromkeys(case.floor.case for case in members if case.floor)
    known = [(floor, figure) for case in nearest if (figure := pick(floor := campaign.case(case)))]
    values = [figure.value for case in members if (figure := pick(case))]
    is_near = known and panels.near([figure.value for _, figure in known], values)
    return [floor for floor, _ in known] if is_near else []


def _line(campaign: Campaign, fit: SizeFit) -> Curve:
    label = look.label_of(campaign, campaign.case(fit.cases[0]))
    pairs = zip(fit.at_bytes, fit.value_ns, strict=True)
    points = [Point(size, at / look.MICRO) for size, at in pairs]
    return Curve(f"{label.text}, line", label, points, marks=False, thin=True, dash="solid")


def layers(unit: str, pick: Callable[[Effect], Figure | None]) -> Draw:
    """Return what draws a figure through a layer over the same of the library alone."""

    def draw(campaign: Campaign, cases: Sequence[CaseSummary]) -> Iterator[Picture]:
        effects = {e.versus.case: e for e in campaign.effects if e.parameter == LAYER}
        ratios = {case: f for case, e in effects.items() if (f := pick(e))}
        for keys, members in panels.split(cases, lambda case: panels.where(case, size=False)):
            known = [case for case in members if case.id in ratios]
            sizes = sorted({case.size or 0 for case in known})
            if len(sizes) < 2:
                continue
            curves = []
            for label, own in _by_label(known).items():
                own.sort(key=lambda case: case.size or 0)
                name = f"{label}, over {effects[own[0].id].reference}"
                points = [point(case.size or 0, ratios[case.id]) for case in own]
                curves.append(Curve(name, look.label_of(campaign, own[0]), points))
            rounds = panels.span_text([ratios[case.id].rounds for case in known])
            yield Picture(
                keys, known, Axis("size of the body", "sizes"), Axis(unit), curves,
                f"{rounds} rounds of each, interleaved{BOUNDED}",
                [Reference("the library alone", "dot", ((sizes[0], 1.0), (sizes[-1], 1.0)))],
            )  # fmt: skip

    return draw


def ascent(campaign: Campaign, cases: Sequence[CaseSummary]) -> Iterator[Picture]:
    """Draw goodput over the specified rate: a curve for each label and topology."""
    if not panels.is_ascent(cases):
        return
    for keys, members in panels.split(cases, panels.on_links):
        curves: dict[tuple[str, str], list[tuple[CaseSummary, Paced]]] = {}
        for case in members:
            if paced := panels.paced(case):
                curves.setdefault((case.label, panels.topology(case)), []).append((case, paced))
        topologies = list(dict.fromkeys(topology for _, topology in curves))
        every = [paced for curve in curves.values() for _, paced in curve]
        yield Picture(
            keys, members,
            Axis("specified, Mbit/s", "log"), Axis("goodput, Mbit/s", "log"),
            [
                Curve(
                    f"{label}, {topology}", look.label_of(campaign, curve[0][0]),
                    [point(paced.specified_mbit_per_s, paced.carried,
                           note=f"{case.params.rate_hz:g} /s of {text.size_text(case.size)}")
                     for case, paced in sorted(curve, key=lambda e: e[1].specified_mbit_per_s)],
                    hollow=bool(topologies.index(topology) % 2),
                    dash=look.DASHES[topologies.index(topology) % len(look.DASHES)],
                )
                for (label, topology), curve in curves.items()
            ],
            counted([p.carried for p in every]),
            _limits("specified", [p.specified_mbit_per_s for p in every], every),
        )  # fmt: skip


def capacity(campaign: Campaign, cases: Sequence[CaseSummary]) -> Iterator[Picture]:
    """Draw the trials of a search: what was offered, and what arrived."""
    for keys, members in panels.split(cases, panels.where):
        known = [(case, case.capacity) for case in members if case.capacity]
        curves = [
            curve for case, found in known
            for curve in _trials(case.label, look.label_of(campaign, case), found)
        ]  # fmt: skip
        offered = [point.x for curve in curves if not curve.thin for point in curve.points]
        if not offered:
            continue
        sentence = "; ".join(
            f"{case.label} "
            f"{text.figure_text(of.sustained, text.MBIT) if of.sustained else 'not found'}, "
            f"{of.confirmed} of {of.confirm} trials confirm it"
            for case, of in known
        )
        yield Picture(
            keys, members,
            Axis("offered, Mbit/s", "log"), Axis("goodput, Mbit/s", "log"), curves,
            f"{sentence}.",
            _limits("offered", offered, [found for _, found in known]),
        )  # fmt: skip


def _trials(name: str, label: Label, found: Capacity) -> Iterator[Curve]:
    """Yield trials that met the criterion, those that did not, and the rate that was found."""
    trials = [t for t in found.trials if t.rate_hz and t.mbit_per_s]
    for passed in (True, False):
        points = [
            Point(t.offered_mbit_per_s, t.mbit_per_s or 0.0, note=t.shortfall or "met")
            for t in trials if (t.shortfall is None) == passed
        ]  # fmt: skip
        legend = name if passed else f"{name}, not met"
        if points:
            yield Curve(legend, label, points, line=False, hollow=not passed)
    carried = [t.mbit_per_s for t in trials if t.mbit_per_s]
    if found.sustained and carried:
        at = found.sustained.value
        ends = [Point(at, min(carried)), Point(at, max(carried))]
        yield Curve(f"{name}, sustained", label, ends, marks=False, thin=True)


def _limits(asked: str, at: Sequence[float], known: Sequence[Paced | Capacity]) -> list[Reference]:
    """Return the line on which everything asked for arrives, and capacities across."""
    low, high = min(at, default=1.0), max(at, default=1.0)
    found = [Reference(f"all that is {asked}", "dot", ((low, low), (high, high)), fits_axis=False)]
    for name, attribute, dash in CAPACITIES:
        values = {value for each in known if (value := getattr(each, attribute))}
        found += [Reference(name, dash, ((low, v), (high, v))) for v in sorted(values)]
    return found


def existing(campaign: Campaign, cases: Sequence[CaseSummary]) -> Iterator[Picture]:
    """Draw discovery over the endpoints that are there already."""
    for keys, members in panels.split(cases, _but(WORKLOAD.capitalize())):
        if len({_existing(case) for case in members}) < 2:
            continue
        curves = []
        for label, own in _by_label(members).items():
            own.sort(key=_existing)
            for field, name, dash in FIGURES:
                known = [(_existing(c), f) for c in own if (f := getattr(c.discovery, field))]
                points = [point(at, figure, look.MICRO * 1e3) for at, figure in known]
                of = look.label_of(campaign, own[0])
                hollow = field == "creation"
                curves.append(Curve(f"{label}, {name}", of, points, hollow=hollow, dash=dash))
        shown = [case.first_sample for case in members if case.first_sample]
        yield Picture(
            keys, members, Axis("endpoints that are there already"), Axis("time, ms", "log"),
            curves, counted(shown) + _power_laws(campaign, members),
        )  # fmt: skip


def _existing(case: CaseSummary) -> int:
    return case.discovery.existing if case.discovery else 0


def _but(*names: str) -> Callable[[CaseSummary], Keys]:
    """Return what gives the keys that cases of one chart share: all but these."""
    return lambda case: tuple(key for key in panels.where(case) if key[0] not in names)


def _power_laws(campaign: Campaign, members: Sequence[CaseSummary]) -> str:
    """Return the power laws in words, and the cases that follow none."""
    here = {case.id for case in members}
    fits = [g for g in campaign.growths if g.figure == "first_sample" and set(g.cases) <= here]
    laws = [f"{g.label} {_exponent(g.exponent)}" for g in fits if g.exponent][:MOST_NAMED]
    others = [_departing(g) for g in fits if not g.exponent][:MOST_NAMED]
    sentence = ""
    if laws:
        sentence += (
            " As a power of the number of endpoints (without the case of none) the time to the "
            f"first sample has the exponents (0: the number does not matter): {'; '.join(laws)}."
        )
    if others:
        sentence += f" No power law describes it for: {'; '.join(others)}."
    return sentence


def _departing(growth: DiscoveryGrowth) -> str:
    factor = growth.farthest_factor
    if factor is None or growth.farthest is None:
        return growth.label
    return f"{growth.label} (at {growth.farthest} {text.number(factor)} times the line through all)"


def _exponent(figure: text.Interval) -> str:
    if figure.low is None or figure.high is None:
        return text.number(figure.value)
    return f"{text.number(figure.value)} [{text.number(figure.low)}, {text.number(figure.high)}]"


def memory(pick: Callable[[CaseSummary], float | None]) -> Draw:
    """Return what draws memory per endpoint over the number of endpoints."""

    def endpoints(case: CaseSummary) -> int:
        return case.meeting.endpoints if case.meeting else 0

    def draw(campaign: Campaign, cases: Sequence[CaseSummary]) -> Iterator[Picture]:
        keys_of = _but(*(dim.title(name).capitalize() for name in MAKING_ENDPOINTS))
        for keys, members in panels.split(cases, keys_of):
            if len({endpoints(case) for case in members}) < 2:
                continue
            curves = []
            for label, own in _by_label(members).items():
                points = [Point(endpoints(c), pick(c) or 0.0) for c in sorted(own, key=endpoints)]
                curves.append(Curve(label, look.label_of(campaign, own[0]), points))
            rounds = panels.span_text([case.rounds.ok for case in members])
            yield Picture(
                keys, members, Axis("writers and readers of all participants", "log"),
                Axis("memory per endpoint, MiB", "log"), curves,
                f"The most in {rounds} rounds, of all participants together. What they need "
                "without an endpoint is in it, and weighs less the more endpoints there are.",
            )  # fmt: skip

    return draw
