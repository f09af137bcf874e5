"""Charts over time, lag or places in a round: latency, goodput, costs, endpoints discovered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from busmark.model import text
from busmark.model.case import CaseSummary
from busmark.model.case import Curve as Points
from busmark.model.naming import Label
from busmark.present.charts import look, panels
from busmark.present.charts.look import MICRO
from busmark.present.charts.panels import Choice, Draw
from busmark.present.charts.shapes import Axis, DrawnCurve, Picture, Plot, Point, Reference, points
from busmark.present.figures import quantity_name

LOST = look.series("lost", look.LOST)

SINCE_SAMPLE = Axis("time since the first sample, s")
SINCE_BEGIN = Axis("time since the start of the measurement, s")

INDEPENDENT = "where 95 % would lie if samples were independent"

SIGNED = "IPDV"
"""Quantity that is drawn with its sign: a logarithmic axis has no place for it."""

MIB = 2**20

MILLI = 1e6

USER, KERNEL = 0.8, 0.4
"""Opacity of areas."""


def timeline(quantity: str) -> Draw:
    """Return what draws one round of a case, thinned, and its last samples one by one."""

    def draw(choice: Choice) -> Iterator[Picture]:
        (case,) = choice.members
        if detail := _first(case, "detail", quantity):
            whole, lost = (_first(case, kind, quantity) for kind in ("timeline", "lost"))
            dots, line = points(detail, MICRO), points(whole, MICRO)
            floor, note = _floor(choice, quantity, [*line, *dots])
            rows = _rows(
                choice.label(case), f"{quantity_name(quantity)}, µs", line, dots, lost, floor
            )
            yield Picture(choice.keys, [case], rows, f"{_counted(detail, lost)}.{note}")

    return draw


def _first(case: CaseSummary, kind: str, quantity: str) -> Points | None:
    return next(iter(case.curves(kind, quantity)), None)


def _rows(
    label: Label,
    title: str,
    line: Sequence[Point],
    dots: Sequence[Point],
    gone: Points | None,
    floor: Sequence[tuple[str, float]],
) -> list[Plot]:
    """Return the whole round, where there is more of it than its last samples, and those."""
    y = Axis(title, "linear" if title.startswith(SIGNED) else "log")
    top = max(point.y for point in (*line, *dots))
    all_lost = [at or 0.0 for at in gone.x] if gone else []

    def row(heading: str, curve: DrawnCurve, lost: Sequence[float]) -> Plot:
        crosses = [Point(at, top) for at in lost]
        lost_curves = (
            [DrawnCurve(LOST.text, LOST, crosses, line=False, only_x=True)] if lost else []
        )
        first, last = curve.points[0].x, curve.points[-1].x
        lines = [Reference(name, "dash", ((first, at), (last, at))) for name, at in floor]
        return Plot(SINCE_SAMPLE, y, [curve, *lost_curves], lines, heading)

    single = DrawnCurve("", label, dots, line=False, dots=True)
    if not line:
        return [row("every sample", single, all_lost)]
    return [
        row(
            "the whole round: smallest and largest of every stretch",
            DrawnCurve("", label, line, marks=False, thin=True, dash="solid"),
            all_lost,
        ),
        row(
            f"its last {text.count(len(dots))} samples, every one",
            single,
            [at for at in all_lost if at >= dots[0].x],
        ),
    ]


def _floor(
    choice: Choice, quantity: str, drawn: Sequence[Point]
) -> tuple[list[tuple[str, float]], str]:
    """Return the floor's median as a line where it is near, and how its case differs."""
    floor = choice.floor
    if not floor or not floor.rtt_2 or quantity != "half_round_trip":
        return [], ""
    median = floor.rtt_2.median.value / MICRO
    if not panels.near([median], [point.y for point in drawn]):
        return [], ""
    return [(f"{floor.label}, median", median)], choice.floor_note


def _counted(detail: Points, lost: Points | None) -> str:
    sentence = f"round {detail.round}, the one whose median is nearest to the middle one; "
    sentence += text.plural(detail.count or 0, "sample")
    if lost:
        sentence += f", {text.count(lost.count or 0)} lost"
        if len(lost.x) < (lost.count or 0):
            sentence += f", of which {text.count(len(lost.x))} are marked"
    return sentence


