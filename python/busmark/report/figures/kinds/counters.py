"""System counters over the time of one round: CPUs kept busy, and context switches."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes

from busmark.analysis.resources import SystemSeries
from busmark.report.drawing import look
from busmark.report.figures import axes as ax
from busmark.report.figures.sheet import Sheet, place

USER, KERNEL = 0.85, 0.4
"""How solid an area is."""


def counters(sheet: Sheet, axes: Sequence[Axes], system: SystemSeries) -> None:
    """CPU time as areas one on the other, and switches as lines, into two plots."""
    cpus, switches = axes
    below = [0.0] * len(system.t_s)
    for number, each in enumerate(system.participants):
        colour = look.OKABE_ITO[number % len(look.OKABE_ITO)]
        for part, values, solid in (
            ("user", each.cpu_user, USER), ("kernel", each.cpu_system, KERNEL),
        ):  # fmt: skip
            if not values:
                continue
            top = [a + b for a, b in zip(below, (*values, values[-1]), strict=True)]
            drawn = cpus.fill_between(
                system.t_s, below, top, step="post", color=colour, alpha=solid, linewidth=0
            )
            sheet.entry(f"{each.participant}, {part}", drawn)
            below = top
        if each.switches_per_s:
            values = each.switches_per_s
            y = [v / 1e3 for v in (*values, values[-1])]
            switches.step(system.t_s, y, where="post", color=colour)
    ax.linear_y(cpus, "CPUs busy", from_zero=True)
    ax.linear_y(switches, "switches, 10³/s", from_zero=True)
    place(cpus, "CPU time of the participants")
    place(switches, "context switches of the participants")
    ax.linear_x(cpus, "")
    ax.linear_x(switches, "time since the begin of the measurement, s")
    for each_axes in axes:
        each_axes.margins(x=0.01)
