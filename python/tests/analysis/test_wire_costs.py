"""Wire costs of a case by hand, and that cases without a capture have none."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from busmark.compare.measured import of_rounds
from busmark.estimate.route import wire

from busmark.model.parameters import Parameters
from busmark.store.columns import polars_schema

PARAMS = Parameters(size=100)


def row(number: int, **known: Any) -> dict[str, Any]:
    return {
        "round": number, "test": "latency", "samples": 5, "received": None, "wire_samples": 10,
        "wire_packets": 15, "wire_bytes": 3280,
        "wire_control_bytes": 820, "wire_repeated_bytes": 0, "wire_discovery_packets": 7,
        "wire_discovery_bytes": 700, **known,
    }  # fmt: skip


def table(purpose: str, packets: int) -> pl.DataFrame:
    counts = {"packets": 3 * packets, "wire_bytes": 300 * packets}
    inside = {"window_packets": packets, "window_wire_bytes": 100 * packets}
    rows = [{"case": "c", "round": 0, "purpose": purpose, **counts, **inside}]
    return pl.DataFrame(rows, schema=polars_schema("wire"))


def test_costs_are_medians_over_rounds() -> None:
    rows = [row(0), row(1, wire_bytes=1640), row(2, wire_bytes=6560)]
    found = wire(PARAMS, rows, [table("data", 4), table("data", 5), table("other", 1)])
    assert found is not None and found.samples == 30
    assert found.bytes_per_sample and found.bytes_per_sample.value == 328
    assert found.packets_per_sample and found.packets_per_sample.value == 1.5
    # 10 samples of 64 and 100 bytes.
    assert found.overhead_share and found.overhead_share.value == pytest.approx(0.5)
    assert found.control_share and found.control_share.value == pytest.approx(0.25)
    assert found.repeated_share and found.repeated_share.value == 0
    assert found.discovery_bytes and found.discovery_bytes.value == 700
    told = {one.name: (one.packets, one.bytes, one.round_packets) for one in found.purposes}
    assert told == {"data": (9, 900, 27), "other": (1, 100, 3)}


def test_sizes_that_vary_have_no_overhead() -> None:
    found = wire(PARAMS.changed(size_distribution="uniform"), [row(0)], [])
    assert found is not None and found.overhead_share is None and found.bytes_per_sample


def test_a_round_without_samples_on_the_wire_has_no_cost_of_one() -> None:
    nothing = row(0, wire_samples=0, wire_bytes=0, test="latency", samples=0, received=None)
    found = wire(PARAMS, [nothing], [])
    assert found is not None and found.bytes_per_sample is None and found.control_share is None


def test_without_a_capture_there_is_nothing_and_nothing_to_compare() -> None:
    plain = {"round": 0, "wire_samples": None, "sent": 5, "expected": 5, "lost": 0}
    assert wire(PARAMS, [plain, {"round": 1}], []) is None
    names = of_rounds("latency", PARAMS, [plain], of_stream=False)
    assert not any("wire" in name or "bytes" in name for name in names)
    assert {"wire_bytes", "wire_packets", "discovery_bytes"} <= of_rounds(
        "latency", PARAMS, [row(0, sent=5, expected=5, lost=0)], of_stream=False
    ).keys()
