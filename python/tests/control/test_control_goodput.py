"""Rates of a round, from what its roles report: inputs made up, answers known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from busmark.control import RoundData, rates
from busmark.model.parameters import Parameters
from busmark.plan import End, Flows, PlannedFlow, PlannedParticipant

SECOND = 10**9
READER = 100
"""The number of the first reader; writers have those below."""


def wrote(writer: int, begin_ns: int, last_ns: int, samples: int) -> dict[str, Any]:
    """Return a transmitter's report: writes of one length, the last begun at `last_ns`."""
    end_ns = last_ns + (last_ns - begin_ns) // (samples - 1)
    return {"writer": writer, "sent": samples, "begin_ns": begin_ns, "last_ns": last_ns,
            "end_ns": end_ns}  # fmt: skip


def flow(writer: int, first_ns: int, last_ns: int, samples: int) -> dict[str, Any]:
    """Return a reader's counts of a writer."""
    return {"writer": writer, "span_ns": [first_ns, last_ns], "samples": [samples],
            "bytes": [samples * 1000]}  # fmt: skip


def receiver(*flows: dict[str, Any]) -> dict[str, Any]:
    """Return a receiver's report."""
    return {"role": "receiver", "intervals": list(flows), "accounts": [{}] * len(flows)}


def stream(writers: Sequence[int], readers: int = 1, rate_hz: float = 0.0,
           **of: Any) -> PlannedFlow:  # fmt: skip
    """Return a flow with readers numbered from `READER`."""
    someone = PlannedParticipant(
        name="someone", adapter="paper", transport="fast", wait="poll", settings={}, fifo=0
    )
    return PlannedFlow(
        name="stream", topic="there", answers="back", arrivals="constant", rate_hz=rate_hz,
        writers=[End(n, someone) for n in writers],
        readers=[End(READER + n, someone) for n in range(readers)],
        payload="octet", size=1000, qos={}, **of,
    )  # fmt: skip


def rates_of(run: list[dict[str, Any]], *receivers: dict[str, Any], rate_hz: float = 0.0,
       **flow: Any) -> dict[str, Any]:  # fmt: skip
    one = stream([report["writer"] for report in run], len(receivers), rate_hz, **flow)
    roles = [{**role, "writer": READER + n} for n, role in enumerate(receivers)]
    data = RoundData(flows=Flows((), (one,)), run=run, roles=roles)
    return rates(Parameters(test="throughput", rate_hz=rate_hz or None), data, run)


def test_a_steady_stream_has_the_rate_of_its_arrivals() -> None:
    found = rates_of([wrote(1, 0, 2 * SECOND, 2001)], receiver(flow(1, SECOND, 3 * SECOND, 2001)))
    assert (found["samples_per_s"], found["written_per_s"]) == pytest.approx((1000, 1000))
    assert found["mbit_per_s"] == 8
    assert found["theoretical_per_s"] is None


def test_samples_that_come_all_at_once_were_not_carried_at_that_rate() -> None:
    run = [wrote(1, 0, SECOND // 2, 501)]
    assert rates_of(run, receiver(flow(1, SECOND, SECOND + 1000, 501)))["samples_per_s"] == 1000


def test_what_comes_late_takes_longer() -> None:
    run = [wrote(1, 0, SECOND, 4001)]
    assert rates_of(run, receiver(flow(1, 0, 4 * SECOND, 4001)))["samples_per_s"] == 1000


def test_every_reader_counts() -> None:
    run = [wrote(1, 0, SECOND, 201)]
    readers = (receiver(flow(1, 0, SECOND, 101)), receiver(flow(1, 0, SECOND, 201)))
    assert rates_of(run, *readers)["samples_per_s"] == 300


@pytest.mark.parametrize(("writers", "rate", "readers"), [(50, 5.0, 1), (10, 5.0, 3), (2, 0.7, 1)])
def test_several_paced_writers_are_as_fast_as_their_rates(
    writers: int, rate: float, readers: int
) -> None:
    """Whatever their phases: 50 at 5/s are 250/s."""
    phases = np.random.default_rng(1).uniform(0, SECOND / rate, writers)
    samples = 11
    last = phases + (samples - 1) * SECOND / rate
    numbers = range(1, writers + 1)
    run = [wrote(n, int(b), int(e), samples) for n, b, e in zip(numbers, phases, last, strict=True)]
    seen = [flow(n, int(b) + 9, int(e) + 9, samples)
            for n, b, e in zip(numbers, phases, last, strict=True)]  # fmt: skip
    found = rates_of(run, *[receiver(*seen)] * readers, rate_hz=rate)
    assert found["written_per_s"] == pytest.approx(writers * rate)
    assert found["samples_per_s"] == pytest.approx(readers * writers * rate)
    assert found["theoretical_per_s"] == pytest.approx(readers * writers * rate)


def test_a_sample_that_arrives_within_its_write_is_not_drained() -> None:
    """And the time of the last write, here of 4 ms, is the writer's, as it is the reader's."""
    wrote_last = {**wrote(1, 0, SECOND, 1001), "end_ns": SECOND + 4_000_000}
    found = rates_of([wrote_last], receiver(flow(1, 1_000_000, SECOND + 4_000_000, 1001)))
    assert found["drain_ns"] == 0
    assert found["written_per_s"] == pytest.approx(found["samples_per_s"], rel=1e-4)


def test_writers_at_full_speed_share_the_time_in_which_they_ran() -> None:
    """One after the other, with a pause between: not the sum of what each did alone."""
    run = [wrote(1, 0, SECOND, 1001), wrote(2, 4 * SECOND, 5 * SECOND, 1001)]
    found = rates_of(run, receiver(flow(1, 0, SECOND, 1001), flow(2, 4 * SECOND, 5 * SECOND, 1001)))
    assert (found["samples_per_s"], found["written_per_s"]) == pytest.approx((1000, 1000))


def test_a_filter_lets_its_share_through() -> None:
    run = [wrote(1, 0, SECOND, 101)]
    seen = receiver(flow(1, 0, SECOND, 26))
    found = rates_of(run, seen, rate_hz=100.0, instances=8, filter_below=2)
    assert found["theoretical_per_s"] == 25


def test_background_streams_of_pings_have_a_rate_of_their_own() -> None:
    pinger, background = wrote(1, 0, SECOND, 11), wrote(3, 0, SECOND, 501)
    roles = [{**receiver(flow(3, 0, SECOND, 501)), "writer": READER}]
    flows = Flows((), (stream([3], rate_hz=500.0, background=True),))
    data = RoundData(flows=flows, run=[pinger, background], roles=roles)
    found = rates(Parameters(test="latency"), data, [pinger])
    assert (found["written_per_s"], found["samples_per_s"]) == (10, 500)
    assert found["theoretical_per_s"] == 500


def test_background_streams_of_a_stream_do_not_count() -> None:
    measured, background = wrote(1, 0, SECOND, 1001), wrote(3, 0, SECOND, 501)
    roles = [
        {**receiver(flow(1, 0, SECOND, 1001)), "writer": READER},
        {**receiver(flow(3, 0, SECOND, 501)), "writer": READER + 1},
    ]
    second = End(READER + 1, stream([3]).readers[0].participant)
    other = stream([3], background=True).model_copy(update={"readers": [second]})
    flows = Flows((), (stream([1]), other))
    data = RoundData(flows=flows, run=[measured, background], roles=roles)
    found = rates(Parameters(test="throughput"), data, [measured])
    assert (found["samples_per_s"], found["written_per_s"]) == pytest.approx((1000, 1000))
