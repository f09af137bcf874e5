"""`busmark adapters` with real libraries: the list, one in full, the table, and what is proved."""

from __future__ import annotations

import json

import pytest
from e2e_harness import Lab, need_adapters, scenario


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


def test_what_was_proved_is_remembered_and_stored_with_a_campaign(lab: Lab) -> None:
    ended = lab.busmark("adapters", "--check", "null", "--json")
    assert ended.code == 0, ended.text
    assert "checking null (1 of 1)" in ended.err
    table = json.loads(ended.out)
    assert list(table["checked"]) == ["null"]
    outcomes = {
        row["key"]: row["cells"]["null"]["outcome"]
        for section in table["sections"]
        for row in section["rows"]
    }
    assert outcomes["reliable"] == "proved"
    assert outcomes["keep_all"] == "untested"
    assert outcomes["best_effort"] is None
    lab.scenario(scenario('adapter = "null"', rounds="min = 1"))
    assert lab.busmark("run", "scenario.toml", "--out", "result").code == 0
    manifest = json.loads((lab.folder / "result" / "manifest.json").read_text())
    kept = manifest["adapters"]["null"]["conformance"]
    assert kept["failed"] == 0
    assert kept["results"]["c08_reliable_delivers_every_sample_in_order"][0] == "passed"
    (path,) = (lab.folder / "result").rglob("*.html")
    page = path.read_text(encoding="utf-8")
    assert ">proved</td>" in page
