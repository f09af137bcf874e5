"""What the participants cost the machine over the time of one round, below what they carried."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from busmark.analysis.case.resources import ResourceSeries, SystemSeries
from busmark.analysis.model import Campaign, CaseSummary, Label
from busmark.analysis.words import text
from busmark.present.charts import look, panels
from busmark.present.charts.kinds.kind import ChartKind
from busmark.present.charts.shapes import Axis, Curve, Point, Row, Stack
from busmark.store.columns import READER

MIB = 2**20

USER, KERNEL = 0.8, 0.4
"""How solid an area is."""

WHEN = Axis("time since the begin of the measurement, s")


def _draw(campaign: Campaign, cases: Sequence[CaseSummary]) -> Iterator[Stack]:
    for case in cases:
        for node, system in panels.nodes(case.series.system if case.series else []):
            rows = [*_goodput(campaign, case, system.round), *_counters(system)]
            keys = (*panels.of_one(case), *node)
            yield Stack(keys, [case], rows, _told(case, system), together=True)


def _goodput(campaign: Campaign, case: CaseSummary, number: int) -> Iterator[Row]:
    """Goodput of the same round."""
    rate = case.series and case.series.rate
    if rate and rate.round == number:
        pairs = zip(rate.t_s, rate.mbit_per_s, strict=True)
        points = [Point(at, value) for at, value in pairs]
        curve = Curve("", look.label_of(campaign, case), points, marks=False)
        yield Row("goodput", WHEN, Axis("Mbit/s", from_zero=True), [curve])


def _counters(system: SystemSeries) -> list[Row]:
    """Areas of CPU time, one on the other, and lines; in the colour of the participant."""
    cpus: list[Curve] = []
    switches: list[Curve] = []
    ram: list[Curve] = []
    for place, own in enumerate(system.participants):
        label = look.series(own.participant, place)
        cpus += _areas(system, own, label)
        for curves, values in (
            (switches, own.switches_per_s), (ram, [v / MIB for v in own.rss_bytes]),
        ):  # fmt: skip
            if values:
                curves.append(
                    Curve("", label, _steps(system, values), marks=False, steps=True, thin=True)
                )
    found = (
        ("CPU time of the participants", "CPUs busy", cpus),
        ("their context switches", "switches/s", switches),
        ("their memory in RAM", "RAM, MiB", ram),
    )
    return [
        Row(heading, WHEN, Axis(title, from_zero=True), curves)
        for heading, title, curves in found if curves
    ]  # fmt: skip


def _areas(system: SystemSeries, own: ResourceSeries, label: Label) -> Iterator[Curve]:
    parts = (("user", own.cpu_user, USER), ("kernel", own.cpu_system, KERNEL))
    for part, values, solid in parts:
        if values:
            yield Curve(
                f"{own.participant}, {part}", label, _steps(system, values), marks=False,
                steps=True, fill=solid, stacked=True,
            )  # fmt: skip


def _steps(system: SystemSeries, values: Sequence[float]) -> list[Point]:
    """One value per interval, and the last again at its end."""
    pairs = zip(system.t_s, (*values, values[-1]), strict=True)
    return [Point(at, value) for at, value in pairs]


def _told(case: CaseSummary, system: SystemSeries) -> str:
    told = f"round {system.round}, {len(system.t_s) - 1} intervals; before 0 is the warm-up"
    reader = next(
        (r for r in case.resources if (r.participant, r.node) == (READER, system.node)), None
    )
    if reader and reader.cpu_user and reader.cpu_system:
        share = reader.cpu_user.value + reader.cpu_system.value
        told += f"; reading the counters took {text.percent_text(share)} of one CPU"
    return f"{told}."


CHARTS = tuple(
    ChartKind(
        f"{test}-resources", title, test,
        "One round. Each participant with its child processes: CPUs kept busy in user mode "
        "(solid) and in the kernel (pale), context switches, memory in RAM. The sum is exact, the "
        "two parts to 10 ms. Before 0 is the warm-up. With several nodes, one at a time.",
        f"{test} cases with counters of the system",
        lambda case: case.series and case.series.system, _draw, of_series=True,
        figures=("cpus_used",) if test == "latency" else ("cpus_used", "goodput_mbit_per_s"),
        shape=Stack,
    )
    for test, title in (
        ("latency", "CPU and memory use"),
        ("throughput", "Goodput, with CPU and memory use"),
    )
)  # fmt: skip
