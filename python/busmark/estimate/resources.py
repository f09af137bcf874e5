"""What participants cost the machine, and the background loads under which they ran."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from busmark.model import text
from busmark.model.case import Curve
from busmark.model.figure import Figure, over_rounds
from busmark.model.figures import Estimated, Part, estimated
from busmark.model.parameters import Parameters
from busmark.model.quantities import parts
from busmark.model.quantities.counters import COUNTERS
from busmark.model.resources import READER
from busmark.store.columns import TICK_NS

MOST_CURVES = 6
"""Participants that are drawn one by one; where there are more, the busiest are, and the others as
one."""

MOSTLY = 0.9
"""Share of an interval within the measured time with which it counts: counters are read when the
measurement begins and when it has ended, which the reader hears a little later."""

COUNTS = ("user_ns", "system_ns", "run_ns", "switches", "major_faults")

ROUND = "round"
"""Place of a round in the list of them, while they are in one table."""

READ = (
    "node",
    "scope",
    "participant",
    "interval",
    "start_ns",
    "duration_ns",
    "user_ns",
    "system_ns",
    "run_ns",
    "major_faults",
    "voluntary_switches",
    "involuntary_switches",
    "rss_bytes",
    "recorder_bytes",
)
"""Columns of the table `system` that are looked at."""

RATES = ("cpu_user", "cpu_system", "switches_per_s")

OVER_TIME = {
    "cpu_user": ("cpu_user", "CPU"),
    "cpu_system": ("cpu_system", "CPU"),
    "switches": ("switches_per_s", "1/s"),
    "memory": ("rss_bytes", "B"),
}
"""Column and unit of each quantity that is drawn over time."""


def within(end: pl.Expr, measured_ns: pl.Expr) -> pl.Expr:
    """Return whether intervals from `start_ns` to `end` lie within the measured time, or nearly."""
    start = pl.col("start_ns")
    inside = pl.min_horizontal(end, measured_ns) - pl.max_horizontal(start, pl.lit(0.0))
    return inside >= MOSTLY * (end - start)


def by_participant(system: pl.DataFrame) -> pl.DataFrame:
    """Return the table `system` as one row per node, interval and participant, in this order.

    Columns: `node` ("": this machine), `interval`, `participant`, `start_ns`, `end_ns`, the columns
    of `COUNTS`, and `rss_bytes`. A sum with an unknown part is null.
    """
    return each_by_participant([system])[0]


def each_by_participant(rounds: Sequence[pl.DataFrame]) -> list[pl.DataFrame]:
    """Return `by_participant` of the table of each round. All are summed together: a plan for each
    of so few rows costs many times what its sums do."""
    if not rounds:
        return []
    key = [ROUND, "node", "interval", "participant"]
    system = (
        _together([frame[list(READ)] for frame in rounds])
        .drop_nulls("participant")
        .with_columns(
            pl.col("node").fill_null(""),
            # What rows of samples take is no memory of the middleware's.
            rss_bytes=(pl.col("rss_bytes") - pl.col("recorder_bytes").fill_null(0)).clip(0),
        )
    )
    processes = (
        system.filter(pl.col("scope") == "process")
        .group_by(key)
        .agg(
            pl.col("start_ns").min(),
            (pl.col("start_ns") + pl.col("duration_ns")).max().alias("end_ns"),
            *(_sum(pl.col(name)) for name in ("user_ns", "system_ns", "major_faults", "rss_bytes")),
        )
    )
    switches = (pl.col("voluntary_switches") + pl.col("involuntary_switches")).alias("switches")
    threads = system.filter(pl.col("scope") == "thread")
    counted = threads.group_by(key).agg(_sum(switches), _sum(pl.col("run_ns")))
    whole = processes.join(counted, on=key, how="left")
    whole = whole.select(*key, "start_ns", "end_ns", *COUNTS, "rss_bytes").sort(key)
    return _apart(whole, len(rounds))


def _together(rounds: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Join the tables of rounds in one, with the place of each in the column `ROUND`."""
    places = np.repeat(np.arange(len(rounds)), [frame.height for frame in rounds])
    return pl.concat(rounds).hstack([pl.Series(ROUND, places)])


def _apart(frame: pl.DataFrame, count: int) -> list[pl.DataFrame]:
    """Split a table that is in the order of its rounds into the rows of each."""
    ends = np.searchsorted(frame[ROUND].to_numpy(), np.arange(count + 1))
    own = frame.drop(ROUND)
    return [own.slice(begin, end - begin) for begin, end in pairwise(ends.tolist())]


def _sum(values: pl.Expr) -> pl.Expr:
    return pl.when(values.null_count() == 0).then(values.sum())


