"""A line becomes a scenario file, which says the same."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from busmark.adapters import adapter_facts
from busmark.scenario import Scenario, load, parse
from busmark.scenario.line import OPTIONS, Mistaken, read, written


def scenario(test: str, *adapters: str, **options: str) -> Scenario:
    line, wrong = read(test, adapters, options)
    assert not wrong, wrong
    return parse(written(line.tables()), "line", [])


def test_every_option_sets_its_key() -> None:
    found = scenario(
        "latency", "cyclonedds", "tcp", size="64,1024", rate="1000", placement="same,0+1",
        transport="udp", qos="reliable,keep_last:8,deadline_s:0.5", rounds="7", duration="0.25",
    )  # fmt: skip
    matrix = found.matrix
    assert (matrix.test, matrix.adapter, matrix.size) == (
        ["latency"], ["cyclonedds", "tcp"], [64, 1024],
    )  # fmt: skip
    assert (matrix.rate_hz, matrix.placement, matrix.transport) == (
        [1000.0], ["same", "0+1"], ["udp"],
    )  # fmt: skip
    assert (matrix.qos.reliability, matrix.qos.history) == (["reliable"], ["keep_last"])
    assert (matrix.qos.depth, matrix.qos.deadline_s) == ([8], [0.5])
    assert (found.rounds.min, found.measure.duration_s) == (7, 0.25)
    assert found.name == "latency cyclonedds tcp"


def test_sizes_may_be_distributions() -> None:
    found = scenario("throughput", "udp", size="64,uniform(64, 4096),choice(1, 2)")
    assert found.matrix.size == [64, "uniform(64, 4096)", "choice(1, 2)"]


def test_adapters_may_be_joined_by_commas_and_are_named_once() -> None:
    assert scenario("latency", "udp,tcp", "udp").matrix.adapter == ["udp", "tcp"]


def test_depths_of_keep_last_are_a_dimension() -> None:
    qos = scenario("latency", "udp", qos="keep_all,keep_last,keep_last:8").matrix.qos
    assert (qos.history, qos.depth) == (["keep_all", "keep_last"], [1, 8])


@pytest.mark.parametrize("text", ["+-2%", "±2%", "2%", "0.02", "+-0.02"])
def test_a_target_lets_the_run_choose_lengths_and_rounds(text: str) -> None:
    found = scenario("latency", "udp", to=text)
    assert found.rounds.target == pytest.approx(0.02)
    assert found.measure.duration_s == "auto" and found.rounds.max > found.rounds.min


@pytest.mark.parametrize("rate", ["0.5", "1", "10", "100", "1000", "100000"])
def test_a_round_at_a_rate_has_the_samples_that_it_must_have(rate: str) -> None:
    found = scenario("latency", "udp", rate=f"0,{rate}")
    length = found.measure.duration_s
    assert isinstance(length, float)
    assert length * float(rate) > found.criteria.min_samples


def test_the_floor_runs_on_one_cpu_where_nobody_names_a_placement() -> None:
    found = scenario("latency", "udp", "null")
    assert (found.matrix.adapter, found.matrix.placement) == (["udp"], ["different"])
    (floor,) = found.also
    assert (floor.adapter, floor.placement, floor.size) == (["null"], ["same"], found.matrix.size)
    assert scenario("latency", "null").matrix.placement == ["same"]
    assert not scenario("latency", "udp", "null", placement="same").also


def test_baselines_beside_a_middleware_are_not_asked_for_qos() -> None:
    options = {"qos": "best_effort,keep_last:3"}
    line, _ = read("latency", ["tcp", "cyclonedds", "null"], options, ["tcp", "udp"])
    found = parse(written(line.tables()), "line", [])
    plain, floor = found.also
    assert (found.matrix.adapter, plain.adapter, floor.adapter) == (
        ["cyclonedds"], ["tcp"], ["null"],
    )  # fmt: skip
    assert found.matrix.qos.depth == [3]
    assert plain.qos == floor.qos == type(plain.qos)()
    assert (plain.placement, floor.placement) == (["different"], ["same"])


def test_baselines_alone_are_asked_for_what_the_line_says() -> None:
    line, _ = read("latency", ["tcp", "udp"], {"qos": "reliable"}, ["tcp", "udp"])
    found = parse(written(line.tables()), "line", [])
    assert found.matrix.qos.reliability == ["reliable"] and not found.also


def test_interop_has_the_options_by_which_a_vendor_finds_others_whatever_its_name() -> None:
    options = {"mine": {"hosts": "all"}, "other": {"unused": "1"}}
    for test, expected in (("interop", {"mine.hosts": ["all"]}), ("latency", {})):
        line, wrong = read(test, ["cyclonedds", "mine"], {}, interop=options)
        assert not wrong
        assert parse(written(line.tables()), "line", []).matrix.option == expected


def test_the_interop_scenario_that_ships_has_the_options_of_the_table() -> None:
    ours, _ = load(Path("interop"))
    expected = {
        f"{name}.{key}": [value]
        for name, adapter in adapter_facts().items() if name in ours.matrix.adapter
        for key, value in adapter.interop.items()
    }  # fmt: skip
    assert expected and expected.items() <= ours.matrix.option.items()


def test_interop_has_every_pair_in_both_tests() -> None:
    found = scenario("interop", "cyclonedds", "dustdds")
    assert found.matrix.adapter == found.matrix.peer == ["cyclonedds", "dustdds"]
    assert found.measure.verify
    assert [m.test for m in (found.matrix, *found.also)] == [["latency"], ["throughput"]]
    assert [m.size for m in (found.matrix, *found.also)] == [[64], [1024]]
    sized = scenario("interop", "cyclonedds", "fastdds", size="7")
    assert [m.size for m in (sized.matrix, *sized.also)] == [[7], [7]]


MISTAKES = {
    "size": ["x", "64kHz", "0.3", "-3", "64,", "uniform(1)"],
    "rate": ["x", "-1", "nan", "inf", "5MB"],
    "placement": ["diffrent", "0+x"],
    "qos": ["relable", "keep_last:0", "keep_last:x", "reliable:3", "deadline_s", "a:b"],
    "rounds": ["0", "1001", "x", "1.5"],
    "to": ["0", "100%", "x", "-2%"],
    "duration": ["0", "-1", "x", "2Hz"],
}


@pytest.mark.parametrize(
    ("option", "text"), [(option, text) for option, texts in MISTAKES.items() for text in texts]
)
def test_a_mistake_names_its_option_and_what_to_write(option: str, text: str) -> None:
    _, wrong = read("latency", ["udp"], {option: text})
    (only,) = wrong
    assert only.where == f"--{option} {text}"
    assert only.remedy or "should be" in only.message or "neither" in only.message


def test_all_mistakes_of_a_line_are_found_at_once() -> None:
    _, wrong = read("latency", [], {"size": "1Hz,64,x", "qos": "relable,keep_lst", "rate": "y"})
    assert [error.where.partition(" ")[0] for error in wrong] == [
        "busmark", "--size", "--size", "--qos", "--qos", "--rate",
    ]  # fmt: skip
    assert wrong[1].message == "'1Hz' is a rate, not a size" and "64k" in wrong[1].remedy
    assert "reliable" in wrong[3].remedy and "keep_last" in wrong[4].remedy


def test_sizes_rates_and_times_are_read_as_people_type_them() -> None:
    options = {"size": "64,1k,1MiB,64k", "rate": "0,100Hz,10kHz", "duration": "1m30s"}
    line, wrong = read("latency", ["udp"], options)
    assert not wrong and line.values == {
        "size": [64, 1024, 1 << 20, 64 << 10], "rate": [0.0, 100.0, 1e4], "duration": 90.0,
    }  # fmt: skip


def test_interop_is_between_two() -> None:
    (wrong,) = read("interop", ["cyclonedds"], {})[1]
    assert "between two" in wrong.message


@given(st.text(max_size=30))
def test_any_text_is_read_or_refused_in_words(text: str) -> None:
    for name, (reader, _) in OPTIONS.items():
        try:
            reader(text)
        except Mistaken as wrong:
            assert wrong.mistakes and all(wrong.mistakes), name


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
VALUES: Any = st.one_of(TEXTS, st.integers(-(2**40), 2**40), st.booleans(), st.floats(0.001, 1e9))


@given(st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), VALUES))
def test_what_is_written_reads_back(values: dict[str, Any]) -> None:
    tables = {"name": "x", "matrix": {"a": [1, 2], "option": {"./a.b": values}}, "also": [values]}
    assert tomllib.loads(written(tables)) == _without_empty(tables)


def _without_empty(tables: dict[str, Any]) -> dict[str, Any]:
    """Leave out a table without keys, which is not written."""
    found = dict(tables)
    if not tables["matrix"]["option"]["./a.b"]:
        found["matrix"] = {"a": [1, 2]}
    return found
