"""Who used the CPUs of a case's participants in a round: they, or others.

From the table `system`: the scheduler's own times of each thread, on a CPU and waiting for one, and
the CPUs' times in user mode and in the kernel. Interrupts are left out, for nobody can say whose
they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from busmark.model.resources import READER
from busmark.store.columns import TICK_NS

if TYPE_CHECKING:
    import polars as pl

NS = 1e9

Cpu = tuple[str, int]
"""Node ("": this machine) and number."""

SIDES = ("passive", "participants", "active", "server")
"""Beginnings of participants' names, in the order in which the column `cpus` has them."""


@dataclass(frozen=True, slots=True)
class Share:
    """Times of one participant as shares of the measured time."""

    name: str
    cpus: frozenset[Cpu]
    run: float
    """Time on a CPU, all its threads together."""
    thread: float
    """Time on a CPU of its busiest thread."""
    queued: float
    """Able to run and waiting for a CPU: its thread that waited longest."""
    waiter: float
    """Time on a CPU of the thread that waited longest."""


@dataclass(frozen=True, slots=True)
class CpuUse:
    """Use of CPUs in one round, within the time that was measured."""

    seconds: float
    """Length of the intervals of which the shares are."""
    measured_s: float
    """Part of it that lies within the measured time."""
    participants: tuple[Share, ...]
    busy: dict[Cpu, float]
    """Share of time in user mode or in the kernel, whoever it was."""
    stolen: dict[Cpu, float]
    """Share of time that the hypervisor took away."""
    reader: float
    """Run time of the process that reads all this."""
    throttled: float
    """Time for which CPU limits held control groups back, summed over CPUs and groups: a thread
    was suspended for no more of it."""

    @property
    def taken(self) -> frozenset[Cpu]:
        """CPUs on which a participant may run."""
        return frozenset[Cpu]().union(*(own.cpus for own in self.participants))

    @property
    def common(self) -> dict[Cpu, float]:
        """Return what participants used together of each CPU on which several of them are
        pinned."""
        runs: dict[Cpu, list[float]] = {}
        for own in self.participants:
            if len(own.cpus) == 1:
                (cpu,) = own.cpus
                runs.setdefault(cpu, []).append(own.run)
        return {cpu: sum(each) for cpu, each in runs.items() if len(each) > 1}

    def others(self, cpus: frozenset[Cpu]) -> float | None:
        """Return the share of these CPUs that neither participants nor the reader of counters used,
        at least: whoever may run on one counts as if on all. None: their times are not known."""
        if not cpus or not cpus <= self.busy.keys():
            return None
        own = sum(each.run for each in self.participants if each.cpus & cpus) + self.reader
        return max(0.0, sum(self.busy[cpu] for cpu in cpus) - own) / len(cpus)


def cpu_use(system: pl.DataFrame, cpus: str | None, measured_s: float | None) -> CpuUse | None:
    """Return what the rows of one round say; None where they say nothing of the measured time.

    Args:
        system: the table `system` of the round.
        cpus: the round's column `cpus`.
        measured_s: its length; intervals count by their middle, or where none lies within it (the
            reader is of the idle class, and had no CPU) if they overlap it.
    """
    import polars as pl

    if not cpus or not measured_s:
        return None
    end = pl.col("start_ns") + pl.col("duration_ns")
    middle = (pl.col("start_ns") + end) / 2
    rows = system.filter(middle.is_between(0, measured_s * NS))
    if rows.is_empty():
        rows = system.filter((pl.col("start_ns") < measured_s * NS) & (end > 0))
    threads = rows.filter((pl.col("scope") == "thread") & pl.col("run_ns").is_not_null())
    inside = pl.min_horizontal(end, measured_s * NS) - pl.col("start_ns").clip(lower_bound=0)
    lengths = (
        rows.filter(pl.col("scope").is_in(["process", "cpu"]))
        .group_by("interval")
        .agg(pl.col("duration_ns").max(), inside.clip(lower_bound=0).max().alias("inside_ns"))
    )
    length_ns = float(lengths["duration_ns"].sum())
    if threads.is_empty() or not length_ns:
        return None
    sets = _cpu_sets(threads, cpus)
    if sets is None:
        return None
    reader = threads.filter(pl.col("participant") == READER)
    shares = tuple(
        _share(name, own, threads.filter(pl.col("participant") == name), rows, length_ns)
        for name, own in sets.items()
    )
    # A thread that wakes with each tick of the clock is found running by every one: of its CPU no
    # more is true than what idle time, which is measured, leaves.
    most = (pl.col("duration_ns") - pl.col("idle_ns")).clip(lower_bound=0)
    busy = pl.min_horizontal(pl.col("user_ns") + pl.col("system_ns"), most)
    return CpuUse(
        seconds=length_ns / NS,
        measured_s=float(lengths["inside_ns"].sum()) / NS,
        participants=shares,
        busy=_of_cpus(rows, busy),
        stolen=_of_cpus(rows, pl.col("steal_ns")),
        reader=float(reader["run_ns"].sum()) / length_ns,
        throttled=sum(each.held_ns for each in _throttled(rows)) / length_ns,
    )


