"""What roles counted comes in frames, whole or not at all."""

from __future__ import annotations

import io
from typing import Any

import polars as pl
import pytest

from busmark.control import Frame, completed
from busmark.errors import RoundError

ACCOUNTS: dict[str, list[int | None]] = {
    "writer": [1, 2], "received": [5, 7], "missing": [1, 0], "duplicated": [0, 0],
    "out_of_order": [0, 2], "ancient": [0, 0], "width_ns": [10, 10], "first_ns": [-5, None],
    "last_ns": [15, None], "intervals": [2, 0],
}  # fmt: skip
INTERVALS: dict[str, list[int | None]] = {"samples": [2, 3], "bytes": [16, 24]}


def frame(kind: str, columns: dict[str, Any]) -> Frame:
    stream = io.BytesIO()
    pl.DataFrame(columns).write_ipc_stream(stream)
    return Frame("receiver", 9, stream.getvalue(), kind)


def report(**frames: int) -> dict[str, Any]:
    return {"role": "receiver", "writer": 9, "frames": frames}


def test_frames_become_what_roles_report() -> None:
    frames = [frame("accounts", ACCOUNTS), frame("intervals", INTERVALS)]
    (role,) = completed([report(accounts=2, intervals=2)], frames)
    assert [account["received"] for account in role["accounts"]] == [5, 7]
    first, second = role["intervals"]
    assert (first["span_ns"], first["samples"].tolist()) == ((-5, 15), [2, 3])
    assert (second["span_ns"], second["bytes"].tolist()) == (None, [])
    assert role["batches"] == [] and role["sent_batches"] is None


def test_whoever_keeps_no_account_has_counters_all_the_same() -> None:
    account = ("received", "missing", "duplicated", "out_of_order", "ancient")
    own = {name: [None] if name in account else values[:1] for name, values in ACCOUNTS.items()}
    (role,) = completed(
        [report(accounts=1, intervals=2)],
        [frame("accounts", own), frame("intervals", INTERVALS)],
    )
    assert role["accounts"] == [] and len(role["intervals"]) == 1


def test_batches_belong_to_their_writer() -> None:
    seen = {
        "writer": [1, 1, 2], "number": [0, 1, 0], "start_ns": [5, 6, 7], "end_ns": [8, None, 9],
        "ended": [True, False, True], "received": [3, 0, 3], "bytes": [24, 0, 24],
    }  # fmt: skip
    (role,) = completed([report(batches=3)], [frame("batches", seen)])
    assert [(own["writer"], own["end_ns"]) for own in role["batches"]] == [
        (1, [8, None]),
        (2, [9]),
    ]
    sent = {"acknowledged": pl.Series([None, None], dtype=pl.Int64), "waited_ns": [0, 4]}
    (role,) = completed([report(sent_batches=2)], [frame("sent_batches", sent)])
    assert role["sent_batches"] == {"acknowledged": [], "waited_ns": [0, 4]}


@pytest.mark.parametrize(
    ("announced", "frames", "words"),
    [
        ({"accounts": 2}, [], "0 rows of accounts, 2 were announced"),
        ({}, [frame("accounts", ACCOUNTS)], "2 rows of accounts, 0 were announced"),
        ({"accounts": 2}, [frame("accounts", ACCOUNTS)] * 2, "two frames of accounts"),
        ({"accounts": 2}, [frame("accounts", ACCOUNTS)], "other writers than were accounted for"),
        ({"accounts": 2}, [frame("accounts", INTERVALS)], "not a frame of accounts"),
        ({}, [frame("moods", INTERVALS)], "not a frame of moods"),
        ({"accounts": 1}, [frame("accounts", {**ACCOUNTS, "writer": [1, None]})], "has nulls"),
        ({"accounts": 1}, [frame("accounts", {**ACCOUNTS, "missing": [1, -1]})], "is below 0"),
        ({"accounts": 2}, [frame("accounts", {**ACCOUNTS, "missing": [1, None]})], "is missing"),
        (
            {"accounts": 2, "intervals": 2},
            [frame("accounts", {**ACCOUNTS, "width_ns": [0, 1]}), frame("intervals", INTERVALS)],
            "intervals of 0 ns",
        ),
    ],
)
def test_what_is_not_whole_is_garbage(
    announced: dict[str, int], frames: list[Frame], words: str
) -> None:
    with pytest.raises(RoundError, match=words) as refused:
        completed([report(**announced)], frames)
    assert refused.value.kind == "garbage"


def test_a_frame_of_nobody_is_garbage() -> None:
    with pytest.raises(RoundError, match="which reports nothing"):
        completed([], [frame("accounts", ACCOUNTS)])
