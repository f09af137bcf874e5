"""What is written of a type that was discovered: what the user gives, and defaults."""

import uuid
from dataclasses import dataclass
from typing import Any

import pytest

pytest.importorskip("cyclonedds", reason="foreign types need it: pip install cyclonedds")

from cyclonedds import idl
from cyclonedds.builtin import DcpsEndpoint
from cyclonedds.core import Policy, Qos
from cyclonedds.idl import types

from busmark.plugins.bus.dynamic import (
    Problem,
    Task,
    Wrong,
    completed,
    fetched,
    for_reader,
    for_writer,
    group,
    plain,
    policies,
    value_of,
)


class Colour(idl.IdlEnum, typename="made.Colour"):
    RED = 3
    BLUE = 4


@dataclass
class Flags(idl.IdlBitmask, typename="made.Flags"):
    wet: bool = False
    hot: bool = False


class Choice(idl.IdlUnion, discriminator=Colour, typename="made.Choice"):
    few: types.case[[Colour.RED, Colour.BLUE], types.int16]
    text: types.default[str]


@dataclass
class Part(idl.IdlStruct, typename="made.Part"):
    weight: types.float32
    on: bool


@dataclass
class Whole(idl.IdlStruct, typename="made.Whole"):
    label: str
    letter: types.char
    grid: types.array[types.array[types.int32, 2], 2]
    parts: types.sequence[Part]
    part: Part
    colour: Colour
    flags: Flags
    choice: Choice


DEFAULTS: dict[str, Any] = {
    "label": "",
    "letter": "\0",
    "grid": [[0, 0], [0, 0]],
    "parts": [],
    "part": {"weight": 0.0, "on": False},
    "colour": "RED",
    "flags": [],
    "choice": {"discriminator": "RED", "few": 0},
}


def made(*members: tuple[str, str], **value: Any) -> Any:
    task = Task("write", 0, "topic", 1.0, value=value, members=members)
    return completed(Whole, task)


def test_members_that_are_not_given_have_the_defaults_of_their_types() -> None:
    assert made() == DEFAULTS
    assert plain(value_of(Whole, made(), "")) == DEFAULTS


def test_members_are_given_by_path_and_take_precedence_over_the_value() -> None:
    given = made(
        ("label", "7"),
        ("grid[1][0]", "5"),
        ("part.on", "true"),
        ("parts[0].weight", "2"),
        ("colour", "BLUE"),
        ("flags", '["hot"]'),
        parts=[{"on": True}],
        part={"weight": 1.5},
        label="other",
    )
    expected = {
        **DEFAULTS,
        "label": "7",
        "grid": [[0, 0], [5, 0]],
        "parts": [{"weight": 2, "on": True}],
        "part": {"weight": 1.5, "on": True},
        "colour": "BLUE",
        "flags": ["hot"],
    }
    assert given == expected
    assert plain(value_of(Whole, given, "")) == expected


def test_another_member_of_a_union_replaces_the_one_that_it_has() -> None:
    given = made(("choice", '{"discriminator": "BLUE", "few": -3}'))
    value = value_of(Whole, given, "")
    assert (value.choice.discriminator, value.choice.value) == (Colour.BLUE, -3)


@pytest.mark.parametrize(
    ("path", "text", "reason"),
    [
        ("lable", "1", "lable: no such member; did you mean label?"),
        ("part.weigth", "1", "part.weigth: no such member; did you mean weight?"),
        ("label.x", "1", "label.x: no such member: what it is in has none"),
        ("part[0]", "1", "part[0]: is no element: what it is in is no list"),
        ("grid[2]", "[1,2]", "grid[2]: has 2 elements: give the whole list as JSON"),
        ("part..on", "true", "part..on: is no path of a member"),
        ("[", "1", "[: is no path of a member"),
        ("part.on", "maybe", 'part.on: "maybe" is not true or false'),
        ("part.weight", "NaNo", 'part.weight: "NaNo" is not a number of 32 bits'),
        ("letter", "ab", 'letter: "ab" is not a text of one character'),
        ("choice", '{"discriminator": "GREEN", "few": 1}', 'choice.discriminator: "GREEN" is no'),
    ],
)
def test_what_does_not_fit_is_named_by_its_path(path: str, text: str, reason: str) -> None:
    with pytest.raises(Wrong) as error:
        value_of(Whole, made((path, text)), "")
    assert str(error.value).startswith(reason)


def end(*qos: Any, type_id: Any = None) -> DcpsEndpoint:
    key = uuid.uuid4()
    return DcpsEndpoint(key, key, 0, "topic", "made::Whole", Qos(*qos), type_id)


def test_a_type_that_nobody_announces_is_named() -> None:
    with pytest.raises(Problem, match="the name of its type alone, made::Whole"):
        fetched(None, Task("read", 0, "topic", 1.0), [end(), end()])


def test_a_writer_offers_what_each_reader_asks_for() -> None:
    readers = [
        end(Policy.Deadline(5), Policy.Partition(["a"]), Policy.Ownership.Exclusive),
        end(
            Policy.Deadline(3),
            Policy.Durability.TransientLocal,
            Policy.Liveliness.Automatic(9),
            Policy.DestinationOrder.BySourceTimestamp,
            Policy.Partition(["b"]),
            Policy.DataRepresentation(use_xcdrv2_representation=True),
        ),
    ]
    asked = policies(readers)
    offered = for_writer(asked)
    assert offered[Policy.Deadline].deadline == 3
    assert offered[Policy.Durability.Volatile] == Policy.Durability.TransientLocal
    assert offered[Policy.Ownership.Shared] == Policy.Ownership.Exclusive
    assert offered[Policy.Liveliness.Automatic] == Policy.Liveliness.Automatic(9)
    assert Policy.DestinationOrder.BySourceTimestamp in offered
    assert offered[Policy.DataRepresentation].use_xcdrv2_representation
    assert list(group(asked)[Policy.Partition].partitions) == ["a", "b"]
    # Nothing is asked for: nothing of these is offered.
    plainly = for_writer(policies([end()]))
    assert Policy.Deadline not in plainly and Policy.DataRepresentation not in plainly


def test_a_reader_accepts_any_latency_budget_and_no_writer_waits_for_it() -> None:
    asked = for_reader(policies([end(Policy.LatencyBudget(7), Policy.Ownership.Exclusive)]))
    assert asked[Policy.LatencyBudget].budget > 7
    assert asked[Policy.Reliability.BestEffort] == Policy.Reliability.BestEffort
    assert asked[Policy.Ownership.Shared] == Policy.Ownership.Exclusive
