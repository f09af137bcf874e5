"""One case that has been run, as a rule sees it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar, cast

from busmark.errors import UserError
from busmark.findings.rule import Capabilities, Profile, count, whole
from busmark.model.entry import SERVICES
from busmark.model.resources import READER
from busmark.store.columns import ASKING, TIMED
from busmark.store.samples import latencies, latency_ns, measured

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from busmark.findings.cpu_time import CpuUse, Throttling
    from busmark.model.parameters import Parameters
    from busmark.store.manifest import Case
    from busmark.store.result import Result

    Series = NDArray[np.float64]


T = TypeVar("T")

SYSTEM_COUNTS = (
    "swap_in_pages",
    "swap_out_pages",
    "softnet_drops",
    "rx_drops",
    "tx_drops",
    "tx_bytes",
)

TOGETHER = 0.1
"""Samples are read together where the time between the readings is below this share of the time
between their sendings."""

ROUND_TRIP_OF_PROBES = "round trip of probes"

NAMES = {"latency": "round trip", **dict.fromkeys(SERVICES, "response time")}
"""Names of what is timed, by test."""


class CaseView:
    """A case, its rows of the table of rounds, and its latencies, each read once when asked for.

    A round may have been tried several times; its row describes the last try.
    """

    def __init__(self, case: Case, result: Result) -> None:
        self.case = case
        self.result = result
        self.quantity = "one-way latency"
        """Name of the quantity that `latencies` holds; known after it was asked for."""
        self.unreadable: list[str] = []
        """Why samples of a round could not be read; complete after `latencies` was asked for."""
        self._computed: dict[Callable[..., Any], Any] = {}

    @property
    def params(self) -> Parameters:
        return self.case.params

    @property
    def capabilities(self) -> Capabilities:
        """Capabilities of the case's adapter; empty if the manifest has none."""
        return self.result.manifest.adapters.get(str(self.params.adapter), {})

    @property
    def hosts(self) -> list[Profile]:
        """Profiles of the machines on which the case may have run."""
        hosts = self.result.manifest.hosts
        own = [host for name, host in hosts.items() if name]
        return own if self.params.network == "nodes" and own else [hosts.get("", {})]

    @cached_property
    def rows(self) -> pl.DataFrame:
        """The case's rows of the table of rounds, by round."""
        import polars as pl

        return self.result.cases.filter(pl.col("case") == self.case.id).sort("round")

    @cached_property
    def ok(self) -> pl.DataFrame:
        """Rounds whose figures are reported."""
        import polars as pl

        return self.rows.filter(pl.col("status") == "ok")

    @cached_property
    def finished(self) -> pl.DataFrame:
        """Rounds that ran to their end, marked ones included."""
        import polars as pl

        return self.rows.filter(pl.col("status").is_in(["ok", "marked"]))

    def values(self, column: str, *, only_ok: bool = True) -> dict[int, Any]:
        """Return a column's values that are there, by round. An unknown column has none."""
        rows = self.ok if only_ok else self.finished
        if column not in rows.columns:
            return {}
        pairs = zip(rows["round"].to_list(), rows[column].to_list(), strict=True)
        return {number: value for number, value in pairs if value is not None}

    def of_rounds(self, found: int, examined: Collection[int] | int) -> str:
        """Return "2 of 3 rounds": in how many of the examined ones something was found. Where the
        case has marked rounds, it says whether they are among these.

        Args:
            found: number of rounds.
            examined: rounds, or the number of those among the ones that count.
        """
        counted = isinstance(examined, int) or set(examined) <= set(self.ok["round"].to_list())
        number = examined if isinstance(examined, int) else len(examined)
        words = f"{found} of {count(number, 'round')}"
        if self.ok.height == self.finished.height:
            return words
        return f"{words} that count" if counted else f"{words}, marked ones included"

    def total(self, column: str) -> int:
        """Sum a count over all finished rounds; absent values add nothing."""
        return int(sum(self.values(column, only_ok=False).values()))

    def of_marked(self, column: str, total: int) -> str:
        """Return ", 79 of them in marked rounds" of a total that marked rounds have a part in, for
        tables are of the rounds that count; empty where these have all of it."""
        marked = total - int(sum(self.values(column).values()))
        which = "all" if marked == total else whole(marked)
        return f", {which} of them in marked rounds" if marked > 0 else ""

    def system(self, column: str) -> dict[int, int]:
        """Sum a count of the table `system` in each finished round that has it."""
        rows = ((number, sums.get(column)) for number, sums in self._system.items())
        return {number: total for number, total in rows if total is not None}

    @cached_property
    def network_covered(self) -> dict[int, float]:
        """Share of each finished round's time in which interfaces were counted: a reader of
        counters that had no CPU leaves gaps."""
        import polars as pl

        lengths = self.values("measured_s", only_ok=False)
        found = {}
        for number, table in self.system_tables():
            length = (lengths.get(number) or 0.0) * 1e9
            counted = table.filter(pl.col("scope") == "interface").unique("interval")
            begin, end = pl.col("start_ns"), pl.col("start_ns") + pl.col("duration_ns")
            inside = pl.min_horizontal(end, pl.lit(length)) - pl.max_horizontal(begin, pl.lit(0.0))
            covered = counted.select(inside.clip(lower_bound=0.0).sum()).item()
            if length > 0:
                found[number] = covered / length
        return found

    @cached_property
    def cpu_use(self) -> dict[int, CpuUse]:
        """Return who used the participants' CPUs, in each finished round of which that is known."""
        from busmark.findings.cpu_time import cpu_use

        cpus = self.values("cpus", only_ok=False)
        lengths = self.values("measured_s", only_ok=False)
        found = {}
        for number, table in self.system_tables():
            use = cpu_use(table, cpus.get(number), lengths.get(number))
            if use is not None:
                found[number] = use
        return found

    @cached_property
    def throttling(self) -> dict[int, list[Throttling]]:
        """Return the control groups that CPU limits held back, in each finished round of which
        that is known."""
        from busmark.findings.cpu_time import throttling

        lengths = self.values("measured_s", only_ok=False)
        return {
            number: throttling(table, lengths.get(number))
            for number, table in self.system_tables()
            if table["throttled"].count()
        }

    @cached_property
    def stopped(self) -> dict[int, list[str]]:
        """Return the participants that a signal stopped, in each finished round in which it did."""
        found = {}
        for number in self.finished["round"].to_list():
            with suppress(UserError):
                table = self.result.participants(self.case.id, number)
                if table is not None:
                    held = table.filter(table["stopped"].fill_null(False))
                    found[number] = held["participant"].to_list()
        return {number: names for number, names in found.items() if names}

    @property
    def held_up(self) -> set[int]:
        """Return the rounds in which participants were suspended for a known reason: what is late
        there proves no other."""
        return self.stopped.keys() | {n for n, groups in self.throttling.items() if groups}

    def system_tables(self) -> Iterator[tuple[int, pl.DataFrame]]:
        """Yield the number and the table `system` of each finished round that has one. A file that
        cannot be read is left out, which the report states."""
        for number in self.finished["round"].to_list():
            with suppress(UserError):
                table = self.result.system(self.case.id, number)
                if table is not None:
                    yield number, table

    @cached_property
    def major_faults(self) -> int | None:
        """Return how often participants waited for a page from a disk, in all finished rounds; None
        where nobody counted."""
        import polars as pl

        own = (pl.col("scope") == "process") & (pl.col("participant") != READER)
        counts = [
            table.filter(own)["major_faults"].drop_nulls() for _, table in self.system_tables()
        ]
        known = [int(each.sum()) for each in counts if each.len()]
        return sum(known) if known else None

    @cached_property
    def _system(self) -> dict[int, dict[str, int | None]]:
        """Sums of the counts that rules ask for, by round."""
        import polars as pl

        sums = {}
        for number, table in self.system_tables():
            known = (pl.col(name).drop_nulls() for name in SYSTEM_COUNTS)
            totals = (pl.when(own.len() > 0).then(own.sum()) for own in known)
            sums[number] = table.select(totals).row(0, named=True)
        return sums

    @cached_property
    def latencies(self) -> dict[int, Series]:
        """Latency in ns of each ok round that has samples, in order of intended sending.

        From the intended time to the reading: the round trip where one was recorded, else one
        way, if all participants had one clock. Warm-up and lost samples are left out.
        """
        recorded, one_clock = self.values("samples"), self.values("one_clock")
        found = {}
        for number in self.ok["round"].to_list():
            if recorded.get(number) == 0:
                continue
            try:
                samples = self.result.samples(self.case.id, number)
                found[number] = self._latencies(samples, one_clock.get(number, True))
            except UserError as error:
                if number in recorded:
                    self.unreadable.append(error.message)
        return {number: series for number, series in found.items() if series.size}

    def once(self, compute: Callable[[CaseView], T]) -> T:
        """Return `compute(self)`, which is called once for all rules."""
        if compute not in self._computed:
            self._computed[compute] = compute(self)
        return cast("T", self._computed[compute])

    @cached_property
    def lateness(self) -> dict[int, float]:
        """By how much the median sample of each finished round was sent after its time, ns; of
        rounds whose samples were meant for a time."""
        late = {n: (own["sent_ns"] - own["intended_ns"]).median() for n, own in self._sent()}
        return {n: float(ns) for n, ns in late.items() if isinstance(ns, int | float)}

    @cached_property
    def held_back(self) -> dict[int, tuple[float, float]]:
        """Share of each finished round's samples that were read together with a later one of the
        same writer, though that was sent later, and their median latency, ns."""
        import polars as pl

        found = {}
        for number in self.finished["round"].to_list():
            with suppress(UserError):
                rows = measured(self.result.samples(self.case.id, number)).filter(
                    pl.col("read_ns").is_not_null() & pl.col("intended_ns").is_not_null()
                )
                # Who timed every sample, rather than some.
                timed = rows.filter(pl.col("role") == TIMED)
                if timed.is_empty():
                    timed = rows.filter(pl.col("role").is_in(ASKING))
                if timed.is_empty():
                    continue
                ends = ["writer", "reader"]
                sent, read = pl.col("intended_ns"), pl.col("read_ns")
                later = [(each.shift(-1) - each).over(ends) for each in (read, sent)]
                held = timed.sort(*ends, "intended_ns", maintain_order=True).filter(
                    (later[0].abs() < TOGETHER * later[1]) & (later[1] > 0)
                )
                waited = latency_ns(held).median()
                found[number] = (held.height / timed.height, float(cast("float", waited) or 0.0))
        return found

    @cached_property
    def longest_write(self) -> float | None:
        """The longest time that a recorded sample spent in `write`, ns."""
        longest = [(own["written_ns"] - own["sent_ns"]).max() for _, own in self._sent()]
        return max((float(ns) for ns in longest if isinstance(ns, int | float)), default=None)

    def _sent(self) -> Iterator[tuple[int, pl.DataFrame]]:
        """Yield the samples that writers recorded in each finished round, without warm-up."""
        for number in self.finished["round"].to_list():
            with suppress(UserError):
                samples = self.result.samples(self.case.id, number)
                yield number, measured(samples, *ASKING)

    def _latencies(self, samples: pl.DataFrame, one_clock: bool) -> Series:
        round_trips = measured(samples, *ASKING).drop_nulls("read_ns")
        if round_trips.is_empty() and one_clock:
            return latencies(measured(samples))
        self.quantity = NAMES.get(str(self.params.test), ROUND_TRIP_OF_PROBES)
        return latencies(round_trips)
