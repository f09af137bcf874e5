"""Messages of a bus in words: from participants, and what somebody else may write there."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from busmark.plugins.bus import words as bus

HEAD = {"busmark": 2, "app": 3, "group": 1, "instance": 77, "seq": 1, "at_realtime_ns": 10**18}
MEMBER = {
    "adapter": "cyclonedds",
    "middleware": "Cyclone",
    "transport": "udp",
    "domain": 0,
    "host": "h",
    "pid": 5,
    "tests": [
        {
            "test": 7,
            "kind": "receiver",
            "state": "running",
            "size": 1000,
            "rate_hz": 0.0,
            "from": [4, 5],
            "count": 3,
        }
    ],
}
BEST = {
    "percent": 99.9,
    "count": 4995,
    "min_ns": 4000,
    "mean_ns": 17_800.0,
    "max_ns": 192_300,
    "deviation_ns": None,
}


def role(accounts: list[dict[str, Any]], **others: Any) -> dict[str, Any]:
    return {
        "role": "x",
        "writer": 192,
        "foreign": 0,
        "corrupted": 0,
        "echo_failures": 0,
        "received": sum(a["received"] for a in accounts),
        "missing": sum(a["missing"] for a in accounts),
        "accounts": accounts,
        "streams": [],
        "segments": {},
        **others,
    }


def account(writer: int, received: int, missing: int) -> dict[str, Any]:
    return {"writer": writer, "received": received, "missing": missing}


INTERVAL = {
    "event": "interval",
    "begin_ns": 0,
    "end_ns": 2_000_000_000,
    "counts": [{"role": 192, "writer": 192, "samples": 2000}],
    "seen": [
        {"role": 192, "round_trips_ns": [90_000, 80_000, 100_000], "asked": 9, "unanswered": 2}
    ],
}
SEGMENTS = {
    "trip": [{**BEST, "percent": 100.0, "mean_ns": 40_000.0}, BEST],
    "send_source": [{**BEST, "mean_ns": 2100.0}],
}
LOOKED_AT = {**INTERVAL, "seen": [{**INTERVAL["seen"][0], "segments": SEGMENTS}]}  # type: ignore[dict-item,index]
READ = {
    "event": "interval",
    "begin_ns": 0,
    "end_ns": 2_000_000_000,
    "counts": [
        {
            "role": 224,
            "writer": 192,
            "samples": 1990,
            "theoretical": 2000,
            "missing": 12,
            "bytes": 1_990_000,
        }
    ],
}
SENT = {"sent": 1000, "ended": "duration", "begin_ns": 10, "last_ns": 10_000_000_010}
STREAM = {"writer": 192, "samples": 101, "bytes": 6400, "span_ns": 1_000_000_000}
MESSAGES: list[tuple[dict[str, Any], str]] = [
    ({"news": "joined", "member": MEMBER},
     "joined, process 5 on h, Cyclone, transport udp, domain 0"),
    ({"news": "left"}, "left"),
    ({"news": "answer", "ok": False, "error": {"kind": "x", "message": "no"}}, "refused: no"),
    ({"news": "answer", "ok": True, "result": {"test": 7, "kind": "receiver", "writers": [1]}},
     "receiver 7 runs"),
    ({"news": "event", "test": 7, "kind": "transceiver", "event": INTERVAL},
     "transceiver 7: answered 1,000/s, round trip from intended time median 90.0 µs, "
     "max 100.0 µs (of 3 looked at), "
     "2 of 9 looked at unanswered"),
    ({"news": "event", "test": 7, "kind": "transceiver", "event": LOOKED_AT},
     "transceiver 7: answered 1,000/s, round trip from intended time median 90.0 µs, "
     "max 100.0 µs (of 3 looked at), "
     "segments on average (µs): send source 2.1, trip 40.0, 2 of 9 looked at unanswered"),
    ({"news": "event", "test": 8, "kind": "receiver", "event": READ},
     "receiver 8: from app 3 theoretical 1,000/s, read 995/s, 7.96 Mbit/s, 12 lost so far"),
    ({"news": "ended", "test": 8, "kind": "receiver", "error": {"kind": "x", "message": "why"}},
     "receiver 8 failed: why"),
    ({"news": "ended", "test": 8, "kind": "receiver",
      "result": {"run": None, "roles": [role([account(192, 101, 9)], streams=[STREAM])]}},
     "receiver 8 ended, from app 3 101 read of 110 (100/s), 9 lost"),
    ({"news": "ended", "test": 8, "kind": "receiver",
      "result": {"run": None, "roles": [role([account(192, 5, 1), account(256, 7, 0)])]}},
     "receiver 8 ended, reader 192: 12 read of 13, 1 lost"),
    ({"news": "ended", "test": 8, "kind": "receiver",
      "result": {"run": [], "roles": [role([account(192, 55_000, 0)],
                                           other_size={"samples": 55, "bytes": 40,
                                                       "expected": 64})]}},
     "receiver 8 ended, from app 3 55,000 read of 55,000, 0 lost, 55 of the bodies looked at have "
     "40 B, not the 64 B of this end's definition"),
    ({"news": "ended", "test": 7, "kind": "transceiver",
      "result": {"run": [SENT], "rate_hz": 100.0,
                 "roles": [role([account(192, 998, 2)], segments={"trip": [BEST]})]}},
     "transceiver 7 ended, 1,000 sent, 998 answered, 2 not"),
    ({"news": "ended", "test": 8, "kind": "transmitter",
      "result": {"run": [SENT, {**SENT, "ended": "stopped"}], "roles": []}},
     "transmitter 8 ended, 1,000 sent, 1,000 sent until stopped"),
    ({"news": "ended", "test": 8, "kind": "transmitter",
      "result": {"run": [{**SENT, "ended": "late"}], "rate_hz": 1e6, "roles": []}},
     "transmitter 8 ended, 1,000 sent at 100/s of 1,000,000/s that were ordered"),
    ({"trouble": "stale", "message": "old", "omitted": 4}, "stale: old (4 more were not listed)"),
]  # fmt: skip


@pytest.mark.parametrize(("message", "shown"), MESSAGES)
def test_a_message_is_one_line(message: dict[str, Any], shown: str) -> None:
    text = bus.line({**HEAD, **message})
    assert text is not None and text.partition("  ")[2] == f"app 3 (group 1): {shown}"


def test_an_answer_is_rows_of_members_and_of_their_tests() -> None:
    answer = {**HEAD, "result": MEMBER}
    assert bus.members([answer]) == [("3", "1", "cyclonedds (Cyclone)", "udp", "h", "5", "1")]
    assert bus.tests([answer]) == [("3", "7", "receiver", "running", "1,000", "—", "3", "4, 5")]


def test_a_segment_is_a_row_in_microseconds() -> None:
    ended = next(m for m, shown in MESSAGES if "998 answered" in shown)
    assert bus.segments(ended) == [("trip", "99.9 %", "4,995", "4.0", "17.8", "192.3", "—")]


def paths(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the keys and places that lead to each value inside a message."""
    found = [at] if at else []
    inside = value.items() if isinstance(value, dict) else ()
    for key, each in enumerate(value) if isinstance(value, list) else inside:
        found += paths(each, (*at, key))
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