def autocorrelation(choice: Choice) -> Iterator[Picture]:
    """Draw how alike latencies some samples apart are, of one round of each case."""
    known = [(c, found) for c in choice.members for found in c.curves("autocorrelation")]
    curves = [
        DrawnCurve(
            case.label,
            choice.label(case),
            [Point(lag, value or 0.0) for lag, value in enumerate(found.y)],
            marks=False,
        )
        for case, found in known
    ]
    limit = max(value or 0.0 for _, found in known for value in (found.high or ())[:1])
    last = max(len(found.y) for _, found in known) - 1
    lines = [
        Reference(name, "dash", ((0.0, at), (last, at)))
        for name, at in ((INDEPENDENT, limit), ("", -limit))
    ]
    counts = panels.span_text([found.count or 0 for _, found in known])
    yield choice.picture(
        Axis("lag, samples"),
        Axis("autocorrelation of RTT/2"),
        curves,
        f"one round each, of {counts} samples.",
        lines,
    )


def goodput(choice: Choice) -> Iterator[Picture]:
    """Draw the goodput of one round by interval."""
    curves = [curve for case in choice.members if (curve := _goodput(choice, case, case.label))]
    yield choice.picture(
        SINCE_BEGIN,
        Axis("goodput, Mbit/s", from_zero=True),
        curves,
        "one round each, the one whose goodput is nearest to the middle one.",
    )


def _goodput(choice: Choice, case: CaseSummary, name: str = "") -> DrawnCurve | None:
    if rate := _first(case, "timeline", "goodput"):
        drawn = points(rate, note=f"round {rate.round}" if name else "")
        return DrawnCurve(name, choice.label(case), drawn, marks=False)
    return None


def resources(choice: Choice) -> Iterator[Picture]:
    """Draw what the participants cost the machine in one round, below what they carried; one plot
    for each node, which is no choice on this machine alone."""
    (case,) = choice.members
    every = case.curves("timeline", scope="participant")
    rate, curve = _first(case, "timeline", "goodput"), _goodput(choice, case)
    for node in dict.fromkeys(of.node for of in every):
        system = [of for of in every if of.node == node]
        rows = _counters(system)
        if curve and rate and rate.round == system[0].round:
            axis = Axis("Mbit/s", from_zero=True)
            rows.insert(0, Plot(SINCE_BEGIN, axis, [curve], heading="goodput"))
        keys = (*choice.keys, *((("Node", node),) if node else ()))
        counts = f"round {system[0].round}, {text.plural(len(system[0].x), 'interval')}."
        yield Picture(keys, [case], rows, counts, together=True)


COUNTERS = {
    "cpu_user": ("CPU time of the participants", "CPUs busy"),
    "cpu_system": ("CPU time of the participants", "CPUs busy"),
    "switches": ("their context switches", "switches/s"),
    "memory": ("their memory in RAM", "RAM, MiB"),
}
"""Heading and axis of the plot of each quantity."""

PARTS = {"cpu_user": ("user", USER), "cpu_system": ("kernel", KERNEL)}


def _counters(system: Sequence[Points]) -> list[Plot]:
    """Return areas of CPU time, one on the other, and lines; in the colour of the participant."""
    rows: dict[tuple[str, str], list[DrawnCurve]] = {place: [] for place in COUNTERS.values()}
    names = list(dict.fromkeys(of.of or "" for of in system))
    for of in system:
        name = (of.of or "").removesuffix(f" on {of.node}")
        label = look.series(name, names.index(of.of or ""))
        factor = MIB if of.quantity == "memory" else 1
        values = [(value or 0.0) / factor for value in of.y]
        # One value per interval, and the last again at its end.
        at = [*(of.low or ()), of.x[-1]]
        points = [Point(t or 0.0, y) for t, y in zip(at, [*values, values[-1]], strict=True)]
        if of.quantity in PARTS:
            part, solid = PARTS[of.quantity]
            curve = DrawnCurve(
                f"{name}, {part}", label, points, marks=False, steps=True, fill=solid, stacked=True
            )
        else:
            curve = DrawnCurve("", label, points, marks=False, steps=True, thin=True)
        rows[COUNTERS[of.quantity]].append(curve)
    return [
        Plot(SINCE_BEGIN, Axis(title, from_zero=True), curves, heading=heading)
        for (heading, title), curves in rows.items()
        if curves
    ]


MATCHED = "matched_endpoints"


def endpoints(choice: Choice) -> Iterator[Picture]:
    """Draw how many endpoints have found each other, over time."""
    known = [(case, found) for case in choice.members for found in case.curves("matches", MATCHED)]
    curves = []
    for case, found in known:
        pairs = zip(found.x, found.y, strict=True)
        drawn = [Point((at or 0.0) / MILLI, count or 0) for at, count in pairs]
        label = choice.label(case)
        curves.append(DrawnCurve(case.label, label, drawn, marks=len(drawn) == 1, steps=True))
    counts = panels.span_text([found.count or 0 for _, found in known])
    yield choice.picture(
        Axis("ms since the last endpoint was created"),
        Axis("endpoints with all their counterparts", from_zero=True),
        curves,
        f"a typical round each; {counts} endpoints.",
    )
