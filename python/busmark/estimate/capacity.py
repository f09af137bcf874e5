"""The greatest sustained rate of a case, from its trials."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

from busmark.links import links
from busmark.model.entry import SERVICES, RowKey
from busmark.model.figure import CONFIDENCE, Figure
from busmark.model.parameters import Parameters
from busmark.model.quantities.service import REQUEST_RATE
from busmark.model.quantities.stream import GOODPUT, SUSTAINED_RATE
from busmark.model.stream import SEARCHED, CapacitySearch, Trial

Row = Mapping[str, Any]


def capacity(
    scenario: Mapping[str, Any], params: Parameters, rows: Sequence[Row]
) -> tuple[CapacitySearch, list[tuple[RowKey, Figure | None]]] | None:
    """Find a case's capacity from its finished trials, in order of execution: how the search went,
    and its figures, whose interval is the bracket of the limit; None without any trial."""
    if not rows:
        return None
    asked = scenario.get("capacity") or {}
    trials = [_trial(params, row) for row in rows]
    last = rows[-1]
    wanted = int(asked.get("confirm", 0))
    confidence = float(asked.get("confidence", CONFIDENCE))
    rate = sustained = None
    # A search of which no trial passed ends at its lowest rate, which is none that was sustained.
    passed = any(row["rate_hz"] and row["shortfall"] is None for row in rows)
    of_service = params.test in SERVICES
    unit = "1/s" if of_service else "Mbit/s"
    if last["sustained_hz"] is not None and passed:
        limits = (last["sustained_hz"], last["bracket_low_hz"], last["bracket_high_hz"])
        rate = _figure(limits, "1/s", rows, confidence)
        carried = _per_hz(rows, "samples_per_s" if of_service else "mbit_per_s")
        if carried is not None:
            sustained = _figure([v * carried for v in limits], unit, rows, confidence)
    found = CapacitySearch(
        confirmed=last["confirmed"] or 0,
        confirm=wanted,
        reached=rate is not None and (last["confirmed"] or 0) >= wanted,
        limited_by=_limit(rows, last["sustained_hz"]),
        trials=trials,
    )
    return found, [(REQUEST_RATE if of_service else GOODPUT, sustained), (SUSTAINED_RATE, rate)]


def _figure(limits: Sequence[float], unit: str, rows: Sequence[Row], confidence: float) -> Figure:
    value, low, high = limits
    return Figure(
        value=value,
        low=min(low, value),
        high=max(high, value),
        confidence=confidence,
        count=sum(row["received"] or 0 for row in rows),
        rounds=len(rows),
        unit=unit,
    )


def _trial(params: Parameters, row: Row) -> Trial:
    rate, sent, expected = row["rate_hz"], row["sent"], row["expected"]
    # One sample is expected by each reader that it is for.
    bits = (params.size or 0) * 8 * (expected / sent if sent else 1.0)
    # An older Busmark did not record the number of writers.
    counted = rate is None or not row["senders"]
    offered_hz = (row["written_per_s"] or 0.0) if counted else rate * row["senders"]
    return Trial(
        round=row["round"],
        rate_hz=rate,
        offered_mbit_per_s=offered_hz * bits / 1e6,
        mbit_per_s=row["mbit_per_s"],
        offered_per_s=offered_hz,
        answered_per_s=row["samples_per_s"] if params.test in SERVICES else None,
        loss=row["lost"] / expected if expected else None,
        p99_ns=row["p99_ns"],
        shortfall=row["shortfall"],
    )


def _per_hz(rows: Sequence[Row], column: str) -> float | None:
    """Return what arrived, by this column, per sample or request per second of a writer or client,
    in trials that passed."""
    passed = [r for r in rows if r["rate_hz"] and r["shortfall"] is None and r[column]]
    if not passed:
        return None
    return float(sum(r[column] / r["rate_hz"] for r in passed) / len(passed))


def _limit(rows: Sequence[Row], sustained_hz: float | None) -> str | None:
    """Return what most of the failed trials nearest to the rate fell short in, without its
    number."""
    failed = [r for r in rows if r["shortfall"] is not None]
    if sustained_hz:
        near = [r for r in failed if r["rate_hz"] < 2 * sustained_hz]
        failed = near or failed
    kinds = Counter(_kind(r["shortfall"]) for r in failed)
    return kinds.most_common(1)[0][0] if kinds else None


KINDS = {
    **{word: word for of in SEARCHED.values() for word in (of.senders, of.lost, of.receivers)},
    "lost": "loss",
    "99th percentile": "p99",
}
"""What trials fall short in, by the beginning of the sentence that says so."""


def _kind(shortfall: str) -> str:
    begins = (kind for words, kind in KINDS.items() if shortfall.startswith(words))
    return next(begins, shortfall)


def directions(params: Parameters) -> int:
    """Return the number of directions in which samples travel at once."""
    return 2 if params.topology == "bidirectional" else 1


def specified_mbit_per_s(params: Parameters) -> float:
    """Return what a case with a rate asks to leave one node, to all readers together."""
    counts = ("publishers", "writers", "topics", "subscribers", "readers")
    # As null where a damaged manifest has no number.
    flows = prod(getattr(params, name) or 1 for name in counts)
    return float((params.rate_hz or 0.0) * flows * (params.size or 0) * 8 / 1e6)


def rated_mbit_per_s(params: Parameters) -> float | None:
    """Return the rated capacity of the lab's links, in Mbit/s; None where they have none."""
    rate = params.link_rate
    return links(rate, "", "", "").rate_bit_s / 1e6 if rate else None
