"""One case that has been run, as a rule sees it."""

from __future__ import annotations

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

ROUND_TRIP_ROLES = ("pinger", "transmitter")


class CaseView:
    """A case, its rows of the table of rounds, and its latencies, each read once when asked for.

    A round may have been tried several times; `tries` has every row, all else speaks of the last
    try of each round.
    """

    def __init__(self, case: Case, result: Result) -> None:
        import polars as pl

        self.case = case
        self.result = result
        self.tries: pl.DataFrame = result.cases.filter(pl.col("case") == case.id)
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
        """The last try of each round, by round."""
        return self.tries.sort("round", "attempt").unique("round", keep="last", maintain_order=True)

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
