"""Figures of cases: intervals by case, curves over a number, and heat maps of labels by sizes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import log10

from busmark.analysis.across import dimensions as dim
from busmark.analysis.across.effects import LAYER
from busmark.analysis.across.growth import WORKLOAD
from busmark.analysis.across.spent import is_open
from busmark.analysis.across.standing import Effect
from busmark.analysis.figures import Figure
from busmark.analysis.model import (
    Campaign,
    Capacity,
    CaseSummary,
    DiscoveryGrowth,
    Label,
    Paced,
    SizeFit,
)
from busmark.analysis.words import text
from busmark.present.charts import look, panels, ticks
from busmark.present.charts.panels import Keys
from busmark.present.charts.shapes import (
    Axis,
    Bar,
    Bars,
    Curve,
    Field,
    Heat,
    Part,
    Picture,
    Point,
    Reference,
    across,
    bar,
    point,
    shade,
)
from busmark.report.interop import heat_maps

Pick = Callable[[CaseSummary], Figure | None]
Draw = Callable[[Campaign, Sequence[CaseSummary]], Iterator[Picture]]

MOST_ABOVE = 2.5
"""What lies this many times above the longest bar would squeeze the bars; the caption gives it."""

MOST_NAMED = 4
"""Fits in a caption; tables have all."""

FEWEST_ROWS, FEWEST_COLUMNS = 2, 3
"""Labels and sizes of a heat map: a table shows less than that better."""

PER_BYTE = (text.Scale("ns/B", 1.0),)

RATED, PRACTICAL = "rated capacity of the link", "practical: a plain TCP transfer"

CAPACITIES: tuple[tuple[str, str, look.Dash], ...] = (
    (RATED, "rated_mbit_per_s", "dash"),
    (PRACTICAL, "practical_mbit_per_s", "dashdot"),
)
"""Lines across, the fields they are of, and their dash."""

MAKING_ENDPOINTS = ("topics", "writers", "readers", "publishers", "subscribers", "applications")
"""Parameters by which cases differ in the number of endpoints."""

BOUNDED = ", with 95 % intervals."


def _counted(figures: Sequence[Figure], end: str = BOUNDED) -> str:
    return panels.counts_text([f.rounds for f in figures], [f.count for f in figures]) + end


def _by_label(cases: Iterable[CaseSummary]) -> dict[str, list[CaseSummary]]:
    found: dict[str, list[CaseSummary]] = {}
    for case in cases:
        found.setdefault(case.label, []).append(case)
    return found


# Intervals by case


def intervals(
    pick: Pick, unit: str, factor: float = 1.0, *, capacities: bool = False, mark: str = "",
    mark_of: Callable[[CaseSummary], float | None] = lambda case: None,
) -> Callable[[Campaign, Sequence[CaseSummary]], Iterator[Bars]]:  # fmt: skip
    """Return what draws one figure as bars with their intervals, `factor` of which are one of the
    `unit` of the axis; the floor is among them.

    Args:
        unit: title of the axis, with the unit behind its last comma.
        capacities: whether capacities of links are lines across all bars.
        mark: the legend's word for what each bar is to be compared with; `mark_of` gives it.
    """
    scales = (text.Scale(_unit(unit), factor),)

    def row(campaign: Campaign, case: CaseSummary, figure: Figure) -> Bar:
        label, note = look.label_of(campaign, case), text.figure_text(figure, scales)
        return bar(label, figure, factor, note=note, mark=mark_of(case))

    def draw(campaign: Campaign, cases: Sequence[CaseSummary]) -> Iterator[Bars]:
        for keys, members in panels.split(cases, panels.where):
            known = [(case, figure) for case in members if (figure := pick(case))]
            figures = [figure for _, figure in known]
            best = max(figure.value for figure in figures)
            bounded = any(f.low is not None for f in figures)
            rows = [row(campaign, case, figure) for case, figure in known]
            lines, beyond = [], ""
            for name, dash, at in _shared_capacities(members) if capacities else ():
                if at <= MOST_ABOVE * best / factor:
                    lines.append(Reference(name, dash, ((at, 0.0), (at, 0.0))))
                else:
                    beyond += f" Beyond the axis: {name}, {text.number(at)} {_unit(unit)}."
            floor = panels.floor_of(campaign, members[0])
            limit = pick(floor) if floor else None
            if floor and limit and limit.value <= MOST_ABOVE * best:
                rows.append(row(campaign, floor, limit))
            elif floor and limit:
                beyond += f" Beyond the axis: {floor.label}, {text.figure_text(limit, scales)}."
            yield Bars(
                keys, members, Axis(unit, from_zero=True), rows,
                _counted(figures, BOUNDED if bounded else ".") + beyond,
                mark=mark if any(each.mark is not None for each in rows) else "",
                references=[across(line, len(rows)) for line in lines],
            )  # fmt: skip

    return draw


def _unit(title: str) -> str:
    return title.rpartition(", ")[2]


def _shared_capacities(members: Sequence[CaseSummary]) -> Iterator[tuple[str, look.Dash, float]]:
    """Yield the capacities of the links that all cases share."""
    for name, attribute, dash in CAPACITIES:
        values = {getattr(c.throughput, attribute) for c in members if c.throughput}
        limit = values.pop() if len(values) == 1 else None
        if limit is not None:
            yield name, dash, limit


def specified(case: CaseSummary) -> float | None:
    """Return the goodput that was specified; nothing at full speed. In both directions at once the
    bar counts both, the specification one: not to be compared."""
    paced = panels.paced(case)
    comparable = paced and case.goodput and case.goodput.value == paced.carried.value
    return paced.specified_mbit_per_s if paced and comparable else None


def medians(campaign: Campaign, cases: Sequence[CaseSummary]) -> Iterator[Bars]:
    """Draw the median of each case with its interval, and below it the median of each round."""
    for keys, members in panels.split(cases, panels.where):
        rows, halves = [], [case.rtt_2 for case in members if case.rtt_2]
        for case, half in zip(members, halves, strict=True):
            rounds = case.series.medians if case.series else None
            assert rounds  # by the choice of the cases
            parts = [
                Part(value / look.MICRO, f"round {number}")
                for number, value in zip(rounds.rounds, rounds.values, strict=True)
            ]
            median, label = half.median, look.label_of(campaign, case)
            note = f"{text.figure_text(median)}, estimate"
            rows.append(bar(label, median, look.MICRO, note=note, parts=parts))
        told = panels.counts_text([h.median.rounds for h in halves], [h.count for h in halves])
        floor = panels.floor_of(campaign, members[0])
        if floor and floor.rtt_2:
            told += f". Not drawn: {floor.label}, {text.figure_text(floor.rtt_2.median)}"
        bounded = any(row.low is not None for row in rows)
        yield Bars(
            keys, members, Axis("median RTT/2, µs", "log"), rows, f"{told}.",
            value="estimate and 95 % interval" if bounded else "estimate",
            part="median of one round",
        )  # fmt: skip


# Curves over the size of the body


def over_size(
    pick: Pick, unit: str, factor: float = 1.0, *, fitted: bool = False, bars: bool = False
) -> Draw:
    """Return what draws one figure over the size, `factor` of which are one of the `unit` of its
    axis.

    Args:
        fitted: whether a line overhead + slope · size goes with it.
        bars: whether there are bars of it, which show cases of one size.
    """
    scales = (text.Scale(_unit(unit), factor),)

    def draw(campaign: Campaign, cases: Sequence[CaseSummary]) -> Iterator[Picture]:
        for keys, members in panels.split(cases, lambda case: panels.where(case, size=False)):
            sizes = len({case.size for case in members})
            if sizes < (1 if bars else 2):
                continue
            floors, beyond = _floors(campaign, members, pick, scales)
            curves = []
            for name, own in _by_label([*members, *floors]).items():
                known = sorted((case.size or 0, i) for i, case in enumerate(own) if pick(case))
                points = [point(at, f, factor) for at, i in known if (f := pick(own[i]))]
                curves.append(Curve(name, look.label_of(campaign, own[0]), points))
            here = {case.id for case in members}
            fits = [fit for fit in campaign.fits if fitted and set(fit.cases) <= here]
            figures = [figure for case in members if (figure := pick(case))]
            yield Picture(
                keys, members, Axis("size of the body", "sizes"), Axis(unit, "log"),
                [*curves, *(_line(campaign, fit) for fit in fits)],
                f"{_counted(figures)}{_formulas(fits)}{beyond}", also_linear=sizes > 1,
                as_bars=sizes < 2,
            )  # fmt: skip

    return draw


def _floors(
    campaign: Campaign, members: Sequence[CaseSummary], pick: Pick, scales: Sequence[text.Scale]
) -> tuple[list[CaseSummary], str]:
    """Return cases of the null adapter to draw, or a sentence about them."""
    nearest = dict.fromkeys(case.floor.case for case in members if case.floor)
    known = [(floor, figure) for case in nearest if (figure := pick(floor := campaign.case(case)))]
    if not known:
        return [], ""
    own = sorted(figure.value for _, figure in known)
    values = [figure.value for case in members if (figure := pick(case))]
    if panels.near(own, values):
        return [floor for floor, _ in known], ""
    where, scale = "Above" if own[-1] > max(values) else "Below", text.scale_for(own, scales)
    ends = dict.fromkeys(text.number(value / scale.factor) for value in (own[0], own[-1]))
    return [], f" {where} the axis: {known[0][0].label}, {' to '.join(ends)} {scale.unit}."


def _line(campaign: Campaign, fit: SizeFit) -> Curve:
    label = look.label_of(campaign, campaign.case(fit.cases[0]))
    pairs = zip(fit.at_bytes, fit.value_ns, strict=True)
    points = [Point(size, at / look.MICRO, note=_formula(fit)) for size, at in pairs]
    return Curve(f"{label.text}, line", label, points, marks=False, thin=True, dash="solid")


def _formulas(fits: Sequence[SizeFit]) -> str:
    parts = [f"{fit.label} {_formula(fit)}" for fit in fits[:MOST_NAMED]]
    if len(fits) > MOST_NAMED:
        parts.append(f"{len(fits) - MOST_NAMED} more are drawn")
    return f" Lines, overhead + slope · size: {'; '.join(parts)}." if parts else ""


def _formula(fit: SizeFit) -> str:
    return (
        f"{text.figure_text(fit.overhead)} + {text.figure_text(fit.slope, PER_BYTE)} "
        f"(sizes depart from it by {text.percent_text(fit.departure)})"
    )


def layers(unit: str, pick: Callable[[Effect], Figure | None]) -> Draw:
    """Return what draws a figure through a layer over the same of the library alone."""

    def draw(campaign: Campaign, cases: Sequence[CaseSummary]) -> Iterator[Picture]:
        effects = {e.versus.case: e for e in campaign.effects if e.parameter == LAYER}
        ratios = {case: f for case, e in effects.items() if (f := pick(e)) and not is_open(f)}
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


# Curves over load


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
            f"{_counted([p.carried for p in every])} What leaves one sending node: of both "
            "directions one, of several readers all; in a mesh what all send together.",
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
        told = "; ".join(
            f"{case.label} "
            f"{text.figure_text(of.sustained, text.MBIT) if of.sustained else 'not found'}, "
            f"{of.confirmed} of {of.confirm} trials confirm it"
            for case, of in known
        )
        yield Picture(
            keys, members,
            Axis("offered, Mbit/s", "log"), Axis("goodput, Mbit/s", "log"), curves,
            f"{told}. Vertical: the greatest rate that was sustained.",
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


# Curves over the number of endpoints


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
            curves, _counted(shown) + _power_laws(campaign, members),
        )  # fmt: skip


FIGURES: tuple[tuple[str, str, look.Dash], ...] = (
    ("first_sample", "first sample", "solid"),
    ("creation", "creation", "dot"),
)
"""Fields of `Discovery`, their name in a legend, and their dash."""


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
    told = ""
    if laws:
        told += (
            " As a power of the number of endpoints (without the case of none) the time to the "
            f"first sample has the exponents (0: the number does not matter): {'; '.join(laws)}."
        )
    if others:
        told += f" No power law describes it for: {'; '.join(others)}."
    return told


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


# Heat maps


def overview(
    what: str, pick: Pick, scales: Sequence[text.Scale], *, more_is_better: bool = False
) -> Callable[[Campaign, Sequence[CaseSummary]], Iterator[Heat]]:
    """Return what draws the map of one figure, which the caption calls `what`: a row for each
    label, a column for each size."""

    def draw(campaign: Campaign, cases: Sequence[CaseSummary]) -> Iterator[Heat]:
        labels, sizes = {case.label for case in cases}, {case.size for case in cases}
        if len(labels) < FEWEST_ROWS or len(sizes) < FEWEST_COLUMNS:
            return
        by_key: dict[Keys, list[CaseSummary]] = {}
        for case in cases:
            by_key.setdefault(panels.where(case, size=False), []).append(case)
        for keys, members in by_key.items():
            if len(members) > 1:
                yield heat(keys, members)

    def heat(keys: Keys, members: Sequence[CaseSummary]) -> Heat:
        sizes = sorted({case.size for case in members if case.size is not None})
        known: Mapping[tuple[str, int | None], tuple[str, Figure]] = {
            (case.label, case.size): (case.id, f) for case in members if (f := pick(case))
        }
        figures = [figure for _, figure in known.values()]
        positive = [figure.value for figure in figures if figure.value > 0]

        def field(label: str, size: int) -> Field | None:
            if (label, size) not in known:
                return None
            case, figure = known[label, size]
            place = shade(figure.value, positive, more_is_better=more_is_better)
            note = f"{label}, {text.size_text(size)}: {text.figure_text(figure, scales)}"
            scale = text.scale_for([figure.value], scales)
            unit = f" {scale.unit}" if len(scales) > 1 else ""
            return Field(f"{text.value_text(figure, scale)}{unit}", place, note, case=case)

        rows = [(label, [field(label, size) for size in sizes])
                for label in sorted({case.label for case in members})]  # fmt: skip
        told = f"{what} of {text.plural(len(known), 'case')}; {_counted(figures, '.')}"
        marks = [(shade(mark, positive, more_is_better=more_is_better), name)
                 for mark, name in _marks(positive, scales)]  # fmt: skip
        return Heat(
            keys, members, "size of the body", [text.size_text(size) for size in sizes], "", rows,
            f"{told} Light: the best.", marks,
        )  # fmt: skip

    return draw


def _marks(values: Sequence[float], scales: Sequence[text.Scale]) -> list[tuple[float, str]]:
    """Return 1, 2 and 5 of every decade, or where these are too few both ends; as values and not as
    logarithms."""
    if not values:
        return []
    low, high = min(values), max(values)
    steps = (1, 2, 5) if high / low < 300 else (1,)
    decades = range(int(log10(low)) - 1, int(log10(high)) + 2)
    marks = [step * 10.0**decade for decade in decades for step in steps]
    within = [mark for mark in marks if low <= mark <= high]
    found = []
    for mark in within if len(within) > 1 else (low, high):
        scale = text.scale_for([mark], scales)
        found.append((mark, f"{ticks.plain(float(f'{mark / scale.factor:.3g}'))} {scale.unit}"))
    return found


def pairs(what: str) -> Callable[[Campaign, Sequence[CaseSummary]], Iterator[Heat]]:
    """Return what draws one figure of every interoperability matrix: a row for each writer, a
    column for each reader."""

    def draw(campaign: Campaign, cases: Sequence[CaseSummary]) -> Iterator[Heat]:
        for found in heat_maps(campaign):
            fields = [field for _, row in found.rows for field in row if field]
            known = {field.case for field in fields if field.text != text.ABSENT}
            members = [case for case in campaign.cases if case.id in known]
            if members and found.id.startswith(f"interop-{what}-"):
                quantity, _, workload = found.title.rpartition(": ")
                told = f"{quantity}. {found.note} {len(fields)} pairs. Light: the best; dark: the "
                yield Heat(
                    (("Workload", workload),), members, "reader", found.names, "writer",
                    found.rows, f"{told}worst; grey: no figure.",
                )  # fmt: skip

    return draw
