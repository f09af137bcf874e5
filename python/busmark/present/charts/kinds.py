"""The kinds of charts: a row for each, in the order in which they are shown.

A row has the name, the title and the explanation of a kind, which cases are in it, and what draws
it: a function of `cases`, `sweeps`, `distributions`, `times` or `pairs`, with the figure or the
series and its axes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any

from busmark.compare.campaign import Campaign
from busmark.compare.effects import LAYER
from busmark.compare.fits import WORKLOAD
from busmark.compare.rounds import CPU
from busmark.model import text
from busmark.model.case import CaseSummary
from busmark.model.entry import EXCHANGES, SEARCHES
from busmark.model.figure import Figure
from busmark.model.quantities import GOODPUT, JITTER_SHARE
from busmark.model.quantities.discovery import FIRST_SAMPLE
from busmark.model.quantities.host import MEMORY_PER_ENDPOINT
from busmark.model.quantities.latency import HALF_ROUND_TRIP, JITTER, RESPONSE_TIME
from busmark.model.quantities.parts import MATCHED_ENDPOINTS
from busmark.plugin import attempt, parts
from busmark.present.charts import cases, distributions, pairs, panels, sweeps, times
from busmark.present.charts.distributions import MEASURES, ChartMeasure, OfMeasure
from busmark.present.charts.look import MICRO
from busmark.present.charts.panels import Choice, Draw
from busmark.present.charts.shapes import Axis, Bars, Boxes, Heat, Keys, Picture, Shape


@dataclass(frozen=True, slots=True)
class ChartPlace:
    """A place on the page that has several charts to choose from."""

    id: str
    title: str
    keys: Keys = ()
    """Keys by which this chart is chosen."""


@dataclass(frozen=True, slots=True)
class ChartKind:
    """A kind of chart."""

    key: str
    """Its name in files, and on the page."""
    title: str
    test: str
    needs: str
    """Requirement of the chart on a campaign, for the list of charts that were left out."""
    has: Callable[[CaseSummary], object]
    """Whether a case is in the chart."""
    draw: Draw
    _: KW_ONLY
    explanation: str = ""
    """Facts that neither axes, legend nor caption state."""
    by: Callable[[CaseSummary], Keys] = panels.where
    """Keys that cases in one chart have in common."""
    shape: type[Shape] = Picture
    place: ChartPlace | None = None
    """Place on the page; None: one of its own."""
    of_series: bool = False
    """Whether the chart shows points of samples, for which the page has room only in a limited
    number of cases."""
    figures: tuple[str, ...] = ()
    """Figures that it shows of a case, by the names that rules of findings have for figures; empty:
    all. Findings on other figures are not shown with it."""
    by_case: bool = False
    """Whether it shows distributions of single cases, which the workbook does not draw."""

    def cases(self, campaign: Campaign) -> list[CaseSummary]:
        """Return those in it, in the order of the tables."""
        return [case for case in panels.measured(campaign, self.test) if self.has(case)]

    def shapes(
        self, campaign: Campaign, cases: Sequence[CaseSummary], *, page: bool = False
    ) -> Iterator[Any]:
        """Yield the shapes of these cases, one for each choice of them; boxes on a `page` one for
        each case."""
        by = panels.of_one if page and self.shape is Boxes else self.by
        # The rows of a heat map are not too many for the eye.
        most = len(cases) if self.shape is Heat else panels.MOST_CURVES
        for keys, members in panels.split(cases, by, most):
            yield from self.draw(Choice(campaign, keys, members))


MEDIANS = ("median", "latency", "rounds")
"""Names of figures that findings on medians concern."""

GOODPUTS = (GOODPUT.key, "rounds")
"""Names of figures that findings on goodput concern."""

PLACES = {
    "latency": ("latency-distribution", "Latency distribution"),
    "throughput": ("probe-distribution", "Latency distribution under load"),
    "service": ("response-distribution", "Distribution of response times"),
}
"""Place on the page for everything about a distribution, by test."""

PERCENT = Axis("share of samples sent, at or below, %", ends=(0.0, 100.0))


def _place(measure: ChartMeasure, choice: str) -> ChartPlace:
    of = "jitter" if measure.is_jitter else "latency"
    return ChartPlace(*PLACES[measure.test], (("Plot", choice), ("Of", of)))


def _distributions(
    name: str,
    title: str,
    choice: str,
    explanation: str,
    draw: OfMeasure,
    has: Callable[[ChartMeasure, CaseSummary], object] = ChartMeasure.shape,
    measures: Sequence[ChartMeasure] = MEASURES,
) -> Iterator[ChartKind]:
    """Yield a kind for each quantity; `choice` is its name in the selector of the page."""
    for measure in measures:
        yield ChartKind(
            f"{measure.name}-{name}",
            f"{measure.title}: {title}",
            measure.test,
            measure.needs,
            partial(has, measure),
            partial(draw, measure),
            explanation=explanation,
            of_series=True,
            place=_place(measure, choice),
            by_case=True,
        )


def _boxes(measure: ChartMeasure) -> ChartKind:
    return ChartKind(
        f"{measure.name}-rounds",
        f"{measure.title}: round by round",
        measure.test,
        measure.needs,
        measure.boxes,
        partial(distributions.boxes, measure),
        shape=Boxes,
        of_series=True,
        place=_place(measure, "by round"),
    )


def _over_size(
    key: str,
    title: str,
    test: str,
    pick: cases.Pick,
    unit: str,
    factor: float = 1.0,
    *,
    explanation: str = "",
    fitted: bool = False,
    name: str = "",
) -> ChartKind:
    """Return the chart of one figure over the size; `name` is for the selector of the page, where
    it is one of several in a place."""
    return ChartKind(
        key,
        title,
        test,
        f"{test} cases of two sizes or more that are alike otherwise",
        lambda case: pick(case) and case.size is not None,
        sweeps.over_size(pick, unit, factor, fitted=fitted),
        explanation=explanation,
        by=panels.all_but("Size"),
        place=ChartPlace("latency-size", "Latency against size", (("Of", name),)) if name else None,
        figures=MEDIANS if test in EXCHANGES else GOODPUTS,
    )


def _heat(
    key: str,
    test: str,
    what: str,
    pick: cases.Pick,
    scales: Sequence[text.UnitScale],
    *,
    more_is_better: bool = False,
) -> ChartKind:
    return ChartKind(
        key,
        f"{text.upper_first(what)}, all cases",
        test,
        f"{test} cases of {cases.FEWEST_ROWS} middlewares and {cases.FEWEST_COLUMNS} sizes or more",
        lambda case: pick(case) and case.size is not None,
        cases.overview(what, pick, scales, more_is_better=more_is_better),
        by=panels.all_but("Size"),
        shape=Heat,
        figures=MEDIANS if test in EXCHANGES else GOODPUTS,
    )


def _layer(key: str, title: str, unit: str, pick: Any, name: str) -> ChartKind:
    return ChartKind(
        key,
        f"What the layer costs: {title}",
        "latency",
        "latency cases of two sizes or more, through a layer and by its library alone",
        lambda case: case.size is not None and case.rtt_2,
        sweeps.layers(unit, pick),
        by=panels.all_but("Size"),
        place=ChartPlace(LAYER, "Ratio against size", (("Of", name),)),
        figures=MEDIANS,
    )


def _timeline(
    key: str,
    title: str,
    explanation: str,
    needs: str,
    of: str,
    quantity: str,
    test: str = "latency",
) -> ChartKind:
    return ChartKind(
        key,
        f"{title} over time",
        test,
        needs,
        lambda case: case.curves("detail", quantity),
        times.timeline(quantity),
        by=panels.of_one,
        explanation=explanation,
        of_series=True,
        by_case=True,
        place=ChartPlace(f"{test}-time", f"{title} over time", (("Of", of),))
        if test != "latency"
        else ChartPlace("latency-time", "Latency over time", (("Of", of),)),
    )


def _resources(test: str, title: str) -> ChartKind:
    return ChartKind(
        f"{test}-resources",
        title,
        test,
        f"{test} cases with counters of the system",
        lambda case: case.curves("timeline", scope="participant"),
        times.resources,
        by=panels.of_one,
        by_case=True,
        explanation="Each participant with its child processes. User and kernel together are "
        "exact, each alone to 10 ms. Before 0 is the warm-up.",
        of_series=True,
        figures=("cpus_used",) if test in EXCHANGES else ("cpus_used", "goodput_mbit_per_s"),
    )


def _median(of: Any) -> cases.Pick:
    return lambda case: found.median if (found := of.in_case(case)) else None


def _ranked_one_way(case: CaseSummary) -> Figure | None:
    found = case.headline
    return found.figure if found and found.kind == "one_way" else None


def _goodput(case: CaseSummary) -> Figure | None:
    return GOODPUT.figure(case)


CHANGE = "IPDV: the change from a sample to the next, with its sign; jitter: its magnitude."

CHARTS: tuple[ChartKind, ...] = (
    _layer("layer-latency", "latency", "ratio of median RTT/2",
           lambda effect: effect.versus.ratio, "latency"),
    _layer("layer-cpu", "CPU", "ratio of CPU time per sample",
           lambda effect: effect.spent.get(CPU.name), "CPU time per sample"),
    ChartKind(
        "one-way", "Median one-way latency", "throughput",
        "throughput cases that are ranked by latency (`answer`), and lose less than half",
        _ranked_one_way,
        cases.intervals(_ranked_one_way, "median one-way latency, µs", MICRO), shape=Bars,
        figures=MEDIANS,
    ),
    ChartKind(
        "goodput", "Goodput", "throughput",
        "throughput cases with a counted round", _goodput,
        cases.intervals(_goodput, "goodput, Mbit/s", capacities=True, mark="specified",
                        mark_of=cases.specified), shape=Bars, figures=GOODPUTS,
    ),
    _over_size("latency-size", "Latency against size", "latency", _median(HALF_ROUND_TRIP),
               "median RTT/2, µs", MICRO, fitted=True, name="latency"),
    _over_size("jitter-size", "Jitter against size", "latency", _median(JITTER),
               "median |jitter| of RTT/2, µs", MICRO, explanation=CHANGE, name="jitter"),
    _over_size("jitter-share-size", "Jitter relative to latency, against size", "latency",
               JITTER_SHARE.figure, "median |jitter| / median RTT/2, %", 0.01,
               explanation=CHANGE, name="jitter relative to latency"),
    _over_size("response-size", "Response time against size", "service", _median(RESPONSE_TIME),
               "median response time, µs", MICRO),
    _over_size("goodput-size", "Goodput against size", "throughput", _goodput, "goodput, Mbit/s"),
    ChartKind(
        "throughput-ascent", "Goodput against the specified rate", "throughput",
        f"throughput cases at {sweeps.FEWEST_RATES} rates or more", panels.paced, sweeps.ascent,
        by=panels.on_links, figures=GOODPUTS,
        explanation="Goodput of one sending node: with both directions at once, of one of them; "
        "with several readers, of all together; in a mesh, of all senders.",
    ),
    *(
        ChartKind(
            f"{test}-trials", "Trials of the search for capacity", test,
            f"cases of the test {test} with a finished trial", lambda case: case.capacity,
            sweeps.capacity,
        )
        for test in SEARCHES
    ),
    *(kind for of, make in parts(lambda plugin: (plugin.charts,) if plugin.charts else ())
      for kind in attempt(of, make) or ()),
    ChartKind(
        "discovery-existing", "Discovery against existing endpoints", "discovery",
        "discovery cases at two numbers of existing endpoints or more",
        FIRST_SAMPLE.figure, sweeps.existing,
        by=panels.all_but(WORKLOAD.capitalize()), figures=("first_sample", "rounds"),
    ),
    ChartKind(
        "endpoints-discovered", "Endpoints discovered over time", "throughput",
        "streams with three endpoints or more, of adapters that count matches, on one clock",
        lambda case: case.whole.value(MATCHED_ENDPOINTS), times.endpoints, figures=("discovery",),
        explanation="The median over rounds of the time at which this many were discovered. "
        "Before 0 endpoints were still being created.",
    ),
    ChartKind(
        "memory-endpoints", "Memory per endpoint", "throughput",
        "streams with two numbers of endpoints or more, three at least, and counters of the system",
        MEMORY_PER_ENDPOINT.value, sweeps.memory(MEMORY_PER_ENDPOINT.value),
        by=panels.all_but(*sweeps.MAKING_ENDPOINTS),
        explanation="Without the memory of Busmark's recorder.",
        figures=("memory_per_endpoint_mib",),
    ),
    _heat("latency-heat", "latency", "median RTT/2",
          lambda case: case.rtt_2.median if case.rtt_2 else None, text.TIME),
    _heat("service-heat", "service", "median response time", _median(RESPONSE_TIME), text.TIME),
    _heat("throughput-heat", "throughput", "goodput", _goodput, text.MBIT, more_is_better=True),
    ChartKind(
        "latency-medians", "Medians, round by round", "latency",
        "latency cases with a counted round",
        lambda case: case.rtt_2 and case.curves("rounds"), cases.medians, shape=Bars,
        of_series=True, figures=MEDIANS,
    ),
    ChartKind(
        "response-medians", "Response times, round by round", "service",
        "service cases with a counted round",
        lambda case: case.response_time and case.curves("rounds"), cases.medians, shape=Bars,
        of_series=True, figures=MEDIANS,
    ),
    *_distributions(
        "percentiles", "percentiles, to the tail", "percentiles to the tail",
        "Each step to the right is ten times rarer. A lost sample is later than any: a curve ends "
        "where the lost begin.",
        distributions.curves(
            distributions.percentiles,
            lambda measure, members: (Axis("percent of samples sent that are faster", "percent"),
                                      Axis(measure.magnitude(members), "log"), ""),
            last="; the last points rest on one sample each",
        ), ChartMeasure.curve,
    ),
    *_distributions(
        "survival", "share of samples that are slower", "survival function",
        "Lost ones and half of the sample itself included. An exponential tail bends, a heavy one "
        "is a line.",
        distributions.curves(
            distributions.survival,
            lambda measure, members: (Axis(measure.magnitude(members), "log"),
                                      Axis("samples sent that are slower, %", "log"), ""),
            steps=True,
        ), ChartMeasure.curve, [measure for measure in MEASURES if not measure.is_jitter],
    ),
    *_distributions(
        "quantiles", "quantiles", "quantiles",
        "A lost sample is later than any: a curve ends where the lost begin.",
        distributions.curves(
            distributions.quantiles,
            lambda measure, members: (PERCENT, *distributions.values(measure, members)),
        ),
    ),
    *_distributions(
        "ecdf", "distribution function", "distribution function",
        "Thin: smoothed by a Gaussian kernel, central 99 %. A curve ends at the share that came "
        "back.",
        distributions.curves(
            distributions.ecdf,
            lambda measure, members: ((found := distributions.values(measure, members))[0],
                                      PERCENT, found[1]),
            thin=distributions.smoothed_ecdf, steps=True,
        ),
    ),
    *_distributions(
        "histogram-log", "histogram of all samples, logarithmic", "histogram of everything",
        "",
        distributions.curves(
            distributions.log_histogram,
            lambda measure, members: (Axis(measure.magnitude(members), "log"),
                                      Axis("samples that came back in bin, %", "log"), ""),
            steps=True,
            remark=". 25 bins of equal ratio from the smallest sample above 0 to the largest",
        ),
        lambda measure, case: measure.curve(case, "log_histogram"),
    ),
    *_distributions(
        "density", "density", "density",
        "Bandwidth by Silverman's rule.",
        distributions.density("density"),
    ),
    *_distributions(
        "density-10us", "density, 10 µs", "density, 10 µs",
        "As OpenDDSBench draws it (2010). What is quicker than some 10 µs is smeared.",
        distributions.density("density_10us"),
    ),
    *_distributions(
        "histogram", "histogram", "histogram",
        "",
        distributions.shares(
            "samples that came back in bin, %", distributions.histogram,
            lambda measure, members: "25 bins between the 5th and the 95th percentile of what came "
            "back; a tenth of it lies beyond.", filled=True,
        ),
    ),
    *map(_boxes, MEASURES),
    _timeline("latency-timeline", "Latency", "", "latency cases with samples over time", "latency",
              "half_round_trip"),
    _timeline("jitter-timeline", "Jitter", CHANGE, "latency cases with two consecutive samples",
              "jitter", "half_round_trip_ipdv"),
    _timeline("response-timeline", "Response time", "", "service cases with samples over time",
              "response time", "response_time", test="service"),
    _resources("latency", "CPU and memory use"),
    _resources("service", "CPU and memory use"),
    _resources("throughput", "Goodput, with CPU and memory use"),
    ChartKind(
        "latency-autocorrelation", "Latency: autocorrelation", "latency",
        "latency cases whose latency varies",
        lambda case: case.curves("autocorrelation"), times.autocorrelation,
        of_series=True,
    ),
    ChartKind(
        "goodput-time", "Goodput over time", "throughput",
        "throughput cases with counters by interval",
        lambda case: case.curves("timeline", "goodput"), times.goodput, of_series=True,
        figures=GOODPUTS,
    ),
)  # fmt: skip
"""Figures of many cases, then what is of samples."""

CURVES = tuple(kind for kind in CHARTS if kind.shape is Picture and not kind.by_case)
"""Charts of curves that the workbook draws; it draws no distributions of single cases."""

PAIRS = tuple(
    ChartKind(
        f"interop-{what}", f"{title}, pair by pair", test,
        f"{test} cases whose sides are different adapters (`peer` in the scenario)",
        lambda case: True, pairs.maps(what), by=lambda case: (), shape=Heat, figures=figures,
    )
    for what, title, test, figures in (
        ("latency", "Median RTT/2", "latency", MEDIANS),
        ("discovery", "Discovery", "latency", ("discovery",)),
        ("goodput", "Goodput", "throughput", GOODPUTS),
        ("loss", "Loss", "throughput", ("lost",)),
    )
)  # fmt: skip
"""The interoperability matrix, which the page has as tables."""

KINDS = (*CHARTS, *PAIRS)
"""Charts on paper and in gnuplot."""
