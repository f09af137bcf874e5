"""`busmark adapters` with real libraries: the list, one in full, and the table."""

from __future__ import annotations

import json

import pytest
from e2e_harness import Lab, need_adapters


@pytest.fixture(autouse=True)
def _built() -> None:
    need_adapters("null", "udp")


def test_the_list_names_what_is_here_and_why_something_is_not(lab: Lab) -> None:
    ended = lab.busmark("adapters")
    assert ended.code == 0
    lines = [line.strip() for line in ended.out.splitlines()]
    for name in ("null", "udp"):
        assert any(line.startswith(f"{name} ") for line in lines)


def test_one_in_full_is_as_declared(lab: Lab) -> None:
    (declared,) = json.loads(lab.busmark("adapters", "udp", "--json").out)
    text = lab.busmark("adapters", "udp").out
    assert declared["usable"] and "conformance" not in declared
    for option in declared["options"]:
        assert option["key"] in text
    for name in ("title", "middleware_version", "licence", "path"):
        assert declared[name] in text


def test_an_unknown_name_is_refused_with_the_nearest(lab: Lab) -> None:
    ended = lab.quickly("adapters", "cyclonedd")
    assert ended.code == 2
    assert "Did you mean cyclonedds?" in ended.err


def test_the_table_compares_what_is_named(lab: Lab) -> None:
    ended = lab.busmark("adapters", "--table", "udp", "null")
    assert ended.code == 0
    assert "Property udp null" in " ".join(ended.out.split())
    assert "best_effort" in ended.out and "was not run over it" in ended.out
