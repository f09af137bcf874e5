"""What is missing at receivers, against what their middleware counts as lost."""

from __future__ import annotations

from typing import Any

from busmark.estimate.throughput import _numbered

from busmark.control.tables import _whereabouts


def receiver(missing: list[int], lost: int | None) -> dict[str, Any]:
    return {"role": "receiver", "accounts": [{"missing": each} for each in missing],
            "reader_counters": {"lost": lost}}  # fmt: skip


def test_each_reader_has_its_own_count() -> None:
    roles = [receiver([500, 20], 100), receiver([3], 10), {"role": "transmitter"}]
    # The second counts what it lost in the warm-up, too: that is no sample of the first.
    assert _whereabouts(roles) == {"middleware_lost": 110, "overwritten": 420}


def test_a_reader_without_a_count_leaves_both_open() -> None:
    nothing = {"middleware_lost": None, "overwritten": None}
    for roles in ([receiver([5], 1), receiver([5], None)], [], [{"role": "transmitter"}],
                  [{"role": "receiver", "accounts": []}]):  # fmt: skip
        assert _whereabouts(roles) == nothing


def test_by_numbers_is_the_rate_without_the_losses() -> None:
    row = {"samples_per_s": 100.0, "received": 500, "expected": 2000}
    assert _numbered(row) == 400.0
    for absent in ({"received": 0}, {"expected": None}, {"samples_per_s": None}):
        assert _numbered({**row, **absent}) is None
