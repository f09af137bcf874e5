"""Samples on their route: tables whose figures are known."""

from __future__ import annotations

from typing import Any

import polars as pl
from busmark.estimate.route import SAMPLE_COLUMNS, routes

from busmark.store.columns import polars_schema

MS = 1_000_000
SAMPLES = {name: kind for name, kind in polars_schema("samples").items() if name in SAMPLE_COLUMNS}


def passage(seq: int, hop: int, at: int, **also: Any) -> dict[str, Any]:
    return {
        "case": "c", "round": 0, "flow": "stream", "writer": 0, "seq": seq, "warm_up": False,
        "hop": hop, "transport": "udp", "protocol": ("xrce", "rtps", "xrce")[hop],
        "source": f"s{hop}", "destination": f"d{hop}", "time_ns": at, "packets": 1, "sharing": 1,
        "wire_bytes": 100.0, "repeated": 0, **also,
    }  # fmt: skip


def tables(
    hops: list[dict[str, Any]], samples: list[dict[str, Any]], number: int = 0
) -> tuple[int, pl.DataFrame, pl.DataFrame]:
    return (
        number, pl.DataFrame(hops, schema=polars_schema("hops")),  # type: ignore[arg-type]
        pl.DataFrame(samples, schema=SAMPLES),  # type: ignore[arg-type]
    )  # fmt: skip


def read(seq: int, sent: int, at: int) -> dict[str, Any]:
    return {"flow": "stream", "writer": 0, "seq": seq, "reader": 1, "sent_ns": sent, "read_ns": at}


def three(seq: int, begin: int, confirmed: int) -> list[dict[str, Any]]:
    return [
        passage(seq, 0, begin), passage(seq, 1, begin + MS),
        passage(seq, 2, begin + 2 * MS, confirmed_ns=confirmed),
    ]  # fmt: skip


def test_latencies_lengths_and_eq2_are_what_they_are() -> None:
    hops = [*three(0, 0, 4 * MS), *three(1, 10 * MS, 16 * MS)]
    (found,) = routes([tables(hops, [read(0, 0, 3 * MS), read(1, 10 * MS, 13 * MS)])])
    assert [hop.protocol for hop in found.hops] == ["xrce", "rtps", "xrce"]
    assert (found.entered, found.arrived, found.lost_first) == (2, 2, 0)
    assert found.packets_per_sample == 3.0
    assert found.latency and (found.latency.mean, found.latency.deviation) == (2 * MS, 0.0)
    assert found.confirmed_by == "ACKNACK" and found.confirmed
    assert (found.confirmed.least, found.confirmed.greatest) == (4 * MS, 6 * MS)
    assert found.application and found.application.mean == 3 * MS
    assert found.apart and (found.apart.least, found.apart.greatest) == (1 * MS, 3 * MS)
    assert found.bits and found.bits.mean == 2400.0
    # 2400 bit in 4 ms and in 6 ms: 0.6 and 0.4 Mbit/s.
    assert found.eq2 and abs(found.eq2.greatest - 0.6) < 1e-9 and abs(found.eq2.least - 0.4) < 1e-9
    assert found.rounds[0].mean_ns == 5 * MS


def test_what_does_not_arrive_is_lost_and_the_first_apart() -> None:
    hops = [passage(0, 0, 0), *three(1, 10 * MS, 12 * MS), passage(2, 0, 20 * MS),
            passage(2, 1, 21 * MS)]  # fmt: skip
    (found,) = routes([tables(hops, [])])
    assert (found.entered, found.arrived, found.lost_first) == (3, 1, 1)
    assert found.application is None and found.apart is None


def test_without_a_confirmation_the_applications_time_divides() -> None:
    hops = [passage(0, 0, 0), passage(0, 2, MS)]
    (found,) = routes([tables(hops, [read(0, 0, 2 * MS)])])
    assert found.confirmed is None and found.confirmed_by is None
    assert found.eq2 and abs(found.eq2.mean - 0.8) < 1e-9
    assert found.rounds[0].mean_ns == 2 * MS


def test_tcp_confirms_where_the_protocol_does_not() -> None:
    hops = [passage(0, 0, 0), passage(0, 2, MS, acknowledged_ns=3 * MS)]
    (found,) = routes([tables(hops, [])])
    assert found.confirmed_by == "TCP" and found.confirmed and found.confirmed.mean == 3 * MS


def test_copies_cost_and_do_not_count_twice() -> None:
    hops = [*three(0, 0, 4 * MS), passage(0, 0, 5 * MS, repeated=1)]
    (found,) = routes([tables(hops, [])])
    assert (found.entered, found.arrived) == (1, 1)
    assert found.bits and found.bits.mean == 3200.0 and found.packets_per_sample == 4.0


def test_warm_up_answers_and_other_flows_are_left_out() -> None:
    hops = [
        *three(0, 0, 4 * MS), passage(0, 0, 1, warm_up=True),
        passage(0, 0, 1, writer=1, answered=0), passage(0, 0, 1, flow="humidity"),
    ]  # fmt: skip
    (found,) = routes([tables(hops, [])])
    assert found.entered == 1
    assert routes([tables([], [])]) == []


def test_rounds_are_pooled_and_have_a_median_each() -> None:
    rounds = [tables(three(0, 0, own * MS), [], number) for number, own in enumerate((3, 5, 9))]
    (found,) = routes(rounds)
    assert found.confirmed and found.confirmed.median
    assert (found.confirmed.count, found.confirmed.median.value) == (3, 5 * MS)
    assert [own.round for own in found.rounds] == [0, 1, 2]
