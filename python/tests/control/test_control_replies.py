"""Whatever a worker answers: it is understood, or the round fails; never the campaign."""

from __future__ import annotations

import io
import json
from typing import Any

import polars as pl
import pytest
from control_fakes import PARAMS, json_values, round_data
from hypothesis import given, settings
from hypothesis import strategies as st

from busmark.control import replies, tables
from busmark.control.failure import RoundError
from busmark.control.worker import Frame
from busmark.store import Case

CASE = Case(id="000-x", params=PARAMS, status="planned")
quick = settings(deadline=None, derandomize=True, max_examples=200)


@quick
@given(st.binary(max_size=60))
def test_any_line_is_a_message_or_garbage(line: bytes) -> None:
    try:
        assert isinstance(replies.read(line, "worker"), dict)
    except RoundError as error:
        assert error.kind == "garbage"
        assert "worker: not a message of the protocol" in str(error)


@quick
@given(shape=st.sampled_from(sorted(replies.RESULTS)), value=json_values)
def test_any_answer_has_the_shape_or_is_garbage(shape: str, value: Any) -> None:
    try:
        replies.check(replies.RESULTS[shape], value, "worker")
    except RoundError as error:
        assert error.kind == "garbage"


def test_what_the_controller_does_not_know_is_kept() -> None:
    report = {
        "role": "pinger", "writer": 1, "sent": 2, "begin_ns": 3, "end_ns": 4, "warmup_ns": 5,
        "ended": "x",
    }  # fmt: skip
    answer = [{**report, "blocked": 7}]
    assert replies.check(replies.RESULTS["run"], answer, "worker") == answer


def test_a_run_without_any_active_role_is_garbage() -> None:
    with pytest.raises(RoundError, match="at least 1 item"):
        replies.check(replies.RESULTS["run"], [], "worker")


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
