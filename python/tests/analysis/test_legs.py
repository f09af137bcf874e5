"""Legs of a ping's way: tables against numpy on stamps of known times."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from busmark.compare.campaign import summarise
from busmark.estimate.case import CaseSummary
from busmark.estimate.latency import (
    ECHO_ALONE,
    ECHO_SOURCE,
    INTER_ARRIVAL,
    MEANINGS,
    STAMPS,
    LegTable,
    every_for,
    leg_tables,
    legs_of,
)
from busmark.model.figure import Best
from numpy.typing import NDArray
from synthetic_campaign import Builder

from busmark.store import Result

Array = NDArray[np.int64]

WAY = ("send source", "send", "send arrival", "turn-round", "echo", "echo arrival")
STOPS = ("sent_ns", "written_ns", "echo_delivered_ns", "echo_read_ns", "echo_sent_ns",
         "delivered_ns", "read_ns")  # fmt: skip


def way(count: int, rng: np.random.Generator) -> dict[str, Array]:
    """Times of the parts of the way; some samples arrive before write returns."""
    scales = dict(zip(WAY, (900, 4000, 300, 250, 5000, 350), strict=True))
    times = {n: rng.lognormal(np.log(s), 0.5, count).astype(np.int64) for n, s in scales.items()}
    times["send"] -= 2500
    return times


def trips(times: dict[str, Array]) -> Array:
    """The whole way there and back."""
    whole: Array = np.sum([times[name] for name in WAY], axis=0)
    return whole


def pings(times: dict[str, Array], pause: int = 500) -> pl.DataFrame:
    """Rows of a pinger whose pings follow each other."""
    trip = trips(times)
    sent = 1_000_000 + np.concatenate(([0], np.cumsum(trip + pause)[:-1]))
    stamps = np.cumsum([sent, *(times[name] for name in WAY)], axis=0)
    columns = dict(zip(STOPS, stamps, strict=True))
    return pl.DataFrame(
        {"seq": np.arange(sent.size), "intended_ns": sent - 40, "flags": np.zeros_like(sent)}
        | columns
    )


def analysed(
    directory: Path, rounds: list[pl.DataFrame], *, one_clock: bool | None = None
) -> CaseSummary:
    build = Builder(directory)
    case = build.case("udp-64")
    for number, frame in enumerate(rounds):
        build._write("samples", case, number, frame, "pinger")
        build.row(case, number, samples=frame.height, lost=0, sent=frame.height,
                  one_clock=one_clock)  # fmt: skip
    (found,) = summarise(Result(build.finish()), with_series=False).cases
    return found


def tables_of(case: CaseSummary) -> dict[str, LegTable]:
    assert case.latency is not None
    return {leg.name: leg for leg in case.latency.leg_tables}


def check(parts: list[Best], values: Array) -> None:
    """Against the sorted values, part by part."""
    rising = np.sort(values)
    counts = [values.size * thousandths // 1000 for thousandths in (1000, 999, 990, 900)]
    assert [part.count for part in parts] == counts
    for part in parts:
        kept = rising[: part.count].astype(np.float64)
        assert (part.min_ns, part.max_ns) == (kept[0], kept[-1])
        assert part.mean_ns == pytest.approx(np.mean(kept), rel=1e-12, abs=1e-9)
        assert part.std_ns == pytest.approx(np.std(kept, ddof=1), rel=1e-9)


def test_every_leg_has_the_times_that_were_put_in(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    parts = [way(3000, rng), way(2111, rng)]
    case = analysed(tmp_path, [pings(part) for part in parts])
    tables = tables_of(case)
    assert list(tables) == [name for name in MEANINGS if name != ECHO_SOURCE]
    for name in WAY:
        check(tables[name].best, np.concatenate([part[name] for part in parts]))
    whole = [trips(part) for part in parts]
    check(tables["trip"].best, np.concatenate(whole))
    # From one pong to the next is a pause and a trip, and nothing between two rounds.
    check(tables[INTER_ARRIVAL].best, np.concatenate([trip[1:] + 500 for trip in whole]))
    assert tables["send"].best[0].min_ns < 0
    assert {leg.every for leg in tables.values()} == {1}
    assert case.latency is not None and case.latency.round_trip is not None
    # Latency counts from the intended time, which is 40 ns earlier; the trip does not.
    assert case.latency.round_trip.min_ns == tables["trip"].best[0].min_ns + 40


def test_the_echo_source_is_a_leg_where_it_was_recorded(tmp_path: Path) -> None:
    times = way(1500, np.random.default_rng(12))
    source = np.random.default_rng(13).integers(300, 4000, 1500)
    frame = pings(times).with_columns(echo_written_ns=pl.col("echo_sent_ns") + pl.Series(source))
    told = pl.when(pl.col("seq") % 5 > 0).then("echo_written_ns")
    tables = tables_of(analysed(tmp_path, [frame.with_columns(told.alias("echo_written_ns"))]))
    assert list(tables) == list(MEANINGS)
    assert tables["echo"].meaning == ECHO_ALONE
    recorded = np.arange(1500) % 5 > 0
    check(tables[ECHO_SOURCE].best, source[recorded])
    # Echo begins where the echo source ends.
    check(tables["echo"].best, (times["echo"] - source)[recorded])


@pytest.mark.parametrize("with_source", [False, True])
def test_the_legs_of_one_ping_add_up_to_its_trip(*, with_source: bool) -> None:
    frame = pings(way(400, np.random.default_rng(14))).with_columns(writer=pl.lit(1))
    if with_source:
        frame = frame.with_columns(echo_written_ns=pl.col("echo_sent_ns") + 77)
    found = legs_of(frame, 1, one_clock=True)
    parts = [name for name in found if name not in ("trip", INTER_ARRIVAL)]
    assert (ECHO_SOURCE in parts) is with_source
    assert np.sum([found[name] for name in parts], axis=0).tolist() == found["trip"].tolist()


def test_rounds_without_the_echo_source_add_nothing_to_an_echo_that_begins_after_it() -> None:
    frame = pings(way(100, np.random.default_rng(15))).with_columns(writer=pl.lit(1))
    without = legs_of(frame, 1, one_clock=True)
    recorded = frame.with_columns(echo_written_ns=pl.col("echo_sent_ns") + 77)
    both = [without, legs_of(recorded, 1, one_clock=True)]
    counts = {leg.name: leg.best[0].count for leg in leg_tables(both, 1)}
    assert (counts["echo"], counts[ECHO_SOURCE], counts["trip"]) == (100, 100, 200)


def test_warm_up_lost_pings_and_negative_round_trips_are_in_no_leg(tmp_path: Path) -> None:
    times = way(1000, np.random.default_rng(6))
    frame = pings(times).with_columns(
        pl.when(pl.col("seq") < 100).then(1).otherwise(0).alias("flags"),
        pl.when(pl.col("seq") == 500).then(None).otherwise("read_ns").alias("read_ns"),
    )
    frame = frame.with_columns(
        pl.when(pl.col("seq") == 700).then(pl.col("sent_ns") - 99).otherwise("read_ns")
        .alias("read_ns")
    )  # fmt: skip
    tables = tables_of(analysed(tmp_path, [frame]))
    kept = [index for index in range(100, 1000) if index not in (500, 700)]
    check(tables["echo"].best, times["echo"][kept])
    check(tables["trip"].best, trips(times)[kept])
    read = frame["read_ns"].to_list()
    check(tables[INTER_ARRIVAL].best, np.diff([read[index] for index in kept]))


def test_a_reader_that_polls_leaves_legs_without_announcement_out(tmp_path: Path) -> None:
    frame = pings(way(500, np.random.default_rng(7))).drop("delivered_ns", "echo_delivered_ns")
    tables = tables_of(analysed(tmp_path, [frame]))
    assert list(tables) == ["send source", "turn-round", "trip", INTER_ARRIVAL]


def test_samples_taken_along_with_one_before_have_no_announcement(tmp_path: Path) -> None:
    times = way(800, np.random.default_rng(8))
    alone = np.arange(800) % 3 > 0
    told = pl.when(pl.Series(alone)).then("delivered_ns")
    frame = pings(times).with_columns(told.alias("delivered_ns"))
    tables = tables_of(analysed(tmp_path, [frame]))
    check(tables["echo arrival"].best, times["echo arrival"][alone])
    check(tables["send arrival"].best, times["send arrival"])


def test_between_two_clocks_only_legs_within_a_host_and_the_trip_are_told(tmp_path: Path) -> None:
    times = way(900, np.random.default_rng(9))
    there = [pl.col(name) + 10**12 for name in ("echo_delivered_ns", "echo_read_ns")]
    frame = pings(times).with_columns(*there, pl.col("echo_sent_ns") + 10**12)
    tables = tables_of(analysed(tmp_path, [frame], one_clock=False))
    assert list(tables) == [name for name in MEANINGS if name not in ("send", "echo", ECHO_SOURCE)]
    check(tables["send arrival"].best, times["send arrival"])
    check(tables["turn-round"].best, times["turn-round"])
    check(tables["trip"].best, trips(times))


def test_arrivals_are_those_of_each_pinger_in_the_order_in_which_they_came() -> None:
    rng = np.random.default_rng(10)
    reads = {writer: rng.permutation(np.cumsum(rng.integers(1, 900, 400))) for writer in (1, 2)}
    frame = pl.concat(
        pl.DataFrame({"writer": np.full(400, writer), "read_ns": read})
        for writer, read in reads.items()
    )
    absent = {name for *_, late, early in STAMPS for name in (late, early)} - {"read_ns"}
    frame = frame.with_columns(pl.lit(None, dtype=pl.Int64).alias(name) for name in absent)
    found = legs_of(frame.sample(fraction=1.0, shuffle=True, seed=1), 1, one_clock=True)
    assert list(found) == [INTER_ARRIVAL]
    wanted = np.concatenate([np.diff(np.sort(read)) for read in reads.values()])
    assert np.sort(found[INTER_ARRIVAL]).tolist() == np.sort(wanted).tolist()


def test_of_very_many_pings_one_in_so_many_is_taken() -> None:
    assert [every_for(n) for n in (0, 1, 10**6, 10**6 + 1, 35 * 10**5)] == [1, 1, 1, 2, 4]
    times = way(1000, np.random.default_rng(11))
    frame = pings(times).with_columns(pl.lit(1).alias("writer"))
    found = legs_of(frame, 4, one_clock=True)
    assert found["echo"].tolist() == times["echo"][::4].tolist()
    # Still the time between neighbours, not that between the pings that are taken.
    assert found[INTER_ARRIVAL].tolist() == (trips(times)[1:] + 500)[::4].tolist()


def test_imported_round_trips_without_stamps_have_no_legs(tmp_path: Path) -> None:
    frame = pl.DataFrame({"seq": range(50), "round_trip_ns": range(1000, 1050)})
    assert tables_of(analysed(tmp_path, [frame])) == {}
