"""What a watcher of a bus makes of messages: recorded ones of two participants, of which one was
killed; and what somebody else may write there."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from busmark.plugins.bus.seen import End, Observer

RECORDED = Path(__file__).parent / "recorded" / "session.jsonl"
"""`busmark bus watch --json` beside two participants of Cyclone DDS."""
MESSAGES: list[dict[str, Any]] = [json.loads(line) for line in RECORDED.open(encoding="utf-8")]
SECOND = 10**9
THREE = 77


def seen(messages: list[dict[str, Any]]) -> Observer:
    found = Observer()
    for message in messages:
        found.hear(message, 1.0)
    found.look(1.0)
    return found


def rows(found: Observer) -> dict[tuple[int, str, int, int], End]:
    return {(e.participant.app, e.kind, e.test, e.number): e for e in found.ends.values()}


def said(at_s: float, **what: Any) -> dict[str, Any]:
    return {
        "busmark": 2,
        "app": 3,
        "group": 1,
        "instance": THREE,
        "seq": 1,
        "at_realtime_ns": int(at_s * SECOND),
        **what,
    }


def listed(at_s: float, *tests: dict[str, Any]) -> dict[str, Any]:
    member = {"adapter": "cyclonedds", "host": "h", "pid": 5, "tests": list(tests)}
    return said(at_s, news="answer", caller=1, id=1, ok=True, result=member)


def test(kind: str, number: int, **others: Any) -> dict[str, Any]:
    return {
        "test": number,
        "kind": kind,
        "state": "running",
        "size": 64,
        "rate_hz": 100.0,
        "from": [],
        "count": 1,
        **others,
    }


test.__test__ = False  # type: ignore[attr-defined]


def interval(
    at_s: float, kind: str, number: int, count: dict[str, Any], **others: Any
) -> dict[str, Any]:
    event = {"event": "interval", "begin_ns": 0, "end_ns": SECOND, "counts": [count], **others}
    return said(at_s, news="event", kind=kind, test=number, event=event)


def test_a_recorded_session_is_rows_with_figures() -> None:
    found = seen(MESSAGES)
    ends = rows(found)
    assert set(ends) == {
        (3, "transceiver", 7, 0),
        (4, "transponder", 7, 0),
        (4, "receiver", 8, 0),
        (4, "receiver", 8, 1),
        (3, "transmitter", 8, 0),
    }
    trips = ends[3, "transceiver", 7, 0]
    assert trips.state == "ended" and trips.peers == (4,) and trips.theoretical_hz == 200.0
    assert trips.received == 2400 and trips.lost == 0.0
    assert [best["percent"] for best in trips.segments["trip"]] == [100.0, 99.9, 99.0, 90.0]
    median, p99 = trips.looks.median_ns, trips.looks.p99_ns
    assert median is not None and p99 is not None and 0 < median < p99
    read = ends[4, "receiver", 8, 0]
    assert read.theoretical_hz == 100.0 and read.share == pytest.approx(1.0, abs=0.3)
    assert [(t.app, t.what) for t in found.troubles if t.what != "gone"] == [(3, "refused")]


def test_whoever_comes_back_under_a_number_replaces_who_had_it() -> None:
    found = seen(
        [
            said(1, news="joined", member={"host": "h"}),
            {**said(5, news="joined", member={"host": "h"}), "instance": 78},
        ]
    )
    assert found.participants[THREE].gone and not found.participants[78].gone


def test_what_is_older_than_the_end_of_a_test_does_not_bring_it_back() -> None:
    count = {"role": 224, "writer": 192, "samples": 50}
    ended = said(5, news="ended", kind="receiver", test=8, result={"roles": []})
    events = [interval(at, "receiver", 8, count) for at in (3, 4)]
    found = seen([listed(1, test("receiver", 8)), ended, *events])
    (end,) = found.ends.values()
    assert end.state == "ended" and end.rate_hz is None
    found.hear(interval(6, "receiver", 8, {**count, "samples": 70}), 2.0)
    (end,) = found.ends.values()
    assert end.state == "running" and end.rate_hz == 70.0


def test_the_theoretical_rate_is_by_sequence_numbers_where_these_are_reported() -> None:
    count = {"role": 224, "writer": 192, "samples": 50}
    here = [listed(1, test("receiver", 8, **{"from": [3]}), test("transmitter", 8, count=2))]
    (read,) = (
        e
        for e in seen([*here, interval(2, "receiver", 8, count)]).ends.values()
        if e.kind == "receiver"
    )
    assert (read.theoretical_hz, read.rate_hz, read.missing) == (200.0, 50.0, None)
    counted = {**count, "theoretical": 60, "missing": 10, "bytes": 5000}
    (read,) = (
        e
        for e in seen([*here, interval(2, "receiver", 8, counted)]).ends.values()
        if e.kind == "receiver"
    )
    assert (read.theoretical_hz, read.missing, read.bytes_per_s) == (60.0, 10, 5000.0)


def test_segments_of_live_figures_are_shown() -> None:
    best = {"percent": 100.0, "count": 3, "min_ns": 1, "mean_ns": 2.0, "max_ns": 3}
    look = {
        "role": 192,
        "round_trips_ns": [3, 1, 2],
        "asked": 2,
        "unanswered": 1,
        "segments": {"trip": [best]},
    }
    count = {"role": 192, "writer": 192, "samples": 3}
    (end,) = seen([interval(2, "transceiver", 7, count, seen=[look])]).ends.values()
    assert end.segments == {"trip": [best]} and end.looks.median_ns == 2.0 and end.lost == 0.5
    assert end.looks.p99_ns is None, "too few for a tail"


def test_a_test_that_is_not_listed_any_more_has_ended() -> None:
    found = seen(
        [listed(1, test("receiver", 8), test("transponder", 7)), listed(9, test("transponder", 7))]
    )
    assert {end.kind: end.state for end in found.ends.values()} == {
        "receiver": "ended",
        "transponder": "running",
    }


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [at] if at else []
    inside = value.items() if isinstance(value, dict) else ()
    for key, each in enumerate(value[:3]) if isinstance(value, list) else inside:
        found += places(each, (*at, key))
    return found


STRANGE = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=5),
    st.just([]),
    st.just({}),
    st.just([[]]),
    st.just({"test": []}),
    st.just(10**400),
)


@given(st.sampled_from(MESSAGES), st.data())
def test_a_message_with_anything_in_its_place_ends_nothing(
    message: dict[str, Any], data: st.DataObject
) -> None:
    changed: Any = copy.deepcopy(message)
    path = data.draw(st.sampled_from(places(changed)))
    place = changed
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = data.draw(STRANGE)
    found = seen(MESSAGES[:12])
    found.hear(changed, 1.0)
    found.look(100.0)
