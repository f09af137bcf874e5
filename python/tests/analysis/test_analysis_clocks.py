"""Legs between hosts whose clocks differ: the truth is known, the figures must hold it."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from busmark.estimate.latency import latency, ping_round
from busmark.estimate.samples import Pools, aligned
from busmark.estimate.throughput import probe_round

THERE, TURN, BACK = 400_000, 10_000, 30_000
"""A way there that is much longer than the way back, ns."""


def pings(offset: int, drift: float, seed: int = 1, count: int = 400) -> pl.DataFrame:
    """A round over a second; the second host's clock is ahead by `offset` and gains `drift`."""
    rng = np.random.default_rng(seed)
    sent = 10**15 + np.sort(rng.integers(0, 10**9, count))
    arrived = sent + THERE + rng.integers(0, 5_000, count)
    answered = arrived + TURN
    read = answered + BACK + rng.integers(0, 5_000, count)

    def by_second(stamps: np.ndarray) -> np.ndarray:
        return stamps + offset + (drift * (stamps - sent[0])).astype(np.int64)

    return pl.DataFrame({
        "role": "pinger", "flags": 0, "writer": 1, "seq": np.arange(count), "intended_ns": sent,
        "sent_ns": sent, "written_ns": sent + 1_000, "echo_delivered_ns": by_second(arrived - 500),
        "echo_read_ns": by_second(arrived), "echo_sent_ns": by_second(answered),
        "delivered_ns": read - 500, "read_ns": read,
    })  # fmt: skip


@pytest.mark.parametrize(("offset", "drift"), [(0, 0.0), (7 * 10**12, 5e-5), (-(10**9), -1e-4)])
def test_legs_between_hosts_hold_the_truth_within_their_bound(offset: int, drift: float) -> None:
    found = ping_round(0, pings(offset, drift), one_clock=False)
    # Half of what the way there and back take together is all that exchanges tell.
    assert 0 < found.bound_ns < (THERE + BACK + 10_000) / 2
    assert abs(found.medians["there"] - (THERE + 2_500)) <= found.bound_ns + 1_000
    assert abs(found.medians["back"] - (BACK + 2_500)) <= found.bound_ns + 1_000
    assert found.medians["turn-round"] == pytest.approx(TURN, abs=10)


def test_a_leg_below_its_bound_is_no_number() -> None:
    rounds = [ping_round(n, pings(10**12, 1e-5, n), one_clock=False) for n in range(3)]
    pools = Pools.of([(r.number, r.back) for r in rounds])
    whole = latency(rounds, pools, open_loop=False)
    legs = {leg.name: leg for leg in [whole.one_way_there, whole.one_way_back, *whole.legs] if leg}
    assert legs["back"].bound_ns > 200_000
    assert legs["there"].bounded == (legs["there"].median.value <= legs["there"].bound_ns)
    assert not legs["write"].bounded and legs["write"].bound_ns == 0


def test_with_one_clock_nothing_is_shifted() -> None:
    samples = pings(0, 0.0)
    same = aligned(samples, one_clock=True)
    assert same.samples is samples and same.bound_ns == 0
    found = ping_round(0, samples, one_clock=True)
    assert found.medians["there"] == pytest.approx(THERE + 2_500, abs=1_000)


def test_a_clock_that_steps_leaves_only_what_is_within_a_host() -> None:
    samples = pings(0, 0.0).with_columns(
        pl.when(pl.col("seq") > 200).then(pl.col(name) + 10**8).otherwise(pl.col(name)).alias(name)
        for name in ("echo_delivered_ns", "echo_read_ns", "echo_sent_ns")
    )
    found = ping_round(0, samples, one_clock=False)
    assert set(found.medians) == {"write", "read", "turn-round"}


def test_a_stream_is_put_right_by_its_echoed_probes() -> None:
    probes = pings(5 * 10**11, 0.0).with_columns(role=pl.lit("transmitter"))
    late = 3_000_000
    received = probes.with_columns(
        role=pl.lit("receiver"), read_ns=pl.col("sent_ns") + late + 5 * 10**11,
        delivered_ns=pl.col("sent_ns") + late + 5 * 10**11,
    )  # fmt: skip
    found = probe_round(0, pl.concat([probes, received]), one_clock=False)
    assert np.median(found.one_way.latency) == pytest.approx(late, abs=250_000)
    assert np.median(found.round_trip.latency) == pytest.approx(
        THERE + TURN + BACK + 5_000, abs=2_000
    )
