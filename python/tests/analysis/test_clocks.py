"""Segments between hosts whose clocks differ: the truth is known, and the figures hold it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from seams import Estimates, document, done, run, shown
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
    ways = {segment.name: segment for segment in case.segments}
    for way, truth in ((ways["there"], THERE), (ways["back"], BACK)):
        # Half of what the way there and back take together is all that exchanges show.
        assert 0 < way.bound_ns < (THERE + BACK + 10_000) / 2
        # Where the time is not known, the greatest that it can be is given.
        middle = way.median.value - (way.bound_ns if way.unknown else 0)
        assert abs(middle - truth - 2_500) <= way.bound_ns + 1_000
        row = found.row("segment", "median", scope="segment", of=way.name)
        assert (row["bound"] == "upper") == bool(way.unknown) == (middle <= way.bound_ns)
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


def streams(
    folder: Path, rounds: dict[str, list[tuple[int, int]]], ahead_by: int = 7 * 10**12
) -> Path:
    """Write streams by two clocks, a case for each adapter: of each round how long its median probe
    takes there, a twentieth to twice of which others do, and how long all take back, ns."""
    build = Builder(folder)
    for adapter, ways in rounds.items():
        case = build.case(adapter, test="throughput", adapter=adapter, rate_hz=400.0)
        for number, (there, back) in enumerate(ways):
            rng = np.random.default_rng(number)
            sent = 10**15 + np.sort(rng.integers(0, 10**9, 400))
            arrived = sent + rng.integers(there // 20, 2 * there - there // 20, 400)
            read = arrived + TURN + back + rng.integers(0, back // 10, 400)
            shared = {"flags": 2, "writer": 1}
            rows = [
                {"role": "transmitter", "seq": n, **shared, "intended_ns": int(sent[n]),
                 "sent_ns": int(sent[n]), "written_ns": int(sent[n]) + 1_000,
                 "echo_read_ns": int(arrived[n]) + ahead_by,
                 "echo_sent_ns": int(arrived[n]) + TURN + ahead_by, "read_ns": int(read[n])}
                for n in range(400)
            ]  # fmt: skip
            rows += [
                {"role": "receiver", "seq": n, **shared, "reader": 2, "intended_ns": int(sent[n]),
                 "sent_ns": int(sent[n]), "read_ns": int(arrived[n]) + ahead_by}
                for n in range(400)
            ]  # fmt: skip
            build.stream(case, number, 400.0, 64, probes=0, one_clock=False)
            build.table("samples", case, number, rows)
    return build.finish(scenario={"name": "Two clocks", "question": "?", "answer": "latency"})


def test_a_one_way_figure_holds_the_bound_of_the_clocks_and_the_truth(tmp_path: Path) -> None:
    # The fastest takes 0.1 ms there and 0.9 ms back: the estimate is 0.4 ms too long.
    found = Estimates(streams(tmp_path, {"udp": [(2_000_000, 900_000)] * 6}))
    bound = found.value("clock_bound", "value")
    assert 400_000 < bound < 700_000
    for statistic, truth in (("median", 2_000_000), ("mean", 2_000_000), ("p90", 3_600_000)):
        row = found.row("one_way", statistic)
        assert row["low"] <= truth <= row["high"], row
        assert row["value"] - row["low"] >= bound and row["high"] - row["value"] >= bound
    (pooled,) = found.rows("one_way", "p90", over="samples")
    assert pooled["high"] - pooled["low"] >= 2 * bound
    assert found.rows("one_way", "min", over="samples")[0]["value"] is None
    assert "Clock offset ±" in done("show", tmp_path)


@pytest.mark.parametrize("slow", [(200_000, 15_000_000), (15_000_000, 14_000_000)])
def test_where_a_round_does_not_have_the_offset_the_case_has_no_one_way_figure(
    tmp_path: Path, slow: tuple[int, int]
) -> None:
    # The third round's probes took 14 ms back: its clocks are known to 7 ms.
    ways = [(2_000_000, 30_000)] * 2
    found = Estimates(streams(tmp_path, {"udp": [*ways, slow]}))
    rows = [*found.rows("one_way", "median"), *found.rows("one_way", "p99")]
    assert rows
    for row in rows:
        assert (row["value"], row["low"], row["high"]) == (None, None, None)
        assert "the offset of the two clocks is known to ±" in row["reason"]
    assert not found.rows("clock_bound", "value")
    assert found.results.series.filter(pl.col("quantity").str.starts_with("one_way")).is_empty()
    (case,) = shown(tmp_path).cases
    assert case.one_way is None
    assert case.distribution("jitter").quantity == "round_trip_jitter"
    text = done("show", tmp_path)
    assert "No Median one-way and p99 one-way: the offset of the two clocks is known to ±" in text
    met = run("show", tmp_path, "--require", "p99(one_way) <= 1s")
    assert "no better than the time between them" in met.text


def test_no_case_is_faster_by_less_than_the_clocks_are_known(tmp_path: Path) -> None:
    # 2.0 and 2.4 ms there, and an offset of which either may be wrong by 0.5 ms.
    ways = {"udp": [(2_000_000, 900_000)] * 8, "tcp": [(2_400_000, 900_000)] * 8}
    result = streams(tmp_path, ways)
    found = document("compare", result, "--by", "adapter", "--baseline", "udp")
    (pair,) = found.pairs
    (median,) = (one for one in pair.changes if one.name == "median.latency")
    assert median.verdict == "undecided"
    assert median.change.low < 1 < median.change.high
    assert "?" in next(line for line in done("show", result).splitlines() if "TCP" in line)


def test_a_requirement_on_a_one_way_time_is_decided_beyond_the_bound_alone(tmp_path: Path) -> None:
    result = streams(tmp_path, {"udp": [(2_000_000, 900_000)] * 6})
    for limit, verdict in (("3.8ms", "undecided"), ("6ms", "met"), ("1ms", "missed")):
        found = document("show", result, "--require", f"p90(one_way) <= {limit}")
        assert [each.verdict for each in found.requirements] == [verdict], limit
