"""One case that has been run, as a rule sees it."""

from __future__ import annotations

from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any

from busmark.errors import UserError
from busmark.findings.rule import Capabilities, Params

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from busmark.store.manifest import Case
    from busmark.store.result import Result

    Series = NDArray[np.float64]

WARM_UP = 1
"""Bit of the column `flags`."""

SYSTEM_COUNTS = (
    "swap_in_pages", "swap_out_pages", "softnet_drops", "rx_drops", "tx_drops", "throttled",
    "throttled_ns",
)  # fmt: skip

ROUND_TRIP_ROLES = ("pinger", "transmitter")


class CaseView:
    """A case, its rows of the table of rounds, and its latencies, each read once when asked for.

    A round may have been tried several times; its row is that of the last try.
    """

    def __init__(self, case: Case, result: Result) -> None:
        self.case = case
        self.result = result
        self.quantity = "one-way latency"
        """What `latencies` holds, in words; known after it was asked for."""
        self.unreadable: list[str] = []
        """Why samples of a round could not be read; complete after `latencies` was asked for."""

    @property
    def params(self) -> Params:
        return self.case.params

    @property
    def capabilities(self) -> Capabilities:
        """Of the case's adapter; empty where the manifest has none."""
        return self.result.manifest.adapters.get(str(self.params.get("adapter")), {})

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
        """A column's values that are there, by round. An unknown column has none."""
        rows = self.ok if only_ok else self.finished
        if column not in rows.columns:
            return {}
        pairs = zip(rows["round"].to_list(), rows[column].to_list(), strict=True)
        return {number: value for number, value in pairs if value is not None}

    def total(self, column: str) -> int:
        """Sum of a count over all finished rounds; absent values add nothing."""
        return int(sum(self.values(column, only_ok=False).values()))

    def system(self, column: str) -> dict[int, int]:
        """Sum of a count of the table `system` in each finished round that has it."""
        rows = ((number, sums.get(column)) for number, sums in self._system.items())
        return {number: total for number, total in rows if total is not None}

    @cached_property
    def _system(self) -> dict[int, dict[str, int | None]]:
        """Sums of the counts that rules ask for, by round. A file that cannot be read has none: the
        report tells of it."""
        import polars as pl

        sums = {}
        for number in self.finished["round"].to_list():
            with suppress(UserError):
                table = self.result.system(self.case.id, number)
                if table is not None:
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

    def _latencies(self, samples: pl.DataFrame, one_clock: bool) -> Series:
        import numpy as np
        import polars as pl

        measured = samples.with_columns(
            pl.coalesce("intended_ns", "sent_ns").alias("start")
        ).filter(
            (pl.col("flags").fill_null(0) & WARM_UP == 0)
            & pl.col("read_ns").is_not_null()
            & pl.col("start").is_not_null()
        )
        round_trips = measured.filter(pl.col("role").is_in(ROUND_TRIP_ROLES))
        if not round_trips.is_empty() or not one_clock:
            measured, self.quantity = round_trips, "round trip"
        ordered = measured.sort("start", maintain_order=True)
        return (ordered["read_ns"] - ordered["start"]).to_numpy().astype(np.float64)
