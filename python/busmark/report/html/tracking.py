"""The page of a history: no script, nothing loaded from anywhere."""

from __future__ import annotations

from busmark import __version__
from busmark.analysis.words.text import plural
from busmark.present.charts.look import swatch
from busmark.present.web import style
from busmark.report.html.templating import environment
from busmark.report.tracking import words
from busmark.report.tracking.drawing import HEIGHT, LEFT, RIGHT, WIDTH, Drawing, drawing
from busmark.track.model import Step, Tracked, TrackedSeries

MOST_DRAWN = 300
"""Charts of a page; those with steps first."""


def render(tracked: Tracked) -> str:
    """The page as text; the same history gives the same bytes."""
    steps = [*tracked.new, *tracked.unconfirmed, *words.others(tracked)]
    return environment().get_template("tracking.html.j2").render(
        tracked=tracked,
        verdict=words.verdict(tracked),
        outcome=words.outcome(tracked),
        sentences=[
            *(words.sentence(tracked, one, step) for one, step in tracked.new),
            *(f"Unconfirmed: {words.sentence(tracked, one, step)}"
              for one, step in tracked.unconfirmed),
        ],
        heads=words.STEP_HEADS,
        rows=[(words.step_row(tracked, one, step), _class(one, step)) for one, step in steps],
        besides=[(words.of_what(tracked, one), step.besides) for one, step in steps
                 if step.besides],
        sections=_sections(tracked),
        left_out=max(0, len(tracked.series) - MOST_DRAWN),
        machines=[(words.machine_title(tracked, n), plural(machine.results, "result"), machine)
                  for n, machine in enumerate(tracked.machines)],
        method=words.method(tracked),
        style=style("style"),
        swatch=swatch,
        width=WIDTH, height=HEIGHT, left=LEFT, right=RIGHT,
        version=__version__,
    )  # fmt: skip


def _class(series: TrackedSeries, step: Step) -> str:
    if series.is_floor or step.kind == "small":
        return "floor"
    return step.kind if step.confirmed else "unconfirmed"


def _sections(tracked: Tracked) -> list[tuple[str, list[Drawing]]]:
    """The charts by figure, those with steps first."""
    first = sorted(tracked.series, key=lambda one: not one.steps)[:MOST_DRAWN]
    figures = dict.fromkeys(map(words.figure_name, tracked.series))
    found: dict[str, list[Drawing]] = {name: [] for name in figures}
    for one in first:
        found[words.figure_name(one)].append(drawing(tracked, one))
    return [(f"{name[0].upper()}{name[1:]}", charts) for name, charts in found.items() if charts]
