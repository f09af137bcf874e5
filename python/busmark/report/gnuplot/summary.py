"""Files about many cases: `latency.csv`, and data over sizes and rates with their sets."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

from busmark.analysis.figures import Distribution, Figure
from busmark.analysis.model import Campaign, CaseSummary
from busmark.analysis.naming import described
from busmark.analysis.text import size_text
from busmark.predict.model import SizeModel
from busmark.report.csv_cells import guarded
from busmark.report.drawing import look, panels
from busmark.report.drawing.names import Names, parts_of
from busmark.report.gnuplot import ranges
from busmark.report.gnuplot.labels import distributions
from busmark.report.gnuplot.language import array, assign, comment, rows
from busmark.report.gnuplot.sets import PlotSet, ends, log_ends, look_arrays

Row = Sequence[float | None]

CASE_COLUMNS = ("case", "test", "middleware", "placement", "size_bytes", "workload", "rounds")
DISTRIBUTION_COLUMNS = (
    "samples", "median_us", "median_low_us", "median_high_us", "mad_us", "mean_us", "std_us",
    "min_us", "max_us",
)  # fmt: skip


def write_csv(path: Path, campaign: Campaign) -> None:
    """Median with its interval, MAD, mean, deviation and extremes of latency and jitter, one row
    for each case that has some. What is not known is empty. Jitter is its magnitude. Text
    is no formula to a spreadsheet."""
    columns = [*CASE_COLUMNS]
    columns += [f"{what}_{name}" for what in ("latency", "jitter") for name in DISTRIBUTION_COLUMNS]
    with path.open("w", encoding="utf-8", newline="") as out:
        table = csv.writer(out, lineterminator="\n")
        table.writerow([*columns, "jitter_percent_of_latency"])
        for case in campaign.cases:
            latency, jitter = distributions(case)
            if latency is None:
                continue
            share = _jitter_share(case)
            table.writerow(
                [
                    guarded(case.id), case.test, guarded(case.label), case.placement, case.size,
                    guarded(described(case.workload)), case.rounds.ok,
                    *_cells(latency), *_cells(jitter),
                    "" if share is None else f"{100 * share.value:.6g}",
                ]
            )  # fmt: skip


def _cells(found: Distribution | None) -> list[str]:
    if found is None:
        return [""] * len(DISTRIBUTION_COLUMNS)
    median = found.median
    times = (
        median.value, median.low, median.high, found.mad_ns, found.mean.value, found.std_ns,
        found.min_ns, found.max_ns,
    )  # fmt: skip
    return [str(found.count), *("" if t is None else f"{t / look.MICRO:.10g}" for t in times)]


def _jitter_share(case: CaseSummary) -> Figure | None:
    found = case.latency or case.throughput
    return found.jitter_share if found else None


def write_sizes(
    path: Path, campaign: Campaign, models: Sequence[SizeModel], names: Names
) -> Iterator[PlotSet]:
    """Median latency and jitter over sizes: a data set for each curve, a set for each placement."""
    head = "size B, median us, its interval us us, jitter percent of latency, its interval"
    data = _Data(path, f"latency over sizes; columns: {head}")
    cases = [c for c in panels.measured(campaign, "latency") if c.rtt_2 and c.size is not None]
    for keys, members in panels.split(cases, lambda case: panels.where(case, size=False)):
        if len({case.size for case in members}) < 2:
            continue
        near = [panels.floor_of(campaign, case) for case in members]
        floors = {floor.id: floor for floor in near if floor and floor.rtt_2}
        shown = [*members, *floors.values()]
        labels = list(dict.fromkeys(case.label for case in shown))
        curves = [sorted((c for c in shown if c.label == label), key=_size) for label in labels]
        text = _set_head(f"Latency over sizes: {panels.described(keys)}", members, path)
        text += array("indexes", [data.add(c[0].label, map(_size_row, c)) for c in curves])
        text += look_arrays([look.label_of(campaign, c[0]) for c in curves], labels)
        text += _ends_of_sizes(curves)
        fits = [(c[0], m) for c in curves if (m := _model(models, c))]
        text += assign("fits", len(fits))
        text += array("overheads", [m.overhead.value / look.MICRO for _, m in fits])
        text += array("slopes", [m.slope.value / look.MICRO for _, m in fits])
        text += array("fit_colours", [look.colour(look.label_of(campaign, c)) for c, _ in fits])
        name = names.name(["sizes", *parts_of(keys, members[0])])
        shares = any(_jitter_share(case) for curve in curves for case in curve)
        charts = ("latency-summary", "latency-fit", *(("jitter-summary",) if shares else ()))
        yield PlotSet(name, text, charts)
    data.write()


def write_rates(path: Path, campaign: Campaign, names: Names) -> Iterator[PlotSet]:
    """Goodput over the specified rate, beside rated and practical capacity."""
    head = "specified Mbit/s, goodput Mbit/s, its interval, samples/s of a writer, size B"
    data = _Data(path, f"throughput by specified rate; columns: {head}")
    cases = [c for c in panels.measured(campaign, "throughput") if panels.paced(c)]
    for keys, members in panels.split(cases, panels.on_links):
        if not panels.is_ascent(members):
            continue
        curves: dict[tuple[str, str], list[CaseSummary]] = {}
        for case in members:
            curves.setdefault((case.label, panels.topology(case)), []).append(case)
        every = [p for case in members if (p := panels.paced(case))]
        text = _set_head(f"Throughput: {panels.described(keys)}", members, path)
        titles = [f"{label}, {topology}" for label, topology in curves]
        indexes = [
            data.add(title, sorted(map(_rate_row, found), key=lambda row: row[0] or 0.0))
            for title, found in zip(titles, curves.values(), strict=True)
        ]
        text += array("indexes", indexes)
        labels = [look.label_of(campaign, found[0]) for found in curves.values()]
        text += look_arrays(labels, titles)
        rated = sorted({p.rated_mbit_per_s for p in every if p.rated_mbit_per_s})
        practical = sorted({p.practical_mbit_per_s for p in every if p.practical_mbit_per_s})
        text += assign("rates", len(rated)) + array("rated", rated)
        text += assign("transfers", len(practical)) + array("practical", practical)
        specified = [p.specified_mbit_per_s for p in every]
        carried = [*(p.carried.value for p in every), *rated, *practical]
        log = ranges.logarithmic(specified)
        text += log_ends("specified", log, specified, "specified_is_log")
        log = ranges.logarithmic(carried)
        text += log_ends("carried", log, carried, "carried_is_log")
        name = names.name(["throughput", *parts_of(keys, members[0])])
        yield PlotSet(name, text, ("throughput",))
    data.write()


def write_goodput(path: Path, campaign: Campaign, names: Names) -> Iterator[PlotSet]:
    """Goodput over sizes, at full speed."""
    data = _Data(path, "goodput over sizes; columns: size B, goodput Mbit/s, its interval")
    cases = [
        c for c in panels.measured(campaign, "throughput")
        if c.goodput and c.size is not None and not panels.paced(c)
    ]  # fmt: skip
    for keys, members in panels.split(cases, lambda case: panels.where(case, size=False)):
        labels = list(dict.fromkeys(case.label for case in members))
        curves = [sorted((c for c in members if c.label == label), key=_size) for label in labels]
        text = _set_head(f"Goodput: {panels.described(keys)}", members, path)
        text += array("indexes", [data.add(c[0].label, map(_goodput_row, c)) for c in curves])
        text += look_arrays([look.label_of(campaign, c[0]) for c in curves], labels)
        values = [v for c in members if c.goodput for v in look.reach(c.goodput)]
        text += _sizes(members)
        text += ends("goodput", ranges.from_zero(values))
        yield PlotSet(names.name(["goodput", *parts_of(keys, members[0])]), text, ("goodput",))
    data.write()


class _Data:
    """A data file while it is filled; without data sets there is none."""

    def __init__(self, path: Path, told: str) -> None:
        self.path = path
        self.told = told
        self.parts: list[str] = []

    def add(self, title: str, lines: Sequence[Row] | Iterator[Row]) -> int:
        """A data set; returns its index."""
        self.parts.append(comment(f"index {len(self.parts)}: {title}") + rows(lines))
        return len(self.parts) - 1

    def write(self) -> None:
        if self.parts:
            text = comment(self.told) + "\n\n".join(self.parts)
            self.path.write_text(text, encoding="utf-8")


def _set_head(heading: str, members: Sequence[CaseSummary], path: Path) -> str:
    return (
        comment(heading)
        + assign("heading", heading)
        + _told(members)
        + assign("file", f"data/{path.name}")
    )


def _told(members: Sequence[CaseSummary]) -> str:
    figures = [f for c in members if (f := c.rtt_2.median if c.rtt_2 else c.goodput)]
    counts = panels.counts_text([f.rounds for f in figures], [f.count for f in figures])
    return assign("counts", f"{counts}; bars: 95 % intervals" if counts else "")


def _sizes(cases: Sequence[CaseSummary]) -> str:
    """Arrays of the sizes in use and how they are written, and ends of their axis."""
    sizes = sorted({_size(case) for case in cases})
    places = [look.at_size(size) for size in sizes]
    return (
        array("sizes", places)
        + array("size_names", [size_text(size) for size in sizes])
        + ends("size", (places[0] / 1.3, places[-1] * 1.3))
        + assign("size_step", ranges.step(places[-1]))
    )


def _size(case: CaseSummary) -> int:
    return case.size or 0


def _interval(figure: Figure | None, factor: float) -> list[float | None]:
    """Value and limits; a value without an interval is its own limit."""
    if figure is None:
        return [None] * 3
    low = figure.value if figure.low is None else figure.low
    high = figure.value if figure.high is None else figure.high
    return [figure.value / factor, low / factor, high / factor]


def _size_row(case: CaseSummary) -> Row:
    median = case.rtt_2.median if case.rtt_2 else None
    return [
        look.at_size(_size(case)), *_interval(median, look.MICRO),
        *_interval(_jitter_share(case), 0.01),
    ]  # fmt: skip


def _goodput_row(case: CaseSummary) -> Row:
    return [look.at_size(_size(case)), *_interval(case.goodput, 1.0)]


def _rate_row(case: CaseSummary) -> Row:
    paced = panels.paced(case)
    assert paced  # by the choice of the cases
    carried = _interval(paced.carried, 1.0)
    return [paced.specified_mbit_per_s, *carried, case.params.get("rate_hz"), case.size]


def _model(models: Sequence[SizeModel], curve: Sequence[CaseSummary]) -> SizeModel | None:
    ids = {case.id for case in curve if not case.is_floor}
    return next((m for m in models if ids & set(m.sweep.cases)), None)


def _ends_of_sizes(curves: Sequence[Sequence[CaseSummary]]) -> str:
    every = [case for curve in curves for case in curve]
    figures = [c.rtt_2.median for c in every if c.rtt_2]
    medians = [v / look.MICRO for figure in figures for v in look.reach(figure)]
    known = [share for case in every if (share := _jitter_share(case))]
    shares = [100 * v for share in known for v in look.reach(share)]
    text = _sizes(every)
    text += log_ends("median", ranges.logarithmic(medians), medians, "is_log")
    return text + ends("share", ranges.from_zero(shares))