def with_rates(frame: pl.DataFrame) -> pl.DataFrame:
    """Add `RATES` to counts of the time `length_ns`.

    CPU time in user mode and in the kernel is known in ticks, so that a difference may be off by
    one of them; the time on a CPU is known exactly, but not of a thread that has ended. The whole
    is therefore the exact time, and at least what the ticks prove; what it is more or less than the
    ticks goes to both parts alike.
    """
    user, system, length = pl.col("user_ns"), pl.col("system_ns"), pl.col("length_ns")
    least = (user + system - 2 * TICK_NS).clip(0)
    whole = pl.max_horizontal(pl.col("run_ns").fill_null(user + system), least)
    kernel = ((whole - user + system) / 2).clip(0, whole)
    return frame.with_columns(
        ((whole - kernel) / length).alias("cpu_user"),
        (kernel / length).alias("cpu_system"),
        (pl.col("switches") * 1e9 / length).alias("switches_per_s"),
    )


class Used(NamedTuple):
    """Resources that participants of a case used."""

    participants: list[Estimated]
    """What each used, its child processes included."""
    together: Figure | None
    """CPUs that all kept busy, without the reading itself."""
    by_round: list[float | None]
    """CPUs that all kept busy in each round; None: not all of it is known."""


def resources(rounds: Sequence[pl.DataFrame], measured_s: Sequence[float]) -> Used:
    """Return the resources that each participant used, and all together.

    Only intervals within the measured time count, at least by `MOSTLY`.

    Args:
        rounds: `by_participant` of each.
        measured_s: length of each.
    """
    if not rounds:
        return Used([], None, [])
    whole = _together(rounds)
    measured_ns = pl.lit(pl.Series(np.asarray(measured_s)[whole[ROUND].to_numpy()] * 1e9))
    inside = whole.filter(within(pl.col("end_ns"), measured_ns))
    means = participant_means(inside)
    count = inside[[ROUND, "node", "interval"]].n_unique()
    by_name = means.partition_by("node", "participant", as_dict=True)
    names = sorted((str(node), str(name)) for node, name in by_name)
    names.sort(key=lambda of: of[1] == READER)
    found = [row for of in names for row in _resources(*of, by_name[of], count)]
    counted = means.filter(pl.col("participant") != READER)
    totals = [_total(mean) for mean in _apart(counted, len(rounds))]
    return Used(found, over_rounds(totals, "CPU", count), totals)


def counters(rounds: Sequence[pl.DataFrame], measured_s: Sequence[float]) -> dict[str, int]:
    """Return the sums of `COUNTERS` over the intervals within the measured time of these rounds.

    Args:
        rounds: the table `system` of each.
        measured_s: length of each.
    """
    if not rounds:
        return {}
    columns = ["scope", "start_ns", "duration_ns", *(one.column for one in COUNTERS)]
    whole = _together([frame[columns] for frame in rounds])
    measured_ns = pl.lit(pl.Series(np.asarray(measured_s)[whole[ROUND].to_numpy()] * 1e9))
    inside = whole.filter(within(pl.col("start_ns") + pl.col("duration_ns"), measured_ns))
    own = {one.column: pl.col(one.column).filter(scope=one.scope) for one in COUNTERS}
    sums = inside.select(
        pl.when(each.len() > 0, each.null_count() == 0).then(each.sum()).alias(column)
        for column, each in own.items()
    )
    return {name: total for name, total in sums.row(0, named=True).items() if total is not None}


