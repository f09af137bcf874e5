"""JSON becomes CDR as XCDR1 has it; what does not fit is named by its member."""

from __future__ import annotations

import json
import struct
import sys
from pathlib import Path
from typing import Any

import pytest

from busmark.plugins.own_types.codec import PLAIN_CDR, Wrong, decode, encode, types

pytest.importorskip("cyclonedds", reason="busmark type build needs it: pip install cyclonedds")


CLASSES = """
from dataclasses import dataclass
from enum import auto
import cyclonedds.idl as idl
import cyclonedds.idl.annotations as annotate
import cyclonedds.idl.types as types

Name = types.typedef["encoded.Name", types.bounded_str[5]]

@annotate.final
class Kind(idl.IdlEnum, typename="encoded.Kind", default="SLOW"):
    SLOW = auto()
    FAST = auto()

@annotate.final
class Either(idl.IdlUnion, discriminator=types.int32, typename="encoded.Either"):
    whole: types.case[[1], types.int32]
    text: types.case[[2, 3], str]

@dataclass
@annotate.final
class Point(idl.IdlStruct, typename="encoded.Point"):
    tag: types.uint8
    x: types.float64

@dataclass
@annotate.final
class Whole(idl.IdlStruct, typename="encoded.Whole"):
    name: Name
    kind: Kind
    either: Either
    grid: types.array[types.int16, 2]
    points: types.sequence[Point, 2]
    good: bool
"""

VALUE: dict[str, Any] = {
    "name": "abc",
    "kind": "FAST",
    "either": {"whole": -7},
    "grid": [1, -2],
    "points": [{"tag": 255, "x": 0.5}],
    "good": True,
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "encoded.py").write_text(CLASSES, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "encoded", raising=False)
    return tmp_path


def cdr(folder: Path, of_type: str = "encoded::Whole", **changes: Any) -> bytes:
    value = folder / "value.json"
    value.write_text(json.dumps({**VALUE, **changes}), encoding="utf-8")
    return encode(folder, of_type, value)


def test_the_value_is_plain_cdr_without_its_header(folder: Path) -> None:
    expected = struct.pack("<I4s", 4, b"abc\0") + struct.pack("<I", 1)
    expected += struct.pack("<ii", 1, -7) + struct.pack("<hh", 1, -2)
    expected += struct.pack("<I", 1) + struct.pack("<B3xd", 255, 0.5) + struct.pack("<?", True)
    assert cdr(folder) == expected


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"name": 3}, "name: 3 is not a text"),
        ({"name": "abcdef"}, 'name: "abcdef" is longer than 5 bytes'),
        ({"name": "\ud800"}, 'name: "\ud800" is not a text'),
        ({"kind": "FASTER"}, 'kind: "FASTER" is no enumerator: did you mean FAST?'),
        ({"either": {"other": 1}}, "either: a union has one member of whole, text"),
        ({"either": {"text": "x"}}, 'either: member text has several: give its "discriminator"'),
        ({"grid": [1]}, "grid: has 1 elements, the array has 2"),
        ({"grid": [1, 40000]}, "grid[1]: 40000 is not a whole number from -32768 to 32767"),
        ({"points": [{}]}, "points[0].tag: is missing"),
        ({"points": [VALUE["points"][0]] * 3}, "points: has 3 elements, at most 2"),
        ({"points": [{"tag": 1, "x": "far"}]}, 'points[0].x: "far" is not a number'),
        ({"points": [{"tag": True, "x": 1}]}, "points[0].tag: true is not a whole number"),
        ({"good": 1}, "good: 1 is not true or false"),
        ({"goods": True}, "goods: no such member; did you mean good?"),
    ],
)
def test_what_does_not_fit_is_named(folder: Path, changes: dict[str, Any], text: str) -> None:
    with pytest.raises(Wrong) as error:
        cdr(folder, **changes)
    assert str(error.value).startswith(f"{folder / 'value.json'}: {text}")


def test_a_member_of_a_union_with_several_labels_takes_the_one_given(folder: Path) -> None:
    chosen = cdr(folder, either={"discriminator": 3, "text": "hi"})
    assert struct.pack("<iI3s", 3, 3, b"hi\0") in chosen


@pytest.mark.parametrize(
    "changes", [{}, {"either": {"discriminator": 3, "text": "hi"}}, {"points": [], "good": False}]
)
def test_what_was_encoded_is_decoded_as_it_was_given(folder: Path, changes: dict[str, Any]) -> None:
    data = PLAIN_CDR + cdr(folder, **changes)
    assert decode(types(folder), "encoded::Whole", data) == {"value": {**VALUE, **changes}}


def test_a_sample_that_is_no_value_of_its_type_says_so(folder: Path) -> None:
    known = types(folder)
    assert "problem" in decode(known, "encoded::Whole", PLAIN_CDR + b"\1\0\0\0")
    assert "problem" in decode(known, "encoded::Whole", b"")
    whole = PLAIN_CDR + cdr(folder)
    assert "value" in decode(known, "encoded::Whole", whole + b"\0\0\0")
    assert "problem" in decode(known, "encoded::Whole", whole + b"\0\0\0\0")
    assert all("problem" in decode(known, "encoded::Whole", whole[:-n]) for n in range(1, 60))
    assert decode(known, "encoded::Other", PLAIN_CDR) == {}


def test_a_name_that_is_no_structure_is_refused_with_the_nearest(folder: Path) -> None:
    with pytest.raises(Wrong, match=r"encoded::Hole: no such structure; did you mean"):
        cdr(folder, "encoded::Hole")


def test_a_file_that_is_no_json_is_refused(folder: Path) -> None:
    value = folder / "value.json"
    value.write_text("{", encoding="utf-8")
    with pytest.raises(Wrong, match="is not JSON"):
        encode(folder, "encoded::Whole", value)


OTHER = """
from dataclasses import dataclass
from typing import TYPE_CHECKING

import cyclonedds.idl as idl
import cyclonedds.idl.annotations as annotate

if TYPE_CHECKING:
    import encoded

@dataclass
@annotate.final
class Line(idl.IdlStruct, typename="lines.Line"):
    start: "encoded.Point"
    end: "encoded.Point"
"""


def test_a_type_may_have_members_of_another_module(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "lines.py").write_text(OTHER, encoding="utf-8")
    monkeypatch.delitem(sys.modules, "lines", raising=False)
    value = folder / "line.json"
    points = {"start": {"tag": 1, "x": 2}, "end": {"tag": 3, "x": 4}}
    value.write_text(json.dumps(points), encoding="utf-8")
    expected = struct.pack("<B7xdB7xd", 1, 2, 3, 4)
    assert encode(folder, "lines::Line", value) == expected
