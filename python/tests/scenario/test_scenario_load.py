"""From TOML to a scenario, and from a mistake to its line."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from busmark.errors import UserError
from busmark.scenario import Scenario, parse
from busmark.scenario.load import SHIPPED, find

MINIMAL = 'name = "x"\n[matrix]\nadapter = "null"\n'

SCENARIOS = Path(__file__).resolve().parents[3] / "scenarios"


def test_a_single_value_is_a_list_of_one() -> None:
    scenario = parse(MINIMAL + "size = 7\nqos.depth = 3\n", "f", [])
    assert scenario.matrix.adapter == ["null"]
    assert scenario.matrix.size == [7]
    assert scenario.matrix.qos.depth == [3]


def test_a_whole_number_will_do_for_a_decimal_one_but_not_the_other_way_round() -> None:
    scenario = parse(MINIMAL + "[measure]\nduration_s = 1\n", "f", [])
    assert scenario.measure.duration_s == 1.0
    with pytest.raises(UserError, match=r"matrix\.size\[0\]"):
        parse(MINIMAL + "size = 7.5\n", "f", [])


def test_further_matrices_inherit_what_they_do_not_name() -> None:
    text = MINIMAL + "size = [1, 2]\nwait = 'poll'\n[[also]]\nsize = 3\n[[also]]\nadapter = 'udp'\n"
    first, second = parse(text, "f", []).also
    assert (first.adapter, first.size, first.wait) == (["null"], [3], ["poll"])
    assert (second.adapter, second.size, second.wait) == (["udp"], [1, 2], ["poll"])


def test_further_matrices_inherit_the_keys_of_tables_that_they_do_not_name() -> None:
    text = 'name = "x"\nlab.nodes = 2\n[matrix]\nadapter = ["udp", "tcp"]\n'
    text += "link.rate = '100mbit'\nlink.loss = '1%'\nqos.depth = 2\noption.tcp.a = 1\n"
    text += "[[also]]\nlink.loss = ''\nqos.reliability = 'reliable'\noption.udp.b = 2\n"
    (only,) = parse(text, "f", []).also
    assert (only.link.rate, only.link.loss) == (["100mbit"], [""])
    assert (only.qos.depth, only.qos.reliability) == ([2], ["reliable"])
    assert only.option == {"tcp.a": ["1"], "udp.b": ["2"]}


def test_max_follows_min_where_it_is_not_named() -> None:
    assert parse(MINIMAL + "[rounds]\nmin = 9\n", "f", []).rounds.max == 9
    assert parse(MINIMAL + "[rounds]\nmin = 2\n", "f", []).rounds.max == 5


def test_options_are_texts_by_adapter_and_key() -> None:
    text = MINIMAL + "[matrix.option.null]\na = [true, 1, 'x']\nb = 0.5\n"
    assert parse(text, "f", []).matrix.option == {"null.a": ["true", "1", "x"], "null.b": ["0.5"]}


def test_options_of_an_adapter_named_by_its_path() -> None:
    text = 'name = "x"\n[matrix]\nadapter = "./lib/x.so"\noption."./lib/x.so".key = 1\n'
    assert parse(text, "f", []).matrix.option == {"./lib/x.so.key": ["1"]}


@pytest.mark.parametrize(
    ("setting", "path", "value"),
    [
        ("measure.duration_s=0.25", ("measure", "duration_s"), 0.25),
        ("matrix.size=[1, 2]", ("matrix", "size"), [1, 2]),
        ("matrix.adapter=udp", ("matrix", "adapter"), ["udp"]),
        ("name=a b=c", ("name",), "a b=c"),
        ("matrix.qos.reliability=reliable", ("matrix", "qos", "reliability"), ["reliable"]),
    ],
)
def test_settings_change_keys(setting: str, path: tuple[str, ...], value: object) -> None:
    found: Any = parse(MINIMAL, "f", [setting])
    for part in path:
        found = getattr(found, part)
    assert found == value


def test_an_error_names_the_line_of_the_nearest_table_above_it() -> None:
    text = 'name = "x"\n\n[matrix]\nadapter = "null"\n\n[matrix.qos]\ndepth = 1\n\nhistry = "x"\n'
    with pytest.raises(UserError) as caught:
        parse(text, "f.toml", [])
    assert caught.value.where == "f.toml:9"
    assert caught.value.remedy == "Did you mean history?"


def test_every_error_but_the_first_is_counted() -> None:
    text = MINIMAL + "[measure]\nduration_s = -1\nwarmup_s = -1\nverify = 3\n"
    with pytest.raises(UserError, match=r"measure\.duration_s.*\(and 2 more\)"):
        parse(text, "f", [])


def test_what_is_stored_of_a_scenario_gives_the_same_scenario() -> None:
    text = MINIMAL + "[[also]]\nsize = 3\nqos.reliability = 'default'\n[rounds]\nmin = 7\n"
    scenario = parse(text, "f", [])
    assert Scenario.model_validate(scenario.model_dump(mode="json")) == scenario


@pytest.mark.parametrize("path", sorted(SCENARIOS.glob("**/*.toml")), ids=lambda path: path.stem)
def test_scenarios_of_this_repository_are_valid(path: Path) -> None:
    parse(path.read_text(encoding="utf-8"), str(path), [])


@settings(deadline=None, derandomize=True, max_examples=300)
@given(st.text(alphabet=st.sampled_from("[]{}=\"\n.,# abmatrixsize01-_\\'\t\u00e9"), max_size=80))
def test_any_text_is_a_scenario_or_one_message(text: str) -> None:
    try:
        parse(text, "f", [])
    except UserError as error:
        assert str(error).startswith("f")


def keys() -> st.SearchStrategy[str]:
    sections = ["name", "question", "measure", "matrix", "rounds", "criteria", "run", "also"]
    inner = ["adapter", "size", "qos", "option", "wait", "placement", "rate_hz", "duration_s",
             "interval_s", "min", "max", "reliability", "depth", "x"]  # fmt: skip
    return st.sampled_from(sections + inner)


def values() -> st.SearchStrategy[Any]:
    leaves = (
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4)
        | st.sampled_from(["null", "reliable", "same", "0+1"])
    )  # fmt: skip
    return st.recursive(
        leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys(), inner)
    )


@settings(deadline=None, derandomize=True, max_examples=100)
@given(st.dictionaries(keys(), values()))
def test_any_document_is_a_scenario_or_one_message(document: dict[str, Any]) -> None:
    """Of any shape; `tomllib` is told what to give."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tomllib, "loads", lambda _: document)
        try:
            parse("", "f", [])
        except UserError as error:
            assert str(error).startswith("f: ")


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("quickstart", "quickstart.toml"),
        ("interop.toml", "interop.toml"),
        ("scenarios/quickstart.toml", "quickstart.toml"),
        ("middlemeasure-2010/full", "middlemeasure-2010/full.toml"),
        ("openddsbench-2010", "openddsbench-2010/quick.toml"),
    ],
)
def test_a_scenario_that_ships_is_found_by_its_name_from_anywhere(
    name: str, file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert find(Path(name)) == SHIPPED / file


@pytest.mark.parametrize("name", ["nothing", "../quickstart", "middlemeasure-2010/README.md", "/"])
def test_any_other_name_stays_what_it_is(name: str) -> None:
    assert find(Path(name)) == Path(name)


def test_a_folder_of_scenarios_here_is_not_read_as_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("openddsbench-2010").mkdir()
    assert find(Path("openddsbench-2010")) == SHIPPED / "openddsbench-2010" / "quick.toml"