def participant_means(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a row per round, node and participant: counts and rates of all intervals together, and
    the most memory."""
    sums = frame.group_by(ROUND, "node", "participant").agg(
        (pl.col("end_ns") - pl.col("start_ns")).sum().alias("length_ns"),
        *(_sum(pl.col(name)) for name in COUNTS),
        pl.col("rss_bytes").max(),
    )
    # In an order of their own: sums of fractions depend on it in their last digits.
    return with_rates(sums.sort(ROUND, "node", "participant"))


def _total(mean: pl.DataFrame) -> float | None:
    values = mean["cpu_user"] + mean["cpu_system"]
    return None if values.is_empty() or values.null_count() else float(values.sum())


def _resources(node: str, name: str, own: pl.DataFrame, count: int) -> Iterator[Estimated]:
    faults, rss = own["major_faults"], own["rss_bytes"].max()
    found = (
        (parts.CPU_USER, over_rounds(own["cpu_user"].to_list(), "CPU", count)),
        (parts.CPU_SYSTEM, over_rounds(own["cpu_system"].to_list(), "CPU", count)),
        (parts.SWITCHES, over_rounds(own["switches_per_s"].to_list(), "1/s", count)),
        (parts.RSS, rss if isinstance(rss, int) else None),
        (parts.MAJOR_FAULTS, None if faults.null_count() else int(faults.sum())),
    )
    return estimated(found, "participant", name, node or None)


def series(number: int, frame: pl.DataFrame, measured_s: float) -> Iterator[Curve]:
    """Return what participants used over the time of round `number`, from the start of the warm-up
    to the end of measuring, on each node; none of what is not known. `frame` is `by_participant`
    of that round.
    """
    nodes = frame.partition_by("node", as_dict=True)
    for (node,), own in sorted(nodes.items()):
        yield from _of_node(str(node), number, own, measured_s)


def _of_node(node: str, number: int, frame: pl.DataFrame, measured_s: float) -> Iterator[Curve]:
    length = (pl.col("end_ns") - pl.col("start_ns")).alias("length_ns")
    drawn = (pl.col("start_ns") < measured_s * 1e9) & (pl.col("participant") != READER)
    drawn &= pl.col("end_ns").is_not_null()
    frame = frame.filter(drawn).with_columns(length)
    if frame.is_empty():
        return
    frame = _few(with_rates(frame))
    times = frame.group_by("interval").agg(pl.col("start_ns").min(), pl.col("end_ns").max())
    times = times.sort("interval")
    ends = [*times["start_ns"].to_list(), times["end_ns"][-1]]
    t = [round(end / 1e9, 4) for end in ends]
    for (name,), own in sorted(frame.partition_by("participant", as_dict=True).items()):
        aligned = times[["interval"]].join(own, on="interval", how="left", maintain_order="left")
        for quantity, (column, unit) in OVER_TIME.items():
            if aligned[column].null_count() == 0:
                yield Curve(
                    quantity,
                    "timeline",
                    t[1:],
                    [round(v, 4) for v in aligned[column].to_list()],
                    "s",
                    unit,
                    "participant",
                    f"{name} on {node}" if node else str(name),
                    node or None,
                    number,
                    low=t[:-1],
                    high=t[1:],
                )


def _few(frame: pl.DataFrame) -> pl.DataFrame:
    """Keep no more participants than can be distinguished: the busiest, and all others as one."""
    cpu = (pl.col("cpu_user") + pl.col("cpu_system")).sum().alias("cpu")
    by_name = frame.group_by("participant", maintain_order=True)
    busiest = by_name.agg(cpu).sort("cpu", "participant", descending=True)
    if busiest.height <= MOST_CURVES:
        return frame
    kept = busiest["participant"][: MOST_CURVES - 1]
    others = f"{busiest.height - len(kept)} others"
    name = pl.when(pl.col("participant").is_in(kept.implode())).then("participant")
    return (
        frame.with_columns(name.otherwise(pl.lit(others)).alias("participant"))
        .group_by("interval", "participant", maintain_order=True)
        .agg(
            pl.col("start_ns").min(),
            pl.col("end_ns").max(),
            *(_sum(pl.col(column)) for column in (*RATES, "rss_bytes")),
        )
    )


UNITS = {"cpu": (100.0, " % of each CPU"), "net": (1e-6, " Mbit/s"), "disk": (1e-6, " MB/s")}
"""Factor and unit by kind, for figures in the unit of the table `cases`."""

SEVERAL, UNLIMITED = "+", "max"
"""Words of the parameter `load`."""


def asked_for(params: Parameters) -> dict[str, str]:
    """Return the words for each load that a case asks for, by kind, in their order."""
    parts = (part.strip() for part in str(params.load or "").split(SEVERAL))
    return {part.split()[0].lower(): part for part in parts if part}


def background(params: Parameters, rows: Sequence[Mapping[str, Any]]) -> Iterator[Estimated]:
    """Yield the levels of background loads in these rounds: CPU as a share of each CPU, network in
    bit/s, disk in B/s; none for a case without load, or without rounds."""
    for kind in asked_for(params) if rows else ():
        levels = (row.get(f"load_{kind}_achieved") for row in rows)
        known = [level for level in levels if level is not None]
        asked = [level for row in rows if (level := row.get(f"load_{kind}_asked"))]
        found = (
            (parts.LOAD_ASKED, asked[0] if asked else None),
            (parts.LOAD_ACHIEVED, sum(known) / len(known) if known else None),
            (parts.LOAD_LEAST, min(known, default=None)),
            (parts.LOAD_ROUNDS, len(known)),
        )
        yield from estimated(found, "load", kind)


def is_unlimited(params: Parameters, kind: str) -> bool:
    """Return whether a background load of a case has no limit, and takes as much as it gets."""
    return asked_for(params).get(kind, "").lower().split()[-1:] == [UNLIMITED]


def level_text(kind: str, level: float | None) -> str:
    """Format a level in the unit of its kind, such as 19.2 % of each CPU."""
    factor, unit = UNITS.get(kind, (1.0, ""))
    return text.ABSENT if level is None else f"{text.number(level * factor)}{unit}"


def loads_text(loads: Sequence[Part]) -> str:
    """Return what the loads achieved that ran at once."""
    if not any(load.value(parts.LOAD_ROUNDS) for load in loads):
        return text.ABSENT
    each = (level_text(str(load.of), load.value(parts.LOAD_ACHIEVED)) for load in loads)
    return f" {SEVERAL} ".join(each)


def share_of_load(load: Part) -> float | None:
    """Return what a load achieved of what it was asked for."""
    asked, achieved = load.value(parts.LOAD_ASKED), load.value(parts.LOAD_ACHIEVED)
    return None if not asked or achieved is None else achieved / asked


def shares_text(params: Parameters, loads: Sequence[Part]) -> str:
    """Format shares of the requested loads, load by load; the text is empty if none is known."""
    found = [
        "no limit"
        if is_unlimited(params, str(load.of))
        else text.ABSENT
        if (share := share_of_load(load)) is None
        else f"{text.percent_text(share)} of what was asked"
        for load in loads
    ]
    return "; ".join(found) if any(part != text.ABSENT for part in found) else ""
