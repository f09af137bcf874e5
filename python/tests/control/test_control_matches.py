"""When endpoints had found their counterparts: the table."""

from __future__ import annotations

from typing import Any

import polars as pl

from busmark.control import matches
from busmark.control.protocol import Matched, MatchedEndpoint
from busmark.control.round import RoundData
from busmark.store import Case

READY_NS = 5_000_000


def endpoint(matched_ns: int | None, **known: Any) -> MatchedEndpoint:
    """Known by an event."""
    return MatchedEndpoint(
        topic="busmark_stream_0", writes=True, counterparts=4, after_ns=matched_ns,
        matched_ns=matched_ns, **known,
    )  # fmt: skip


def table(
    found: dict[str, list[MatchedEndpoint]], *, test: str = "throughput", one_clock: bool = True
) -> pl.DataFrame | None:
    case = Case(id="c", params={"test": test}, status="planned")
    data = RoundData(one_clock=one_clock, ready_ns=READY_NS)
    data.matched = {
        name: Matched(after_ns=None, matched_ns=0, unknown=0, endpoints=own)
        for name, own in found.items()
    }
    return matches.table(case, 3, data)


def three() -> dict[str, list[MatchedEndpoint]]:
    late, early = endpoint(READY_NS + 700), endpoint(READY_NS - 200)
    return {"app1": [late, early], "app2,app3": [endpoint(None)]}


def test_times_begin_when_the_last_endpoint_is_there() -> None:
    found = table(three())
    assert found is not None
    assert found["matched_ns"].to_list() == [-200, 700, None]
    assert found["matched_least_ns"].to_list() == [-200, 700, None]
    assert found["participant"].to_list() == ["app1", "app1", "app2,app3"]
    assert found["endpoint"].unique().to_list() == ["writer"]
    assert found["round"].unique().to_list() == [3]


def test_a_writer_and_a_reader_have_no_table() -> None:
    assert table({"a": [endpoint(READY_NS)], "b": [endpoint(READY_NS)]}) is None


def test_round_trips_have_none() -> None:
    assert table(three(), test="latency") is None


def test_different_clocks_have_none() -> None:
    assert table(three(), one_clock=False) is None


def test_an_adapter_that_counts_nothing_has_none() -> None:
    assert table({"a": [endpoint(None)] * 4}) is None
