"""Charts over time, lag or places in a round: latency, goodput, costs, endpoints discovered."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from busmark.compare.campaign import Campaign
from busmark.estimate.case import CaseSummary
from busmark.estimate.curves import Timeline
from busmark.estimate.discovery import Meeting
from busmark.estimate.resources import SystemSeries
from busmark.model import text
from busmark.model.naming import Label
from busmark.present.charts import look, panels
from busmark.present.charts.distributions import axis_of
from busmark.present.charts.look import MICRO
from busmark.present.charts.shapes import (
    Axis,
    Curve,
    Picture,
    Point,
    Reference,
    Row,
    Stack,
)
from busmark.store.columns import READER

LOST = look.series("lost", look.LOST)

SINCE_SAMPLE = Axis("time since the first sample, s")
SINCE_BEGIN = Axis("time since the begin of the measurement, s")

INDEPENDENT = "where 95 % would lie if samples were independent"

MIB = 2**20

MILLI = 1e6

USER, KERNEL = 0.8, 0.4
"""How solid an area is."""


def timeline(
    pick: Callable[[CaseSummary], Timeline | None],
) -> Callable[[Campaign, Sequence[CaseSummary]], Iterator[Stack]]:
    """Return what draws one round of each case, thinned, and its last samples one by one."""

    def draw(campaign: Campaign, cases: Sequence[CaseSummary]) -> Iterator[Stack]:
        for case in cases:
            if shown := pick(case):
                floor, note = _floor(campaign, case, shown)
                rows = _rows(look.label_of(campaign, case), shown, floor)
                yield Stack(panels.of_one(case), [case], rows, f"{_counted(shown)}.{note}")

    return draw


def _rows(label: Label, shown: Timeline, floor: Sequence[tuple[str, float]]) -> list[Row]:
    """Return the whole round, where there is more of it than its last samples, and those."""
    y = Axis(axis_of(shown.quantity), "linear" if shown.quantity.endswith("jitter") else "log")
    top = max((*shown.value_ns, *shown.detail_value_ns)) / MICRO
    line = _points(shown.t_s, shown.value_ns)
    dots = _points(shown.detail_t_s, shown.detail_value_ns)

    def row(heading: str, curve: Curve, lost: Sequence[float]) -> Row:
        crosses = [Point(at, top) for at in lost]
        lost_curves = [Curve(LOST.text, LOST, crosses, line=False, only_x=True)] if lost else []
        first, last = curve.points[0].x, curve.points[-1].x
        lines = [Reference(name, "dash", ((first, at), (last, at))) for name, at in floor]
        return Row(heading, SINCE_SAMPLE, y, [curve, *lost_curves], lines)

    single = Curve("", label, dots, line=False, dots=True)
    if not line:
        return [row("every sample", single, shown.lost_t_s)]
    return [
        row("the whole round: smallest and largest of every stretch",
            Curve("", label, line, marks=False, thin=True, dash="solid"), shown.lost_t_s),
        row(f"its last {text.count(len(dots))} samples, every one", single,
            [at for at in shown.lost_t_s if at >= dots[0].x]),
    ]  # fmt: skip


def _points(times: Sequence[float], values_ns: Sequence[float]) -> list[Point]:
    return [Point(at, value / MICRO) for at, value in zip(times, values_ns, strict=True)]


def _floor(
    campaign: Campaign, case: CaseSummary, shown: Timeline
) -> tuple[list[tuple[str, float]], str]:
    """Return the floor's median as a line, or as a sentence where it would flatten the plot."""
    floor = panels.floor_of(campaign, case)
    if not floor or not floor.rtt_2 or shown.quantity != "half_round_trip":
        return [], ""
    median, note = floor.rtt_2.median, panels.floor_note(case)
    if panels.near([median.value], (*shown.value_ns, *shown.detail_value_ns)):
        return [(f"{floor.label}, median", median.value / MICRO)], note
    return [], f" Below the axis: {floor.label}, median {text.figure_text(median)}.{note}"


def _counted(shown: Timeline) -> str:
    sentence = f"round {shown.round}, the one whose median is nearest to the middle one; "
    sentence += text.plural(shown.count, "sample")
    if shown.lost_t_s:
        sentence += f", {text.count(shown.lost)} lost"
        if len(shown.lost_t_s) < shown.lost:
            sentence += f", of which {text.count(len(shown.lost_t_s))} are marked"
    return sentence


def autocorrelation(campaign: Campaign, cases: Sequence[CaseSummary]) -> Iterator[Picture]:
    """Draw how alike latencies some samples apart are, of one round of each case."""
    for keys, members in panels.split(cases, panels.where):
        known = [(case, found) for case in members
                 if case.series and (found := case.series.autocorrelation)]  # fmt: skip
        curves = [
            Curve(case.label, look.label_of(campaign, case),
                  [Point(lag, value) for lag, value in enumerate(found.values)], marks=False)
            for case, found in known
        ]  # fmt: skip
        limit = max(found.limit for _, found in known)
        last = max(len(found.values) for _, found in known) - 1
        counts = panels.span_text([found.count for _, found in known])
        yield Picture(
            keys, members, Axis("lag, samples"), Axis("autocorrelation of RTT/2"), curves,
            f"one round each, of {counts} samples. Grey: {INDEPENDENT}.",
            [Reference(name, "dash", ((0.0, at), (last, at)))
             for name, at in ((INDEPENDENT, limit), ("", -limit))],
        )  # fmt: skip


