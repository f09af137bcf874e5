"""Whatever a worker answers: it is understood, or the round fails; never the campaign."""

from __future__ import annotations

import io
import json
from typing import Any

import polars as pl
import pytest
from control_fakes import PARAMS, begin, json_values, round_data, scenario
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from busmark.control import tables, worker
from busmark.control.campaign import STORED, Campaign, _understood
from busmark.control.worker import Frame
from busmark.errors import RoundError
from busmark.store import Case
from busmark.store.columns import polars_schema

CASE = Case(id="000-x", params=PARAMS, status="planned")
quick = settings(deadline=None, derandomize=True, max_examples=200)


@quick
@given(st.binary(max_size=60))
def test_any_line_is_a_message_or_garbage(line: bytes) -> None:
    try:
        assert isinstance(worker.read(line, "worker"), dict)
    except RoundError as error:
        assert error.kind == "garbage"
        assert "worker: not a message of the protocol" in str(error)


@quick
@given(shape=st.sampled_from(sorted(worker.RESULTS)), value=json_values)
def test_any_answer_has_the_shape_or_is_garbage(shape: str, value: Any) -> None:
    try:
        worker.check(worker.RESULTS[shape], value, "worker")
    except RoundError as error:
        assert error.kind == "garbage"


def test_what_the_controller_does_not_know_is_kept() -> None:
    answer = [{**round_data(1000).run[0], "mood": "good"}]
    assert worker.check(worker.RESULTS["run"], answer, "worker") == answer


@pytest.mark.parametrize("counters", ["lost", {"lost": "many"}, {"lost": -1}])
def test_counters_that_are_none_are_garbage(counters: Any) -> None:
    answer = {**round_data(1000).roles[0], "reader_counters": counters}
    with pytest.raises(RoundError, match="reader_counters") as told:
        worker.check(worker.RESULTS["collect"], [answer], "worker")
    assert told.value.kind == "garbage"


def test_a_run_without_any_active_role_is_garbage() -> None:
    with pytest.raises(RoundError, match="at least 1 item"):
        worker.check(worker.RESULTS["run"], [], "worker")


@quick
@given(st.binary(max_size=300))
def test_any_frame_is_samples_or_garbage(noise: bytes) -> None:
    data = round_data(1000)
    data.frames = [Frame("pinger", 1, noise)]
    with pytest.raises(RoundError, match=r"not a frame of samples|rows of samples"):
        tables.samples(CASE, 0, data)


@quick
@given(share=st.floats(0, 1), flip=st.integers(0, 7))
def test_a_frame_with_a_flipped_bit_is_samples_or_garbage(share: float, flip: int) -> None:
    data = round_data(1000)
    noisy = bytearray(data.frames[0].data)
    noisy[int(share * (len(noisy) - 1))] ^= 1 << flip
    data.frames = [Frame("pinger", 1, bytes(noisy))]
    try:
        assert tables.samples(CASE, 0, data).height == 20
    except RoundError as error:
        assert error.kind == "garbage"


def test_rows_that_were_announced_must_come() -> None:
    data = round_data(1000)
    data.roles[0]["rows"] = 21
    with pytest.raises(RoundError, match="20 rows of samples, 21 were announced"):
        tables.samples(CASE, 0, data)


def test_a_sample_taken_with_an_earlier_announcement_has_none_of_its_own() -> None:
    data = round_data(1000, rows=3)
    frame = pl.read_ipc_stream(io.BytesIO(data.frames[0].data)).with_columns(
        sent_ns=pl.Series([100, 200, 300]),
        echo_delivered_ns=pl.Series([150, 150, None], dtype=pl.Int64),
        echo_sent_ns=pl.Series([160, 260, 360]),
        delivered_ns=pl.Series([170, 255, 400]),
    )
    stream = io.BytesIO()
    frame.write_ipc_stream(stream)
    data.frames = [Frame("pinger", 1, stream.getvalue())]
    found = tables.samples(CASE, 0, data)
    assert found["echo_delivered_ns"].to_list() == [150, None, None]
    assert found["delivered_ns"].to_list() == [170, None, 400]


def test_a_row_has_every_column_and_nothing_unknown_is_zero() -> None:
    place = tables.Place(CASE, 2, 1, 5, "2026-01-01T00:00:00Z")
    row = tables.row(place, "failed", "died", {})
    assert row["lost"] is None and row["median_ns"] is None
    assert (row["round"], row["attempt"], row["order"], row["status"]) == (2, 1, 5, "failed")
    assert json.loads(row["qos"]) == {}


numbers = st.integers(-5, 5) | st.sampled_from(
    [2**31, 2**53, 2**63 - 1, 2**63, -(2**63), 2**200, 10**400]
)


def mutated(value: Any, path: tuple[Any, ...], by: Any) -> Any:
    """A copy of it with another value in this place."""
    if not path:
        return by
    copy = value.copy()
    copy[path[0]] = mutated(value[path[0]], path[1:], by)
    return copy


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """All places in a nested value that hold no others."""
    keys = value.keys() if isinstance(value, dict) else range(len(value))
    found: list[tuple[Any, ...]] = []
    for key in keys:
        below = value[key]
        nested = isinstance(below, dict | list) and len(below) > 0
        found += places(below, (*path, key)) if nested else [(*path, key)]
    return found


COUNTED = {"writer": 1, "width_ns": 10**8, "span_ns": [0, 10**9], "samples": [5, 5],
           "bytes": [40, 40]}  # fmt: skip
SETTINGS = settings(
    deadline=None, derandomize=True, max_examples=2000, suppress_health_check=list(HealthCheck)
)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A campaign that stores nothing."""
    writer = begin(tmp_path_factory.mktemp("mutated") / "r", cases=1)
    yield Campaign(scenario(), {}, writer, [])
    writer.close()


@SETTINGS
@given(
    data=st.data(),
    by=numbers | json_values | st.floats(),
    test=st.sampled_from(["latency", "throughput"]),
)
def test_a_round_of_which_one_answer_is_mutated_is_stored_or_garbage(
    running: Campaign, data: st.DataObject, by: Any, test: str
) -> None:
    """One value of the answers to `run` and `collect` is another, of any kind and size."""
    whole = round_data(1000)
    streaming = test == "throughput"
    role = {**whole.roles[0], "role": "receiver" if streaming else "pinger"}
    # What comes in frames is checked where they are read.
    counted = {name: role.pop(name) for name in STORED} | {"intervals": [COUNTED]}
    answers = {"run": whole.run, "collect": [role]}
    answers = mutated(answers, data.draw(st.sampled_from(places(answers))), by)
    case = CASE.model_copy(update={"params": PARAMS.changed(test=test)})
    place = tables.Place(case, 0, 0, 0, "2026-01-01T00:00:00Z")
    try:
        for name, answer in answers.items():
            worker.check(worker.RESULTS[name], answer, "worker")
        whole.run = answers["run"]
        whole.roles = [{**role, **counted} for role in answers["collect"]]
        with _understood():
            stored = running._stored(place, whole, None)
    except RoundError as error:
        assert error.kind == "garbage"
        return
    pl.DataFrame([stored.row], schema=polars_schema("cases"))
