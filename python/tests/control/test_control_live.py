"""What workers tell while a round is measured is put together as what it is."""

from __future__ import annotations

from typing import Any

import pytest
from planted import params

from busmark.control.live import LOOKS, Sights, quantile
from busmark.model.parameters import Parameters
from busmark.plan.flows import flows


def interval(counts: list[dict[str, int]], seen: list[dict[str, Any]], end_s: float = 2.0) -> Any:
    return {
        "event": "interval", "begin_ns": int((end_s - 1) * 1e9), "end_ns": int(end_s * 1e9),
        "counts": counts, "seen": seen,
    }  # fmt: skip


def seen(role: int, round_trips: list[int], asked: int = 0, unanswered: int = 0) -> dict[str, Any]:
    return {
        "role": role, "round_trips_ns": round_trips, "asked": asked, "unanswered": unanswered,
    }  # fmt: skip


def sights(**of: Any) -> tuple[Sights, int, int]:
    """Sights of a case; the numbers of its writer and of its reader."""
    case = Parameters.model_validate(params("udp", **of))
    built = flows(case)
    kind = "pings" if case.test == "latency" else "stream"
    (flow,) = [flow for flow in built.flows if flow.kind == kind and not flow.beside]
    return Sights(case, built), flow.writers[0].number, flow.readers[0].number


def test_nothing_is_known_before_the_first_look() -> None:
    found, writer, _ = sights()
    assert found.latest() is None
    found.of(0)({"event": "progress", "writer": writer, "begin_ns": 5})
    assert found.latest() is None


def test_pings_have_median_tail_rate_and_what_was_not_answered() -> None:
    found, pinger, _ = sights()
    own = {"role": pinger, "writer": pinger}
    hear = found.of(0)
    hear(interval([{**own, "samples": 500}], [seen(pinger, list(range(1, 51)))]))
    live = found.latest()
    assert live and live.rate_hz == 500.0 and live.median_ns == 26.0
    assert live.p99_ns is None and live.looked_at == 0, "too few for a tail"
    hear(interval([{**own, "samples": 700}], [seen(pinger, list(range(51, 201)), 50, 2)], 3.0))
    live = found.latest()
    assert live and (live.rate_hz, live.looked_at, live.unanswered) == (700.0, 50, 2)
    assert live.p99_ns == 199.0 and live.latencies == 200
    assert live.trend == (26.0, 126.0)


def test_old_looks_are_forgotten() -> None:
    found, pinger, _ = sights()
    for value in range(LOOKS + 3):
        found.of(0)(interval([], [seen(pinger, [value])]))
    live = found.latest()
    assert live and live.latencies == LOOKS and live.median_ns == 3 + LOOKS // 2


def test_a_stream_has_the_rate_of_its_readers_and_the_round_trips_of_its_probes() -> None:
    found, writer, reader = sights(test="throughput")
    received = [{"role": reader, "writer": writer, "samples": 9000}]
    found.of(1)(interval(received, []))
    found.of(0)(interval([], [seen(writer, [10, 20, 30], 3, 1)]))
    live = found.latest()
    assert live and live.rate_hz == 9000.0 and live.median_ns == 20.0
    assert (live.looked_at, live.unanswered) == (3, 1) and live.trend == (9000.0,)


def test_probes_that_the_filter_leaves_out_are_not_lost() -> None:
    found, writer, _ = sights(test="throughput", instances=4, filter_below=1)
    found.of(0)(interval([], [seen(writer, [10], 8, 6)]))
    live = found.latest()
    assert live and (live.looked_at, live.unanswered) == (0, 0)


def test_numbers_of_nobody_count_for_nothing() -> None:
    found, _, _ = sights()
    found.of(0)(interval([{"role": 99, "writer": 99, "samples": 5}], [seen(99, [1])]))
    assert found.latest() is None


@pytest.mark.parametrize(("share", "value"), [(0.0, 1.0), (0.5, 3.0), (0.99, 4.0), (1.0, 4.0)])
def test_a_quantile_is_one_of_the_values(share: float, value: float) -> None:
    assert quantile([1, 2, 3, 4], share) == value
