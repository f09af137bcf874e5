"""`busmark compare` on real campaigns: a planted delay is found, and the same twice is no error."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest
from e2e_harness import PACKAGE_FOLDER, Lab, need_adapters, scenario

SCHEMA = PACKAGE_FOLDER.parent / "schemas" / "comparison.schema.json"

OPTION = "matrix.option.reference.delay_us"


@pytest.fixture(scope="module")
def measured(shared_lab: Lab) -> Lab:
    """Folders `before` and `again`, and `after`, in which every sample is held up for 20 ms."""
    need_adapters("reference")
    shared_lab.scenario(
        scenario(
            'adapter = "reference"\ntransport = "pipe"',
            measure="duration_s = 0.4\nwarmup_s = 0.02\nmax_samples = 2000",
            rounds="min = 3",
        )
    )
    for name, delay in (("before", 0), ("again", 0), ("after", 20_000)):
        setting = f'{OPTION}="{delay}"'
        ended = shared_lab.busmark("run", "scenario.toml", "--set", setting, "--out", name)
        assert ended.code == 0, ended.text
    return shared_lab


def test_the_same_twice_is_compared(measured: Lab) -> None:
    ended = measured.quickly("compare", "before", "again", "--json")
    assert ended.code == 0, ended.text
    document = json.loads(ended.out)
    jsonschema.validate(document, json.loads(SCHEMA.read_text(encoding="utf-8")))
    (pair,) = document["pairs"]
    assert pair["changes"][0]["change"]["low"] is not None


def test_a_planted_delay_is_slower_and_fails_the_gate(measured: Lab) -> None:
    ended = measured.quickly(
        "compare", "before", "after", "--by", "delay_us", "--fail-if", "median.latency > 1.05",
        "--fail-if", "loss > 1%", "--junit", "gate.xml", "--markdown", "gate.md", "--html",
        "gate.html",
    )  # fmt: skip
    assert ended.code == 1, ended.text
    assert "slower" in ended.out
    root = ElementTree.parse(measured.folder / "gate.xml").getroot()
    assert [suite.attrib["failures"] for suite in root] == ["1", "0"]
    assert "| slower |" in (measured.folder / "gate.md").read_text(encoding="utf-8")
    assert 'is-worse">slower<' in (measured.folder / "gate.html").read_text(encoding="utf-8")


def test_the_delay_the_other_way_round_passes(measured: Lab) -> None:
    gate = ("--by", "delay_us", "--fail-if", "median.latency > 1.05", "--undecided", "fail")
    ended = measured.quickly("compare", "after", "before", *gate)
    assert ended.code == 0, ended.text
    assert "faster" in ended.out


def test_two_delays_of_one_campaign(measured: Lab) -> None:
    ended = measured.busmark(
        "run", "scenario.toml", "--set", f'{OPTION}=["0", "20000"]', "--out", "both"
    )
    assert ended.code == 0, ended.text
    ended = measured.quickly("compare", "both", "--by", "delay_us", "--baseline", "delay_us=0")
    assert ended.code == 0, ended.text
    assert "compared one by one" in " ".join(ended.out.split())
    assert "slower" in ended.out


def test_another_option_is_another_experiment(measured: Lab) -> None:
    ended = measured.quickly("compare", "before", "after")
    assert ended.code == 2
    assert "not the same experiment" in ended.err
    assert "--by settings.delay_us" in ended.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["before", "again", "--fail-if", "p99.latncy > 1"], "column 5: no quantity 'latncy'"),
        (["before", "again", "--junit", "x.xml"], "there is no criterion to write"),
        (["before", "again", "--equivalent", "much"], "'much' is not a share"),
        (["before", "again", "--equivalent", "0"], "'0' is out of range: above 0 to 1"),
        (["before", "again", "--markdown", "nowhere/x.md"], "nowhere: this folder is not there"),
        (["before", "elsewhere"], "elsewhere: no such result directory"),
        ([], "there are no two results"),
    ],
)
def test_mistakes_are_told(measured: Lab, arguments: list[str], message: str) -> None:
    ended = measured.quickly("compare", *arguments)
    assert ended.code == 2
    assert message in ended.err
    assert not list(Path(measured.folder).glob("x.*"))
