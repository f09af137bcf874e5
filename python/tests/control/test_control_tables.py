"""Rows of a round that are made of what workers sent: known answers, or the round fails."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from control_fakes import PARAMS, framed, round_data
from hypothesis import given, settings
from hypothesis import strategies as st

from busmark.control import RESULTS, Frame, check, read, tables
from busmark.control.roles import sizes_of
from busmark.errors import RoundError
from busmark.store import Case

CASE = Case(id="000-x", params=PARAMS, status="planned")
quick = settings(deadline=None, derandomize=True, max_examples=200)
json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 2**40) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
)


def case(**params: Any) -> Case:
    return CASE.model_copy(update={"params": PARAMS.model_copy(update=params)})


@quick
@given(st.binary(max_size=60))
def test_any_line_is_a_message_or_garbage(line: bytes) -> None:
    try:
        assert isinstance(read(line, "worker"), dict)
    except RoundError as error:
        assert error.kind == "garbage"


@quick
@given(shape=st.sampled_from(sorted(RESULTS)), value=json_values)
def test_any_answer_has_the_shape_or_is_garbage(shape: str, value: Any) -> None:
    try:
        check(RESULTS[shape], value, "worker")
    except RoundError as error:
        assert error.kind == "garbage"


def test_what_the_controller_does_not_know_is_kept() -> None:
    answer = [{**round_data().run[0], "mood": "good"}]
    assert check(RESULTS["run"], answer, "worker") == answer


@pytest.mark.parametrize("counters", ["lost", {"lost": "many"}, {"lost": -1}])
def test_counters_that_are_none_are_garbage(counters: Any) -> None:
    answer = {**round_data().roles[0], "reader_counters": counters}
    with pytest.raises(RoundError, match="reader_counters") as refused:
        check(RESULTS["collect"], [answer], "worker")
    assert refused.value.kind == "garbage"


@quick
@given(st.binary(max_size=300))
def test_any_frame_is_samples_or_garbage(noise: bytes) -> None:
    data = round_data()
    data.frames = [Frame("pinger", 1, noise)]
    with pytest.raises(RoundError) as refused:
        tables.samples(CASE, 0, data)
    assert refused.value.kind == "garbage"


@quick
@given(share=st.floats(0, 1), flip=st.integers(0, 7))
def test_a_frame_with_a_flipped_bit_is_samples_or_garbage(share: float, flip: int) -> None:
    data = round_data()
    noisy = bytearray(data.frames[0].data)
    noisy[int(share * (len(noisy) - 1))] ^= 1 << flip
    data.frames = [Frame("pinger", 1, bytes(noisy))]
    try:
        assert tables.samples(CASE, 0, data).height == 20
    except RoundError as error:
        assert error.kind == "garbage"


def test_rows_that_were_announced_must_come() -> None:
    data = round_data()
    data.roles[0]["rows"] = 21
    with pytest.raises(RoundError, match="20 rows of samples, 21 were announced"):
        tables.samples(CASE, 0, data)


def test_a_sample_taken_with_an_earlier_announcement_has_none_of_its_own() -> None:
    data = round_data(
        3, sent_ns=[100, 200, 300], echo_sent_ns=[160, 260, 360], delivered_ns=[170, 255, 400],
        echo_delivered_ns=pl.Series([150, 150, None], dtype=pl.Int64),
    )  # fmt: skip
    found = tables.samples(CASE, 0, data)
    assert found["echo_delivered_ns"].to_list() == [150, None, None]
    assert found["delivered_ns"].to_list() == [170, None, 400]


def test_each_sample_has_its_own_size() -> None:
    one = case(size=300, size_distribution="choice(8, 24, 1000)")
    data = round_data(4, one.params)
    sizes = sizes_of(data.flows.flows[0], 5)
    assert set(sizes) == {8, 24, 1000}
    seq = [0, 3, len(sizes) + 1, 7 * len(sizes) + 2]
    data.frames = round_data(4, seq=seq).frames
    found = tables.samples(one, 0, data, 5)["size"].to_list()
    assert found == [sizes[0], sizes[3], sizes[1], sizes[2]]
    table = pl.read_ipc_stream(data.frames[0].data)
    data.frames = [framed("batcher", table)]
    assert tables.samples(one, 0, data, 5)["size"].to_list() == [None] * 4


def test_without_a_distribution_all_have_the_size_of_the_case() -> None:
    one = case(size=24)
    found = tables.samples(one, 0, round_data(20, one.params), 5)
    assert found["size"].unique().to_list() == [24]


def test_a_round_has_extremes_average_and_variance() -> None:
    data = round_data(5)
    frame = tables.samples(CASE, 0, data)
    took = [1000, 2000, 4000, 8000, None]
    arrived = pl.Series([None if t is None else s + t
                         for s, t in zip(frame["intended_ns"], took, strict=True)])  # fmt: skip
    found = tables.summary(CASE, data, frame.with_columns(read_ns=arrived))
    known = [t for t in took if t]
    assert (found["min_ns"], found["max_ns"], found["mean_ns"]) == (1000, 8000, 3750)
    assert found["variance_ns2"] == pytest.approx(np.var(known, ddof=1))
    lost = tables.summary(CASE, data, frame.with_columns(read_ns=pl.lit(None, dtype=pl.Int64)))
    assert {lost[name] for name in ("min_ns", "max_ns", "mean_ns", "variance_ns2")} == {None}


def test_an_arrival_that_may_be_a_repeat_is_not_lost() -> None:
    data = round_data(20)
    account = {"received": 17, "duplicated": 0, "out_of_order": 0, "ancient": 2}
    data.roles[0]["accounts"] = [account]
    found = tables.summary(CASE, data, tables.samples(CASE, 0, data))
    assert (found["received"], found["ancient"], found["lost"]) == (17, 2, 1)


def test_each_reader_has_its_own_count_of_what_its_middleware_lost() -> None:
    def reader(missing: list[int], lost: int | None) -> dict[str, Any]:
        return {"role": "receiver", "accounts": [{"missing": each} for each in missing],
                "reader_counters": {"lost": lost}}  # fmt: skip

    writer = {"role": "transmitter"}
    # The second counts what it lost in the warm-up, too: that is no sample of the first.
    found = tables._whereabouts([reader([500, 20], 100), reader([3], 10), writer])
    assert found == {"middleware_lost": 110, "overwritten": 420}
    for roles in ([reader([5], 1), reader([5], None)], [], [writer]):
        unknown = tables._whereabouts(roles)
        assert unknown == {"middleware_lost": None, "overwritten": None}


def test_of_a_reader_that_received_nothing_every_sample_is_lost() -> None:
    paced = case(test="throughput", rate_hz=100.0, arrivals="constant", placement="different")
    data = round_data(5, paced.params)
    (flow,) = data.flows.flows
    writer, reader = flow.writers[0].number, flow.readers[0].number
    data.run[0] |= {"role": "transmitter", "writer": writer}
    data.roles[0] |= {"role": "receiver", "writer": reader, "rows": 0}
    # A worker sends no frame of a role that recorded nothing.
    data.frames, data.record_every = [], 1
    found = tables.samples(paced, 0, data)
    assert found["role"].to_list() == ["reader"] * 5 and found["seq"].to_list() == [*range(5)]
    assert found["reader"].to_list() == [reader] * 5
    assert found["read_ns"].null_count() == 5 and found["intended_ns"].null_count() == 0
