"""Names of files, and texts that a user has chosen, in what draws them."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from busmark.present.charts.shapes import one_line
from busmark.present.drawings import Names, safe

HOSTILE = st.text(st.characters(), max_size=80) | st.sampled_from(
    ["", ".", "..", "/", "../../etc/passwd", "-rf", "a\x00b", "CON", "\u202e", "µs", "Ü", "\ud800"]
)


@given(HOSTILE)
@example("../x")
def test_a_part_of_a_name_is_plain_letters(text: str) -> None:
    assert re.fullmatch(r"[A-Za-z0-9+=_](?:[A-Za-z0-9+=_-]*[A-Za-z0-9+=_])?", safe(text))


@given(st.lists(st.lists(HOSTILE, min_size=1, max_size=8), min_size=1, max_size=6))
def test_names_can_be_files_and_differ_even_without_capitals(parts: list[list[str]]) -> None:
    names = Names()
    given_names = [names.name(each) for each in parts]
    assert len({name.lower() for name in given_names}) == len(parts)
    for name in given_names:
        assert os.path.basename(name) == name
        assert len(f"{name}.stats".encode()) < 255
        assert not name.startswith((".", "-"))


def test_thousands_are_not_cut_in_two(tmp_path: Path) -> None:
    assert safe("rate 16\N{NARROW NO-BREAK SPACE}000 /s") == "rate-16000-s"


@given(HOSTILE, st.integers(2, 60))
def test_a_label_is_one_line_of_what_can_be_shown(text: str, longest: int) -> None:
    line = one_line(text, longest)
    assert len(line) <= longest
    assert line.splitlines() in ([], [line])
    assert all(c.isprintable() or c == "\u202f" for c in line)


@pytest.mark.parametrize("text", ["Cyclone DDS", "a · b", "16\N{NARROW NO-BREAK SPACE}000 /s"])
def test_a_usual_label_stays_as_it_is(text: str) -> None:
    assert one_line(text) == text
