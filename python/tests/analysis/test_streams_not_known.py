"""What an imported source does not state about a stream stays absent."""

from __future__ import annotations

from typing import Any

import pytest
from busmark.estimate.throughput import Probes, throughput

COUNTED = ("sent", "received", "lost", "expected", "duplicated", "out_of_order", "foreign",
           "corrupted")  # fmt: skip


def row(number: int, **known: Any) -> dict[str, Any]:
    rates = {"samples_per_s": 1e4 + number, "mbit_per_s": 100.0 + number, "written_per_s": None}
    return dict.fromkeys(COUNTED) | rates | {"round": number} | known


def of(*rows: dict[str, Any]) -> Any:
    return throughput(rows, Probes.of([]))


def test_loss_is_known_from_what_was_to_come_where_what_was_sent_is_not() -> None:
    found = of(*[row(n, received=900, lost=100, expected=1000) for n in range(3)])
    assert found.loss_share.value == pytest.approx(0.1)
    assert found.loss_share.count == 3000
    assert (found.sent, found.received, found.lost) == (None, 2700, 300)


def test_a_count_that_is_not_known_is_not_zero() -> None:
    found = of(*[row(n) for n in range(3)])
    assert found.mbit_per_s.count is None and found.samples_per_s.count is None
    assert found.loss_share is None


def test_a_total_needs_every_round() -> None:
    found = of(row(0, sent=1000), row(1, sent=1000, received=900, lost=100, expected=1000))
    assert (found.sent, found.received, found.lost) == (2000, None, None)
    assert found.loss_share.value == pytest.approx(0.1)
    assert found.loss_share.rounds == 1