@given(st.sampled_from([m for m, _ in MESSAGES]), st.data())
def test_a_message_with_anything_in_its_place_ends_nothing(
    message: dict[str, Any], data: st.DataObject
) -> None:
    changed: Any = copy.deepcopy({**HEAD, "result": MEMBER, **message})
    path = data.draw(st.sampled_from(paths(changed)))
    place = changed
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = data.draw(STRANGE)
    shown = bus.line(changed)
    assert shown is None or isinstance(shown, str)
    bus.segments(changed), bus.tests([{**changed, "app": 3, "instance": 7}])
    bus.members([{**changed, "app": 3, "instance": 7}])


@pytest.mark.parametrize(
    ("change", "failed"),
    [
        ({}, True),
        ({"error": None}, False),
        ({"test": 9}, False),
        ({"kind": "transmitter"}, False),
        ({"at_realtime_ns": 4}, False),
        ({"kind": None, "test": []}, False),
    ],
)
def test_a_test_that_failed_at_its_other_end_since_it_began_is_known(
    change: dict[str, Any], failed: bool
) -> None:
    ended = {
        "news": "ended",
        "test": 8,
        "kind": "receiver",
        "at_realtime_ns": 6,
        "error": {"kind": "invalid", "message": "larger than its own"},
    }
    assert bus.failed_at({**ended, **change}, 8, bus.OTHER_END["transmitter"], 5) == failed
