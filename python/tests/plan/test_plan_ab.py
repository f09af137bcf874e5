"""Two sides of one scenario."""

from __future__ import annotations

from typing import Any

import pytest
from plan_adapters import adapter

from busmark.errors import UserError
from busmark.plan import expand
from busmark.scenario import Scenario, parse, parse_side
from busmark.store import Case

LIBRARY = "./new/libbusmark_paper.so"


def cases(baseline: str, candidate: str, matrix: dict[str, Any] | None = None) -> list[Case]:
    scenario = Scenario.model_validate(
        {"name": "x", "matrix": {"adapter": "paper", **(matrix or {})}}
    )
    sides = {
        "baseline": parse_side(baseline, "BASELINE"),
        "candidate": parse_side(candidate, "CANDIDATE"),
    }
    scenario = scenario.with_sides(sides)
    known = {"paper": adapter(), "stone": adapter("stone"), LIBRARY: adapter()}
    assert set(scenario.adapters) <= set(known)
    return expand(scenario, known)


def test_every_case_is_there_for_each_side() -> None:
    found = cases("paper", "stone", {"size": [64, 128]})
    lines = sorted((c.params.side, c.params.adapter, c.params.size) for c in found)
    assert lines == [
        ("baseline", "paper", 64), ("baseline", "paper", 128),
        ("candidate", "stone", 64), ("candidate", "stone", 128),
    ]  # fmt: skip
    assert all(case.status == "planned" for case in found)
    assert len({case.id for case in found}) == 4
    assert all(case.params.side in case.id for case in found)


def test_options_environment_and_prefix_are_of_their_side() -> None:
    first, second = cases("as-is", "as-is nodelay=false env:A_B='x y' -- nice -n 5")
    assert first.params.settings == {} and second.params.settings == {"nodelay": "false"}
    assert first.params.side_environment is None and first.params.side_prefix is None
    assert second.params.side_environment == "'A_B=x y'"
    assert second.params.side_prefix == "nice -n 5"


def test_a_library_takes_the_options_of_the_adapter_in_whose_place_it_is() -> None:
    matrix = {"option": {"paper": {"nodelay": ["false"]}}}
    first, second = cases("paper", LIBRARY, matrix)
    assert second.params.adapter == LIBRARY
    assert first.params.settings == second.params.settings == {"nodelay": "false"}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "names nothing"), ("paper stone", "neither"), ("paper --", "no command"),
        ("paper 'x", "not words"), ("paper env:=1", "neither"), ("paper env:A", "neither"),
    ],
)  # fmt: skip
def test_a_side_that_is_none_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(UserError, match=complaint):
        parse_side(text, "CANDIDATE")


def test_a_file_may_have_sides_but_not_one() -> None:
    text = 'name = "x"\n[matrix]\nadapter = "paper"\n[sides.old]\nadapter = "paper"\n'
    with pytest.raises(UserError, match="one side alone"):
        parse(text, "x.toml", [])
    both = parse(text + '[sides.new]\nprefix = "nice"\n', "x.toml", [])
    assert list(both.sides) == ["old", "new"]
