"""The rounds of a case: which attempt counts, and what becomes of the case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal

import polars as pl

from busmark.analysis.model import CaseStatus, RoundCounts, RoundSummary
from busmark.analysis.text import plural

Row = dict[str, Any]


def rows_of(cases: pl.DataFrame) -> dict[str, list[Row]]:
    """Rows of the table `cases` by case, each in order of round and attempt."""
    grouped: dict[str, list[Row]] = {}
    for row in cases.sort("round", "attempt", maintain_order=True).iter_rows(named=True):
        grouped.setdefault(row["case"], []).append(row)
    return grouped


def last_attempts(rows: Sequence[Row]) -> list[Row]:
    """The attempt of each round that decides its fate: the last one."""
    return list({row["round"]: row for row in rows}.values())


def counts(rows: Sequence[Row]) -> RoundCounts:
    """Rounds by status."""
    by_status = Counter(row["status"] for row in last_attempts(rows))
    return RoundCounts(ok=by_status["ok"], marked=by_status["marked"], failed=by_status["failed"])


def verdict(
    planned: Literal["planned", "unsupported"],
    reason: str | None,
    rounds: RoundCounts,
    rows: Sequence[Row],
) -> tuple[CaseStatus, str | None]:
    """Status of a case and, unless it is ok, the reason."""  # fmt: skip
    if planned == "unsupported":
        return "unsupported", reason
    if not rows:
        return "not_run", "no round of it was begun"
    if rounds.marked == rounds.failed == 0:
        return "ok", None
    bad = [row for row in last_attempts(rows) if row["status"] != "ok"]
    causes = Counter((row["status"], row["reason"] or "no reason recorded") for row in bad)
    told = "; ".join(
        f"{plural(number, 'round')} {status}: {cause}" for (status, cause), number in causes.items()
    )
    return ("partial" if rounds.ok else "failed"), told


def summary(row: Row) -> RoundSummary:
    """One attempt, for the list of rounds. A round trip is told as RTT/2, like its case."""
    scale = 0.5 if row["test"] == "latency" else 1.0
    return RoundSummary(
        round=row["round"],
        attempt=row["attempt"] or 0,
        status=row["status"],
        reason=row["reason"],
        started_utc=row["started_utc"],
        ended=row["ended"],
        warmup_s=row["warmup_s"],
        measured_s=row["measured_s"],
        samples=row["samples"],
        expected=row.get("expected"),
        received=row["received"],
        lost=row["lost"],
        corrupted=row["corrupted"],
        discovery_s=row.get("discovery_s"),
        median_ns=_scaled(row["median_ns"], scale),
        p99_ns=_scaled(row["p99_ns"], scale),
        samples_per_s=row["samples_per_s"],
        mbit_per_s=row["mbit_per_s"],
        cpu_busy=row["cpu_busy"],
        offset_ns=row.get("offset_ns"),
        offset_bound_ns=row.get("offset_bound_ns"),
        drift_ppm=row.get("drift_ppm"),
    )


def _scaled(value: float | None, scale: float) -> float | None:
    return None if value is None else value * scale
