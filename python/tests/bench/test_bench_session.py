"""Who measures when, and what becomes of a measurement that fails."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import bare
from catalogue import (
    BARE,
    BARE_SECTION,
    DDSPERF,
    LIBRARIES,
    NULL_NS,
    OURS,
    SOCKPERF,
    Group,
    Limit,
    against,
    groups,
    like,
)
from compare import ABSENT, FAILED
from ours import of_peer
from session import Record, Settings, interleave
from task import MAIN, MeasurementError, Task, Values

PING = Task("latency", "udp", 64, "same")


class Machine:
    """Measures nothing: ours takes 11, everybody else 10."""

    def __init__(self, broken: frozenset[int] = frozenset()) -> None:
        self.calls: list[tuple[str, str]] = []
        self._broken = broken

    def __call__(self, name: str, group: Group) -> Values:
        self.calls.append((group.name, name))
        if len(self.calls) in self._broken:
            raise MeasurementError("fell over")
        return {MAIN: 11.0 if name == OURS else 10.0}


def rows_of(record: Record) -> list[dict[str, Any]]:
    return record.rows(Settings())


def test_contestants_of_a_group_stay_together_and_change_places() -> None:
    records = [Record(against(Task("latency", name, 64, "same"), BARE)) for name in ("udp", "tcp")]
    machine = Machine()
    interleave(records, machine, range(20), seed=1)
    turns = [tuple(machine.calls[i : i + 2]) for i in range(0, len(machine.calls), 2)]
    assert all(first[0] == second[0] and first[1] != second[1] for first, second in turns)
    assert len(set(turns)) == 4, "either group first, either contestant first"
    assert all(len(record.rounds) == 20 for record in records)


def test_the_seed_decides_the_order() -> None:
    orders = []
    for seed in (1, 1, 2):
        machine = Machine()
        interleave([Record(against(PING, BARE, SOCKPERF))], machine, range(10), seed=seed)
        orders.append(machine.calls)
    assert orders[0] == orders[1] != orders[2]


@pytest.mark.parametrize(
    ("ours", "undecided"),
    [((10.0, 10.1, 9.9), False), ((9.0, 10.5, 12.0), True), ((15, 15, 15), False)],
)
def test_only_what_the_rounds_cannot_decide_is_measured_further(
    ours: tuple[float, ...], undecided: bool
) -> None:
    record = Record(against(PING, BARE))
    values = iter(ours)
    interleave(
        [record], lambda name, _: {MAIN: next(values) if name == OURS else 10.0}, range(3), seed=1
    )
    assert record.undecided is undecided


def test_a_failed_measurement_is_tried_again_and_reported() -> None:
    record = Record(against(PING, BARE))
    interleave([record], Machine(frozenset({1})), range(3), seed=1)
    (row,) = rows_of(record)
    assert row["rounds"] == 3
    assert len(row["failures"]) == 1
    assert "fell over" in row["failures"][0]


def test_a_pair_that_is_not_complete_does_not_count() -> None:
    record = Record(against(PING, BARE))
    interleave([record], Machine(frozenset({1, 2})), range(3), seed=1)
    (row,) = rows_of(record)
    assert row["rounds"] == 2
    assert row["ratio"] == pytest.approx(1.1)
    assert sum(values.count(None) for values in row["measured"].values()) == 1


def test_nothing_but_failures_is_a_row_without_figures() -> None:
    record = Record(against(PING, BARE))
    interleave([record], Machine(frozenset(range(100))), range(2), seed=1)
    (row,) = rows_of(record)
    assert (row["verdict"], row["met"], row["ratio"]) == (FAILED, None, None)


def test_whoever_is_missing_is_not_imitated() -> None:
    record = Record(against(PING, BARE, SOCKPERF), {SOCKPERF: "not here: apt-get install sockperf"})
    machine = Machine()
    interleave([record], machine, range(2), seed=1)
    bare, sockperf = rows_of(record)
    assert {name for _, name in machine.calls} == {OURS, BARE}
    assert bare["met"] is False
    assert (sockperf["verdict"], sockperf["met"], sockperf["ratio"]) == (ABSENT, None, None)
    assert sockperf["missing"] == "not here: apt-get install sockperf"


def test_without_our_side_nothing_runs() -> None:
    limit = Limit("per-sample", "null", MAIN, "ns", NULL_NS)
    for group in (against(PING, BARE), Group("null", PING, (OURS,), (limit,))):
        record = Record(group, {OURS: "no adapter udp"})
        machine = Machine()
        interleave([record], machine, range(2), seed=1)
        assert machine.calls == []
        assert rows_of(record)[0]["missing"] == "no adapter udp"


def test_every_comparison_has_a_name_of_its_own_and_both_placements() -> None:
    names = [group.identifier(row) for group in groups() for row in group.rows]
    assert len(set(names)) == len(names)
    compared = [name for name in names if "/vs-" in name]
    assert {name.replace("/same/", "/different/") for name in compared} <= set(compared)


def test_a_task_like_a_peer_tells_the_library_and_ourselves_apart() -> None:
    record = Record(like(Task("throughput", "cyclonedds", 1024, "same"), DDSPERF))
    interleave([record], Machine(), range(3), seed=1)
    rows = {row["id"]: row for row in rows_of(record)}
    name = "throughput/cyclonedds/1024B/listener/same/like-ddsperf"
    assert set(rows) == {
        f"{name}/vs-bare-loop",
        f"{name}/vs-ddsperf",
        f"{name}/bare-loop-vs-ddsperf",
    }
    library = rows[f"{name}/bare-loop-vs-ddsperf"]
    assert (library["section"], library["mine_name"]) == (BARE_SECTION, BARE)
    assert set(library["measured"]) == {BARE, DDSPERF}
    assert library["ratio"] == pytest.approx(1.0)
    assert (library["target"], library["met"]) == (None, None)
    assert rows[f"{name}/vs-bare-loop"]["ratio"] == pytest.approx(1.1)


def test_what_only_the_peer_lacks_leaves_our_side_of_the_comparison() -> None:
    group = like(Task("latency", "tcp", 64, "same"), SOCKPERF)
    record = Record(group, {SOCKPERF: "not here: apt-get install sockperf"})
    interleave([record], Machine(), range(2), seed=1)
    ours, peer, library = rows_of(record)
    assert ours["verdict"] != ABSENT
    assert peer["verdict"] == library["verdict"] == ABSENT


def test_every_setting_of_a_peer_is_one_of_the_adapters() -> None:
    """And of the bare loop's, which would refuse another in each of its runs."""
    for group in groups():
        if group.task and group.task.like:
            asked = of_peer(group.task)
            assert asked, group.name
            folder = Path(bare.__file__).parent / "bare"
            program = bare.PROGRAMS[group.task.adapter][0].removeprefix("bare-")
            options = (folder / program / "src" / "options.rs").read_text()
            assert all(f'"--{key.replace("_", "-")}"' in options for key in asked)


@pytest.mark.parametrize("name", LIBRARIES)
def test_every_library_has_a_bare_loop(name: str) -> None:
    assert bare.PROGRAMS[name] == (f"bare-{name}",)
    sources = Path(bare.__file__).parent / "bare"
    assert (sources / name).is_dir() or list(sources.glob(f"*/{name}.cpp"))