def goodput(campaign: Campaign, cases: Sequence[CaseSummary]) -> Iterator[Picture]:
    """Draw the goodput of one round by interval."""
    for keys, members in panels.split(cases, panels.where):
        curves = [curve for case in members if (curve := _goodput(campaign, case, case.label))]
        counts = panels.span_text([len(curve.points) for curve in curves])
        yield Picture(
            keys, members, SINCE_BEGIN, Axis("goodput, Mbit/s", from_zero=True), curves,
            f"one round each, the middle one; {counts} intervals.",
        )  # fmt: skip


def _goodput(campaign: Campaign, case: CaseSummary, name: str = "") -> Curve | None:
    rate = case.series and case.series.rate
    if not rate:
        return None
    note = f"round {rate.round}" if name else ""
    points = [Point(t, v, note=note) for t, v in zip(rate.t_s, rate.mbit_per_s, strict=True)]
    return Curve(name, look.label_of(campaign, case), points, marks=False)


def resources(campaign: Campaign, cases: Sequence[CaseSummary]) -> Iterator[Stack]:
    """Draw what the participants cost the machine in one round, below what they carried."""
    for case in cases:
        for node, system in panels.nodes(case.series.system if case.series else []):
            rows = _counters(system)
            rate = case.series and case.series.rate
            curve = _goodput(campaign, case)
            if curve and rate and rate.round == system.round:
                axis = Axis("Mbit/s", from_zero=True)
                rows.insert(0, Row("goodput", SINCE_BEGIN, axis, [curve]))
            keys = (*panels.of_one(case), *node)
            yield Stack(keys, [case], rows, _cost_of_reading(case, system), together=True)


def _counters(system: SystemSeries) -> list[Row]:
    """Return areas of CPU time, one on the other, and lines; in the colour of the participant."""
    rows: dict[tuple[str, str], list[Curve]] = {
        ("CPU time of the participants", "CPUs busy"): [],
        ("their context switches", "switches/s"): [],
        ("their memory in RAM", "RAM, MiB"): [],
    }
    cpus, switches, ram = rows.values()
    for place, own in enumerate(system.participants):
        label = look.series(own.participant, place)
        for part, values, solid in (
            ("user", own.cpu_user, USER), ("kernel", own.cpu_system, KERNEL),
        ):  # fmt: skip
            if values:
                cpus.append(
                    Curve(f"{own.participant}, {part}", label, _steps(system, values),
                          marks=False, steps=True, fill=solid, stacked=True)
                )  # fmt: skip
        in_mib = [value / MIB for value in own.rss_bytes]
        for curves, values in ((switches, own.switches_per_s), (ram, in_mib)):
            if values:
                steps = _steps(system, values)
                curves.append(Curve("", label, steps, marks=False, steps=True, thin=True))
    return [
        Row(heading, SINCE_BEGIN, Axis(title, from_zero=True), curves)
        for (heading, title), curves in rows.items() if curves
    ]  # fmt: skip


def _steps(system: SystemSeries, values: Sequence[float]) -> list[Point]:
    """Return one value per interval, and the last again at its end."""
    pairs = zip(system.t_s, (*values, values[-1]), strict=True)
    return [Point(at, value) for at, value in pairs]


def _cost_of_reading(case: CaseSummary, system: SystemSeries) -> str:
    sentence = f"round {system.round}, {len(system.t_s) - 1} intervals; before 0 is the warm-up"
    reader = next(
        (r for r in case.resources if (r.participant, r.node) == (READER, system.node)), None
    )
    if reader and reader.cpu_user and reader.cpu_system:
        share = reader.cpu_user.value + reader.cpu_system.value
        sentence += f"; reading the counters took {text.percent_text(share)} of one CPU"
    return f"{sentence}."


def endpoints(campaign: Campaign, cases: Sequence[CaseSummary]) -> Iterator[Picture]:
    """Draw how many endpoints have found each other, over time."""
    for keys, members in panels.split(cases, panels.where):
        curves, sentence = [], []
        for case in members:
            if found := case.meeting:
                points = [Point(at / MILLI, count)
                          for at, count in zip(found.t_ns, found.found, strict=True)]  # fmt: skip
                of = look.label_of(campaign, case)
                curves.append(Curve(case.label, of, points, marks=len(points) == 1, steps=True))
                sentence.append(f"{case.label} {_met(found)}")
        yield Picture(
            keys, members, Axis("ms since the last endpoint was created", "linear"),
            Axis("endpoints with all their counterparts", from_zero=True), curves,
            f"From the creation of the last until all had matched: {'; '.join(sentence)}.",
        )  # fmt: skip


def _met(found: Meeting) -> str:
    """Return when all had matched, of how many, and what of it is not known exactly."""
    assert found.last is not None
    counts = (
        f"{text.plural(found.endpoints, 'endpoint')}, {text.plural(found.last.rounds, 'round')}"
    )
    vague = [
        f"{text.count(number)} {what}"
        for number, what in (
            (found.limits, "known by an upper limit only"),
            (found.unknown, "not counted by the adapter"),
        )
        if number
    ]
    # These are of all rounds, and may be more than one round has endpoints.
    of_all = f"; in all rounds {', '.join(vague)}" if vague else ""
    return f"{text.figure_text(found.last, text.TIME)} ({counts}{of_all})"
