"""The rounds of a case: which attempt counts, what each says, and how precise they are together."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any, Literal

import polars as pl

from busmark.model.discovery import RoundDiscovery
from busmark.model.entry import EXCHANGES, SEARCHES
from busmark.model.figure import LATENCY_OF
from busmark.model.figures import Estimated
from busmark.model.parameters import Parameters
from busmark.model.rounds import (
    OF_DISCOVERY,
    OF_ROUNDS,
    OF_TIMES,
    CaseStatus,
    Precision,
    RoundCounts,
    RoundSummary,
    RoundTimes,
)
from busmark.model.text import plural
from busmark.stats import StatisticSpread
from busmark.store.columns import LOAD_UNITS

Row = dict[str, Any]

FIGURE = re.compile(r"\d[\d.,\N{NARROW NO-BREAK SPACE}]*")


def rows_of(cases: pl.DataFrame) -> dict[str, list[Row]]:
    """Group the rows of the table `cases` by case, each in order of round and attempt."""
    grouped: dict[str, list[Row]] = {}
    for row in cases.sort("round", "attempt", maintain_order=True).iter_rows(named=True):
        grouped.setdefault(row["case"], []).append(row)
    return grouped


def last_attempts(rows: Sequence[Row]) -> list[Row]:
    """Return the attempt of each round that decides its fate: the last one."""
    return list({row["round"]: row for row in rows}.values())


def counts(rows: Sequence[Row]) -> RoundCounts:
    """Count the rounds by the status of their last attempt."""
    by_status = Counter(row["status"] for row in last_attempts(rows))
    return RoundCounts(ok=by_status["ok"], marked=by_status["marked"], failed=by_status["failed"])


def verdict(
    planned: Literal["planned", "unsupported"],
    reason: str | None,
    rounds: RoundCounts,
    rows: Sequence[Row],
) -> tuple[CaseStatus, str | None]:
    """Return the status of a case and, unless it is ok, the reason."""
    if planned == "unsupported":
        return "unsupported", reason
    if not rows:
        return "not_run", "no round of it was begun"
    if rounds.marked == rounds.failed == 0:
        return "ok", None
    bad = [row for row in last_attempts(rows) if row["status"] != "ok"]
    return ("partial" if rounds.ok else "failed"), "; ".join(_causes(bad))


def _causes(bad: Sequence[Row]) -> list[str]:
    """Return why rounds are no good; the first stands for all reasons that differ in figures
    only."""
    alike: dict[tuple[str, str], list[str]] = {}
    for row in bad:
        reason = row["reason"] or "no reason recorded"
        alike.setdefault((row["status"], FIGURE.sub("0", reason)), []).append(reason)
    return [
        f"{plural(len(reasons), 'round')} {status}"
        f"{', such as' if len({*reasons}) > 1 else ''}: {reasons[0]}"
        for (status, _), reasons in alike.items()
    ]


def summary(row: Row) -> RoundSummary:
    """Summarise one attempt, for the list of rounds."""
    return RoundSummary(
        round=row["round"],
        attempt=row["attempt"] or 0,
        status=row["status"],
        reason=row["reason"],
        changed=row["changed"],
        started_utc=row["started_utc"],
        ended=row["ended"],
        warmup_s=row["warmup_s"],
        measured_s=row["measured_s"],
        chosen_s=row.get("chosen_s"),
        samples=row["samples"],
        expected=row.get("expected"),
        received=row["received"],
        lost=row["lost"],
        corrupted=row["corrupted"],
        loads=achieved(row),
        discovery_s=row.get("discovery_s"),
        discovery_resolution_s=row.get("discovery_resolution_s"),
        times=_times(row),
        theoretical_per_s=row.get("theoretical_per_s"),
        written_per_s=row.get("written_per_s"),
        samples_per_s=row["samples_per_s"],
        mbit_per_s=row["mbit_per_s"],
        first_sample_ns=row.get("first_sample_ns"),
        goal_accepted_ns=row.get("goal_accepted_ns"),
        discovery=_discovery(row),
        batches=_together(row, "batches", "batches_unacknowledged"),
        batches_unacknowledged=row.get("batches_unacknowledged"),
        batch_ns=row.get("batch_ns"),
        cpu_busy=row["cpu_busy"],
        offset_ns=row.get("offset_ns"),
        offset_bound_ns=row.get("offset_bound_ns"),
        drift_ppm=row.get("drift_ppm"),
        drift_bound_ppm=row.get("drift_bound_ppm"),
    )


def _discovery(row: Row) -> RoundDiscovery | None:
    if row.get("repetitions") is None:
        return None
    return RoundDiscovery(**{name: row.get(name) for name in RoundDiscovery.model_fields})


def achieved(row: Row) -> dict[str, float]:
    """Return the level that each background load achieved, by kind, as far as it is known."""
    levels = ((kind, row.get(f"load_{kind}_achieved")) for kind in LOAD_UNITS)
    return {kind: level for kind, level in levels if level is not None}


def _together(row: Row, *columns: str) -> int | None:
    """Sum the columns; return None where one is not known."""
    known = [row[column] for column in columns if row.get(column) is not None]
    return sum(known) if len(known) == len(columns) else None


def _times(row: Row) -> RoundTimes | None:
    """Return what is stored of round trips, of pings as RTT/2; None where nothing is known."""
    names = [name for name in RoundTimes.model_fields if name != "quantity"]
    known = {name: value for name in names if (value := row.get(name)) is not None}
    if not known:
        return None
    halved = row["test"] == "latency"
    scale = {name: 0.25 if name.endswith("ns2") else 0.5 for name in names if halved}
    return RoundTimes(
        quantity=LATENCY_OF[row["test"]] if row["test"] in EXCHANGES else "round_trip",
        **{"median_ns": None, "p99_ns": None}
        | {name: value * scale.get(name, 1.0) for name, value in known.items()},
    )


def figures(attempt: RoundSummary, known: Container[tuple[str, str]]) -> Iterator[Estimated]:
    """Yield the rows of one round: statistics of its latency but for the `known` ones (quantity,
    statistic), which its samples gave; its counts and rates."""
    number = attempt.round
    if times := attempt.times:
        for of in OF_TIMES:
            value = getattr(times, of.field)
            if value is not None and (times.quantity, of.quantity) not in known:
                yield Estimated(
                    times.quantity,
                    of.quantity,
                    value,
                    of.unit,
                    "round",
                    round=number,
                    count=attempt.samples,
                    rounds=1,
                )
    of_loads = {f"loads_{kind}": level for kind, level in attempt.loads.items()}
    for table, found in ((OF_ROUNDS, attempt), (OF_DISCOVERY, attempt.discovery)):
        for of in table if found else ():
            value = getattr(found, of.field)
            if value is not None:
                yield Estimated(of.quantity, of.statistic, value, of.unit, "round", round=number)
            if of.field == "corrupted":
                for name, level in of_loads.items():
                    yield Estimated(name, "value", level, "", "round", round=number)


def total(rows: Sequence[Row], column: str) -> int | None:
    """Return the sum of the known values of a column; None if there are none."""
    found = [value for row in rows if (value := row.get(column)) is not None]
    return sum(found) if found else None


def trials(rows: Sequence[Row]) -> list[Row]:
    """Return the trials of a search for the capacity, in order of execution. A row of another test,
    of a damaged manifest, does not have what a trial has."""
    return sorted((row for row in rows if row["test"] in SEARCHES), key=lambda row: row["order"])


FIXED_ROUNDS = 20

FIXED_SAMPLES = 2000
"""The schedule of MiddleMeasure (2010) and of many a benchmark since, of which no number was ever
justified."""


def precision(
    scenario: Mapping[str, Any], params: Parameters, rows: Sequence[Row]
) -> Precision | None:
    """Return how precise the counted `rows` of a case are; None if the scenario has no target."""
    target = float((scenario.get("rounds") or {}).get("target") or 0.0)
    known = [row for row in rows if row.get("statistic_value") is not None]
    if not target or not known:
        return None
    spread = None
    if len(known) > 1:
        values = [row["statistic_value"] for row in known]
        spread = StatisticSpread.from_rounds(values, [row["statistic_variance"] for row in known])
    width = spread.relative_half_width() if spread else None
    fixed = _fixed(spread, params, known) if spread else None
    return Precision(
        statistic=str(params.statistic),
        target=target,
        relative_half_width=width,
        reached=width is not None and width <= target,
        chosen_s=_chosen(known),
        spent_s=sum(_total_s(row) + float(row["failed_s"] or 0.0) for row in known),
        fixed_relative_half_width=fixed[0] if fixed else None,
        fixed_s=fixed[1] if fixed else None,
    )


def _total_s(row: Row) -> float:
    return sum(float(row[part] or 0.0) for part in ("warmup_s", "measured_s", "overhead_s"))


def _fixed(
    spread: StatisticSpread, params: Parameters, rows: Sequence[Row]
) -> tuple[float | None, float]:
    """Predict the relative half-width and the time of the fixed schedule from these rounds, which
    may differ in length. Streams are not counted in samples: they keep their length."""
    round_s = sum(_total_s(row) for row in rows) / len(rows)
    counted = [row for row in rows if row["samples"]]
    if params.test == "latency" and counted:
        samples = sum(row["samples"] for row in counted)
        # What one sample more would take from the variation inside is the same in all of them.
        of_one = sum(row["statistic_variance"] * row["samples"] for row in counted) / len(counted)
        if spread.inside > 0.0 and of_one > 0.0:
            spread = spread.with_samples(spread.inside * FIXED_SAMPLES / of_one)
        measured_s = sum(float(row["measured_s"] or 0.0) for row in rows)
        round_s += measured_s * (FIXED_SAMPLES / samples - 1.0 / len(rows))
    return spread.relative_half_width(FIXED_ROUNDS), FIXED_ROUNDS * round_s


def _chosen(rows: Sequence[Row]) -> tuple[float, float] | None:
    known = [float(row["chosen_s"]) for row in rows if row.get("chosen_s")]
    return (min(known), max(known)) if known else None
