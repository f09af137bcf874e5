"""When samples of a capture were confirmed: tables whose answers are known."""

from __future__ import annotations

from typing import Any

import polars as pl

from busmark.plugins.capture.wire.passages import confirmed

RTPS, XRCE = 6, 266
SUMMARY: dict[str, Any] = {
    "kinds": {str(RTPS): "ACKNACK", str(XRCE): "ACKNACK"},
    "flows": [
        {"interface": 0, "transport": "udp", "source": "a", "source_port": 1, "destination": "b",
         "destination_port": 2},
        {"interface": 0, "transport": "udp", "source": "b", "source_port": 2, "destination": "a",
         "destination_port": 1},
    ],
}  # fmt: skip
SAMPLES = {"flow": pl.UInt32, "source": pl.UInt32, "writer": pl.UInt32, "stream": pl.UInt8,
           "last_seq": pl.Int64, "stream_end": pl.UInt64, "begun_ns": pl.Int64,
           "time_ns": pl.Int64}  # fmt: skip
ANSWERS = {"time_ns": pl.Int64, "flow": pl.UInt32, "kind": pl.UInt16, "source": pl.UInt32,
           "destination": pl.UInt32, "writer": pl.UInt32, "reader": pl.UInt32, "stream": pl.UInt8,
           "first_seq": pl.Int64, "acked": pl.UInt64}  # fmt: skip


def found(samples: list[dict[str, Any]], answers: list[dict[str, Any]], name: str) -> list[Any]:
    rows = pl.DataFrame(samples, schema=SAMPLES)  # type: ignore[arg-type]
    said = pl.DataFrame(answers, schema=ANSWERS)  # type: ignore[arg-type]
    told = confirmed(rows, said, SUMMARY)
    assert told.select(rows.columns).equals(rows), "the rows are as they were"
    return told[name].to_list()


def test_an_acknack_of_a_client_confirms_all_before_it_on_its_stream() -> None:
    samples = [{"flow": 0, "stream": 128, "last_seq": n, "time_ns": 10 * n} for n in range(1, 5)]
    answers = [
        {"flow": 1, "kind": XRCE, "stream": 129, "first_seq": 9, "time_ns": 40},
        {"flow": 0, "kind": XRCE, "stream": 128, "first_seq": 9, "time_ns": 41},
        {"flow": 1, "kind": XRCE, "stream": 128, "first_seq": 3, "time_ns": 45},
        {"flow": 1, "kind": XRCE, "stream": 128, "first_seq": 4, "time_ns": 50},
    ]
    assert found(samples, answers, "confirmed_ns") == [45, 45, 50, None]


def test_of_several_readers_the_last_one_counts() -> None:
    samples = [{"flow": 0, "source": 7, "writer": 3, "last_seq": 1, "time_ns": 10}]
    answer = {"flow": 1, "kind": RTPS, "destination": 7, "writer": 3, "first_seq": 2}
    answers = [
        {**answer, "source": 8, "reader": 4, "time_ns": 20},
        {**answer, "source": 9, "reader": 4, "time_ns": 30},
        {**answer, "source": 8, "reader": 4, "time_ns": 40},
        {**answer, "source": 8, "reader": 4, "writer": 5, "time_ns": 50},
        {**answer, "source": 8, "reader": 4, "destination": 6, "time_ns": 60},
    ]
    assert found(samples, answers, "confirmed_ns") == [30]


def test_tcp_acknowledges_bytes() -> None:
    samples = [{"flow": 0, "stream_end": end, "begun_ns": 5, "time_ns": 6} for end in (100, 200)]
    answers = [{"flow": 1, "acked": 150, "time_ns": 7}, {"flow": 1, "acked": 150, "time_ns": 8}]
    assert found(samples, answers, "acknowledged_ns") == [7, None]


def test_what_came_before_the_sample_confirms_nothing() -> None:
    samples = [{"flow": 0, "stream": 128, "last_seq": 1, "time_ns": 10}]
    answers = [{"flow": 1, "kind": XRCE, "stream": 128, "first_seq": 2, "time_ns": 9}]
    assert found(samples, answers, "confirmed_ns") == [None]


def test_without_answers_nothing_is_confirmed() -> None:
    samples = [{"flow": 0, "stream": 1, "last_seq": 1, "time_ns": 10}]
    assert found(samples, [], "confirmed_ns") == [None]
    assert found([], [], "acknowledged_ns") == []
