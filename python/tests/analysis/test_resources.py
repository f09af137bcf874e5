"""What participants cost, from rows of the table `system` with known answers."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from busmark.estimate import resources
from busmark.store.columns import READER, polars_schema

MS = 1_000_000


def row(interval: int, scope: str, **values: Any) -> dict[str, Any]:
    known = {"interval": interval, "scope": scope, "participant": "active",
             "start_ns": interval * 250 * MS, "duration_ns": 250 * MS}  # fmt: skip
    return {**dict.fromkeys(polars_schema("system")), **known, **values}


def both(interval: int, participant: str = "active", **values: Any) -> list[dict[str, Any]]:
    """A process with one thread, at work half of the time."""
    times = {"user_ns": 90 * MS, "system_ns": 40 * MS}
    process = {**times, "rss_bytes": 1000, "major_faults": 0}
    thread = {"run_ns": 125 * MS, "voluntary_switches": 20, "involuntary_switches": 5}
    return [
        row(interval, "process", **{"participant": participant, **process, **values}),
        row(interval, "thread", **{"participant": participant, **thread, **values}),
    ]


def table(*rows: list[dict[str, Any]]) -> pl.DataFrame:
    flat = [each for part in rows for each in part]
    return resources.by_participant(pl.DataFrame(flat, schema=polars_schema("system")))


def test_the_exact_time_corrects_both_parts_alike() -> None:
    (own,), together, by_round = resources.resources([table(both(0), both(1))], [1.0])
    # 260 ms by steps, 250 ms in truth: 5 ms less of each, in 500 ms.
    assert own.cpu_user and own.cpu_user.value == pytest.approx(175 / 500)
    assert own.cpu_system and own.cpu_system.value == pytest.approx(75 / 500)
    assert own.switches_per_s and own.switches_per_s.value == pytest.approx(100)
    assert own.rss_bytes == 1000 and own.major_faults == 0
    assert together and together.value == pytest.approx(0.5)
    assert by_round == [pytest.approx(0.5)]


def test_memory_is_without_the_rows_that_busmark_records() -> None:
    recorded = both(0, recorder_bytes=400)
    (own,), *_ = resources.resources([table(recorded, both(1, rss_bytes=900))], [1.0])
    assert own.rss_bytes == 900, "of the second it is not known: an older result"


def test_intervals_of_the_warm_up_and_after_the_end_do_not_count() -> None:
    outside = [*both(-1, user_ns=250 * MS), *both(2, user_ns=250 * MS)]
    (own,), *_ = resources.resources([table(both(0), both(1), outside)], [0.6])
    assert own.cpu_user and own.cpu_user.value == pytest.approx(175 / 500)


def test_who_reads_the_counters_stands_last_and_is_not_in_the_sum() -> None:
    found, together, _ = resources.resources([table(both(0), both(0, READER))], [1.0])
    assert [own.participant for own in found] == ["active", READER]
    assert together and together.value == pytest.approx(0.5)


def test_a_thread_that_has_ended_is_known_by_its_process() -> None:
    (own,), together, _ = resources.resources([table(both(0, run_ns=0))], [1.0])
    # At least 110 ms of the 130 ms that the steps tell.
    assert together and together.value == pytest.approx(110 / 250)
    assert own.cpu_system and own.cpu_user


def test_what_the_kernel_does_not_tell_is_absent() -> None:
    absent = both(0, voluntary_switches=None, rss_bytes=None, major_faults=None)
    (own,), together, _ = resources.resources([table(both(1), absent)], [1.0])
    assert own.switches_per_s is None and own.major_faults is None
    assert own.rss_bytes == 1000
    assert together is not None


def test_without_the_exact_time_the_steps_have_to_do() -> None:
    (own,), *_ = resources.resources([table(both(0, run_ns=None))], [1.0])
    assert own.cpu_user and own.cpu_user.value == pytest.approx(90 / 250)
    assert own.cpu_system and own.cpu_system.value == pytest.approx(40 / 250)


def test_who_is_no_participant_is_left_out() -> None:
    stranger = [{**each, "participant": None} for each in both(0)]
    (own,), together, _ = resources.resources([table(both(0), stranger)], [1.0])
    assert own.participant == "active" and together and together.value == pytest.approx(0.5)


def test_a_round_without_whole_intervals_has_no_figures() -> None:
    assert resources.resources([table(both(0))], [0.1])[:2] == ([], None)
    assert resources.resources([], []) == ([], None, [])


def test_a_series_begins_with_the_warm_up_and_ends_with_the_measurement() -> None:
    reader = both(0, READER)
    (shown,) = resources.series(3, table(both(-1), both(0), reader, both(1), both(2)), 0.4)
    assert shown.node is None and shown.round == 3 and shown.t_s == [-0.25, 0.0, 0.25, 0.5]
    (own,) = shown.participants
    assert own.switches_per_s == [100.0] * 3 and own.rss_bytes == [1000] * 3


def test_every_node_is_drawn_by_itself_and_summed_up_with_the_others() -> None:
    """Intervals of nodes are of different times: each has a process of its own that reads."""
    left = both(0, "active", node="left")
    right = both(0, "passive", node="right", start_ns=10 * MS)
    readers = [*both(0, READER, node="left"), *both(0, READER, node="right")]
    frame = table(left, right, readers)
    shown = resources.series(0, frame, 1.0)
    assert [(each.node, each.t_s) for each in shown] == [
        ("left", [0.0, 0.25]), ("right", [0.01, 0.26]),
    ]  # fmt: skip
    assert [[own.participant for own in each.participants] for each in shown] == [
        ["active"], ["passive"],
    ]  # fmt: skip
    found, together, _ = resources.resources([frame], [1.0])
    assert [(own.participant, own.node) for own in found] == [
        ("active", "left"), ("passive", "right"), (READER, "left"), (READER, "right"),
    ]  # fmt: skip
    assert together and together.value == pytest.approx(1.0)


def test_what_has_no_time_in_the_round_is_in_no_figure() -> None:
    """The clock of its node is another, and nothing tells their offset."""
    frame = table(both(0, node="far", start_ns=None))
    assert resources.resources([frame], [1.0])[:2] == ([], None)
    assert resources.series(0, frame, 1.0) == []


def test_of_many_participants_the_busiest_are_drawn_and_the_others_as_one() -> None:
    parts = [both(0, f"p{n:02d}", run_ns=n * MS, user_ns=n * MS, system_ns=0) for n in range(40)]
    (shown,) = resources.series(0, table(*parts), 1.0)
    drawn = {own.participant: own for own in shown.participants}
    assert drawn.keys() == {"p35", "p36", "p37", "p38", "p39", "35 others"}
    assert drawn["35 others"].cpu_user == [pytest.approx(sum(range(35)) / 250)]
    assert drawn["35 others"].rss_bytes == [35_000]


def test_a_line_of_which_a_part_is_unknown_is_not_drawn() -> None:
    (shown,) = resources.series(0, table(both(0), both(1, voluntary_switches=None)), 1.0)
    assert shown.participants[0].switches_per_s == []
    assert len(shown.participants[0].cpu_user) == 2


TICKS = st.integers(0, 25).map(lambda n: n * 10 * MS)


@given(TICKS, TICKS, st.one_of(st.none(), st.integers(0, 250 * MS)))
def test_parts_are_never_negative_and_add_up(user: int, system: int, run: int | None) -> None:
    frame = table(both(0, user_ns=user, system_ns=system, run_ns=run))
    ((part, kernel),) = (
        resources.with_rates(frame.with_columns(length_ns=pl.lit(250 * MS)))
        .select("cpu_user", "cpu_system")
        .rows()
    )
    whole = max(user + system if run is None else run, user + system - 20 * MS)
    assert part >= 0 and kernel >= 0
    assert part + kernel == pytest.approx(max(whole, 0) / (250 * MS))


def test_the_same_rows_give_the_same_digits() -> None:
    names = [f"p{number}" for number in range(9)]
    parts = [
        both(interval, name, run_ns=100 * MS + 7_654_321 * index + interval)
        for interval in range(20)
        for index, name in enumerate(names)
    ]
    frames = [table(*parts), table(*parts[::-1])]
    found = {resources.resources([frame], [5.0])[1] for frame in frames * 20}
    assert len(found) == 1


def test_an_interval_without_an_end_is_left_out() -> None:
    whole = table(both(0), both(1))
    damaged = whole.with_columns(
        pl.when(pl.col("interval") == 1).then(None).otherwise("end_ns").alias("end_ns")
    )
    (shown,) = resources.series(0, damaged, 1.0)
    (one,) = resources.series(0, table(both(0)), 1.0)
    assert shown.t_s == one.t_s