@dataclass(frozen=True, slots=True)
class Throttling:
    """A control group that its limit of CPU time held back."""

    node: str
    group: str
    """Folder below /sys/fs/cgroup."""
    periods: int
    held_ns: int
    """Time for which the group was held back, summed over CPUs, ns."""
    quota_ns: int | None
    """CPU time in each period of `period_ns`."""
    period_ns: int | None
    file: str | None
    """File that sets the limit."""


def throttling(system: pl.DataFrame, measured_s: float | None) -> list[Throttling]:
    """Return the groups that were held back in the intervals of a round which overlap the measured
    time; in all where that is not known."""
    import polars as pl

    begin, end = pl.col("start_ns"), pl.col("start_ns") + pl.col("duration_ns")
    overlaps = (begin < (measured_s or 0.0) * NS) & (end > 0)
    return _throttled(system.filter(overlaps.fill_null(True)) if measured_s else system)


def _throttled(rows: pl.DataFrame) -> list[Throttling]:
    import polars as pl

    limits = ("cpu_quota_ns", "cpu_period_ns", "cpu_quota_file")
    groups = (
        rows.filter(pl.col("throttled") > 0)
        .group_by(pl.col("node").fill_null(""), pl.col("name").fill_null(""), maintain_order=True)
        .agg(pl.col("throttled", "throttled_ns").sum(), pl.col(*limits).drop_nulls().last())
    )
    return [Throttling(*row) for row in groups.rows()]


def _of_cpus(rows: pl.DataFrame, time_ns: pl.Expr) -> dict[Cpu, float]:
    """Return a time of each CPU as a share; only CPUs for which it is known."""
    import polars as pl

    known = rows.filter(pl.col("scope") == "cpu").with_columns(time_ns.alias("time_ns"))
    shares = (
        known.filter(pl.col("time_ns").is_not_null())
        .group_by(pl.col("node").fill_null(""), pl.col("name").cast(pl.Int64))
        .agg(pl.col("time_ns").sum() / pl.col("duration_ns").sum())
    )
    return {(str(node), int(number)): float(share) for node, number, share in shares.rows()}


def _share(
    name: str, cpus: frozenset[Cpu], threads: pl.DataFrame, rows: pl.DataFrame, length_ns: float
) -> Share:
    import polars as pl

    each = threads.group_by("process", "thread").agg(
        pl.col("run_ns").sum(), pl.col("queued_ns").sum()
    )
    process = rows.filter((pl.col("scope") == "process") & (pl.col("participant") == name))
    ran_ns = float(each["run_ns"].sum())
    ticks_ns = float(process.select((pl.col("user_ns") + pl.col("system_ns")).sum()).item() or 0)
    # Threads that came and went between two readings are in the process's times alone. These come
    # in ticks of user and of kernel time, by which they say less than the scheduler's own.
    beyond_ns = 2 * TICK_NS * process["process"].n_unique()
    whole = ticks_ns if ticks_ns > ran_ns + beyond_ns else ran_ns
    longest = each.sort("queued_ns", "run_ns", nulls_last=True, descending=True).head(1)
    return Share(
        name=name,
        cpus=cpus,
        run=whole / length_ns,
        thread=_greatest(each["run_ns"]) / length_ns,
        queued=_greatest(longest["queued_ns"]) / length_ns,
        waiter=_greatest(longest["run_ns"]) / length_ns,
    )


def _greatest(values: pl.Series) -> float:
    found = values.max()
    return float(found) if isinstance(found, int | float) else 0.0


def _cpu_sets(threads: pl.DataFrame, cpus: str) -> dict[str, frozenset[Cpu]] | None:
    """Return the CPUs of each participant; None where names and sets do not correspond."""
    pairs = threads.select("participant", "node").unique().rows()
    nodes = {str(name): str(node or "") for name, node in pairs if name not in (None, READER)}
    names = sorted(nodes, key=_place)
    sets = [[int(word) for word in part.split(",") if word.isdecimal()] for part in cpus.split(";")]
    if len(names) != len(sets) or not all(sets):
        return None
    return {
        name: frozenset((nodes[name], number) for number in numbers)
        for name, numbers in zip(names, sets, strict=True)
    }


def _place(name: str) -> tuple[int, int]:
    """Return the key by which participants are sorted as in the column `cpus`."""
    side = next((n for n, begin in enumerate(SIDES) if name.startswith(begin)), len(SIDES))
    digits = name.lstrip("abcdefghijklmnopqrstuvwxyz")
    return side, int(digits) if digits.isdecimal() else 0
