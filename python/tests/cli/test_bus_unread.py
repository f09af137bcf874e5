"""Live figures of which round trips and legs are not read before somebody looks at them: whatever
is written there, what is shown is the same."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_bus_seen import STRANGE, places

from busmark.plugins.bus.seen import Seen
from busmark.plugins.bus.seen.unread import Unread, numbers, read, sparing

RECORDED = Path(__file__).parent / "recorded" / "session.jsonl"
LOOKS = [json.loads(line) for line in RECORDED.open(encoding="utf-8") if '"seen"' in line]
BEST = {"percent": 100.0, "count": 3, "min_ns": 1, "mean_ns": 2.0, "max_ns": 3}
LEGS = {"send_source": [BEST, BEST], "trip": [BEST]}
KEYS = ("legs", "round_trips_ns")


def written(message: Any) -> bytes:
    """As the worker writes it."""
    return json.dumps(message, separators=(",", ":"), sort_keys=True).encode()


def with_legs(message: dict[str, Any], *legs: dict[str, Any]) -> dict[str, Any]:
    """The message with a look for each of these legs."""
    changed = copy.deepcopy(message)
    (look,) = changed["event"]["seen"]
    changed["event"]["seen"] = [
        {**look, "role": look["role"] + number, "legs": copy.deepcopy(each)}
        for number, each in enumerate(legs)
    ]
    return changed


def whole(message: dict[str, Any]) -> dict[str, Any]:
    """With everything read."""
    for look in message["event"]["seen"]:
        look.update({key: read(look[key]) for key in KEYS if key in look})
    return message


@pytest.mark.parametrize("legs", [(LEGS,), ({},), (LEGS, LEGS), (LEGS, {}, LEGS)])
def test_what_is_read_later_is_what_was_written(legs: tuple[dict[str, Any], ...]) -> None:
    message = with_legs(LOOKS[0], *legs)
    found = sparing(written(message))
    assert whole(copy.deepcopy(found)) == message
    if all(legs):
        looks = found["event"]["seen"]
        assert all(isinstance(look[key], Unread) for look in looks for key in KEYS)


def shown(message: Any) -> list[tuple[object, ...]]:
    """What a watcher makes of it."""
    seen = Seen()
    seen.hear(message, 1.0)
    seen.look(1.0)
    return [(end.key, end.legs, list(end.trend), list(end.looks.all()), end.looked_at)
            for end in seen.ends.values()]  # fmt: skip


@given(st.sampled_from(LOOKS), st.data())
def test_whatever_is_written_there_the_same_is_shown(
    message: dict[str, Any], data: st.DataObject
) -> None:
    changed: Any = with_legs(message, LEGS)
    path = data.draw(st.sampled_from(places(changed["event"]["seen"])))
    place = changed["event"]["seen"]
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = data.draw(STRANGE | st.just({"legs": {"a": [{"b": 1}]}}))
    line = written(changed)
    found = shown(sparing(line))
    expected = shown(json.loads(line))
    # Legs that cannot be read are none; the values beside them are shown all the same.
    assert found == expected or not any(end[1] for end in found)


def test_words_in_quotes_are_no_figures() -> None:
    message = with_legs(LOOKS[0], LEGS)
    message["host"] = '"seen":[{"legs":{"x":[{}]},"round_trips_ns":[1]}]'
    assert whole(sparing(written(message))) == message


@pytest.mark.parametrize("text", [b"[]", b"[1]", b"[30,10,20]"])
def test_numbers_are_those_of_the_text(text: bytes) -> None:
    assert numbers(Unread(text)).tolist() == json.loads(text)


@pytest.mark.parametrize("text", [b"[1,,2]", b"[1,]", b"[,]", b'["a"]', b"[1.5,[]]", b"[null]"])
def test_what_is_no_number_is_refused(text: bytes) -> None:
    with pytest.raises((ValueError, TypeError)):
        numbers(Unread(text))
