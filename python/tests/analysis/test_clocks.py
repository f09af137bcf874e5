"""Segments between hosts whose clocks differ: the truth is known, and the figures hold it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from seams import Estimates, shown
from synthetic_campaign import Builder

Array = np.ndarray[Any, np.dtype[np.int64]]
THERE, TURN, BACK = 400_000, 10_000, 30_000
"""A way there that is much longer than the way back, ns."""


def result(
    folder: Path, second: Callable[[Array], Array], *, one_clock: bool = False,
    test: str = "latency",
) -> Estimates:  # fmt: skip
    """Estimate rounds over a second; `second` converts true stamps to the second host's clock."""
    build = Builder(folder)
    case = build.case("two-hosts", test=test)
    for number in range(3):
        rng = np.random.default_rng(number)
        sent = 10**15 + np.sort(rng.integers(0, 10**9, 400))
        arrived = sent + THERE + rng.integers(0, 5_000, 400)
        read = arrived + TURN + BACK + rng.integers(0, 5_000, 400)
        stamps = {
            "intended_ns": sent, "sent_ns": sent, "written_ns": sent + 1_000,
            "echo_delivered_ns": second(arrived - 500), "echo_read_ns": second(arrived),
            "echo_sent_ns": second(arrived + TURN), "delivered_ns": read - 500, "read_ns": read,
        }  # fmt: skip
        role = "pinger" if test == "latency" else "transmitter"
        rows = [
            {"role": role, "flags": 0, "writer": 1, "seq": n,
             **{name: int(values[n]) for name, values in stamps.items()}}
            for n in range(400)
        ]  # fmt: skip
        if test == "throughput":
            late = second(sent + 3_000_000)
            rows += [
                {**row, "role": "receiver", "reader": 2, "read_ns": int(late[n]),
                 "delivered_ns": int(late[n])} for n, row in enumerate(rows)
            ]  # fmt: skip
            build.stream(case, number, 400.0, 64, probes=0, one_clock=one_clock)
        else:
            build.row(case, number, samples=400, lost=0, sent=400, one_clock=one_clock)
        build.table("samples", case, number, rows)
    return Estimates(build.finish())


def ahead(by: int, drift: float = 0.0) -> Callable[[Array], Array]:
    return lambda stamps: stamps + by + (drift * (stamps - 10**15)).astype(np.int64)


@pytest.mark.parametrize(("offset", "drift"), [(7 * 10**12, 5e-5), (-(10**9), -1e-4)])
def test_segments_between_hosts_hold_the_truth_within_their_bound(
    tmp_path: Path, offset: int, drift: float
) -> None:
    found = result(tmp_path, ahead(offset, drift))
    (case,) = shown(tmp_path).cases
    ways = (case.latency.one_way_there, THERE), (case.latency.one_way_back, BACK)
    for way, truth in ways:
        # Half of what the way there and back take together is all that exchanges show.
        assert 0 < way.bound_ns < (THERE + BACK + 10_000) / 2
        assert abs(way.median.value - truth - 2_500) <= way.bound_ns + 1_000
        row = found.row("segment", "median", scope="segment", of=way.name)
        assert (row["bound"] == "upper") == (way.median.value <= way.bound_ns)
    turn, write = (found.row("segment", "median", scope="segment", of=of)
                   for of in ("turn-round", "write"))  # fmt: skip
    assert turn["value"] == pytest.approx(TURN, abs=10) and turn["bound"] is None
    assert (write["value"], write["bound"]) == (1_000, None)


def test_with_one_clock_nothing_is_shifted(tmp_path: Path) -> None:
    found = result(tmp_path, ahead(0), one_clock=True)
    assert found.value("segment", "median", scope="segment", of="there") == pytest.approx(
        THERE + 2_500, abs=1_000
    )


def test_a_clock_that_steps_leaves_only_what_is_within_a_host(tmp_path: Path) -> None:
    step = result(tmp_path, lambda stamps: stamps + np.where(np.arange(400) > 200, 10**8, 0))
    assert {row["of"] for row in step.rows("segment", "median", scope="segment")} == {
        "write", "read", "turn-round",
    }  # fmt: skip


def test_a_stream_is_aligned_by_its_echoed_probes(tmp_path: Path) -> None:
    found = result(tmp_path, ahead(5 * 10**11), test="throughput")
    assert found.value("one_way", "median") == pytest.approx(3_000_000, abs=250_000)
    round_trip = found.rows("round_trip", "median", scope="case")
    assert [row["value"] for row in round_trip] == [pytest.approx(445_000, abs=2_000)]
