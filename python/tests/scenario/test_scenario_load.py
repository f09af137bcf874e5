"""From TOML to a scenario, and from a mistake to its line."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from seams import reviewed

from busmark.adapters import adapter_facts, misnamed
from busmark.errors import UserError
from busmark.scenario import Scenario, find, load, parse, shipped
from busmark.stats import supported

MINIMAL = 'name = "x"\n[matrix]\nadapter = "null"\n'
AUTO = "[measure]\nduration_s = 'auto'\n"
TARGET = "[rounds]\ntarget = 0.02\n"
COMMANDS = """
[lab]
nodes = 2
[run]
prepare = ["n1: tc qdisc show", { command = "http: x", timeout_s = "2s" }]
conclude = "curl https://example.invalid"
"""

SHIPPED = find(Path("quickstart")).parent


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


TOML = (
    'name = "x"\n\n[matrix]\nadapter = "null"\n\n[matrix.qos]\ndepth = 1\n\nhistry = "x"\n',
    MINIMAL + "sizes = 3\n[measure]\nduration_s = -1\nwarmup_s = -1\n[mesure]\nx = 1\n",
    'nme = "x"\n[matrix]\nadapter = "null"\n',
    'nme = "x"\n[matrix]\nsize = 1\n',
    'name = "x"\nquestion = "what\n',
    'name = "x"\n[matrix]\nadapter = ["udp", "cyclone"]\npeer = "tpc"\nsizee = 1\n'
    '[[also]]\nadapter = "/no/such.so"\n',
    MINIMAL + "link.rate = '1mbit'\noption.foo.x = 1\n[measure]\nduration_s = 'auto'\n",
    MINIMAL.replace("null", "null|udb"),
    "rounds = 3\n[run]\nrounds = 3\n[matrix]\nadapter = 'null'\n",
    "adapter = udp",
    "keys = True",
    "a = ?",
    MINIMAL + COMMANDS.replace("n1:", "n9:"),
)
"""Texts that are no scenario."""
LINES = (
    "placement = 'diffrent'", "[measure]\nduration_s = 'long'", "reliability = 'reliable'",
    "rate = 100", "warmup_s = 1", "rate_hz = '2 kB'", "size = [1, '64kHz']", "size = '64kHz'",
    "qos.reliability = 'reliabel'", "[measure]\nduration_s = '500mm'",
    AUTO, AUTO + "samples = 9\n" + TARGET, AUTO + TARGET + "[[also]]\ntest = 'capacity'",
    AUTO + TARGET + "[[also]]\ntest = 'throughput'\nbatch = [0, 5]",
    "workload = 'a, b'",
    *(f"[columns]\nx = '{figure}'" for figure in
      ("p99(onewy)", "p97(one_way)", "late", "loss <= 1%")),
    *(f"size = '{size}'" for size in
      ("uniform(1)", "uniform(9, 1)", "lognormal(0, 1)", "zipf(1, 2)", "choice()", "file")),
)  # fmt: skip
"""Lines that a scenario cannot have in its matrix."""


def refused(text: str, *settings: str) -> str:
    with pytest.raises(UserError) as caught:
        parse(text, "f.toml", [*settings], misnamed=misnamed)
    found = re.sub("(; here are|Libraries are looked for in) .*", r"\1 …", str(caught.value))
    return f"{text.rstrip()}\n→ {found}\n\n"


def test_mistakes_are_reported_as_reviewed() -> None:
    text = "".join(refused(text) for text in (*TOML, *(f"{MINIMAL}{line}\n" for line in LINES)))
    text += refused(MINIMAL, "matrix.adapter=nul")
    reviewed(Path(__file__).parent / "golden" / "mistakes.txt", text)


def test_values_may_have_units() -> None:
    text = (
        "size = ['64', '1k', '1MiB', 'choice(64, 1k)']\nrate_hz = '0,100Hz'\n"
        "qos.deadline_s = '20ms'\n[measure]\nduration_s = '500ms'\nwarmup_s = '2 min'\n"
        "[rounds]\ntarget = '2%'\nmax = 9\n"
    )
    settings = ["matrix.rate_hz=1kHz,2kHz", "rounds.budget_s=1m30s"]
    found = parse(MINIMAL + text, "f", settings)
    assert found.matrix.size == [64, 1024, 1 << 20, "choice(64, 1k)"]
    assert (found.matrix.rate_hz, found.matrix.qos.deadline_s) == ([1e3, 2e3], [0.02])
    assert (found.measure.duration_s, found.measure.warmup_s) == (0.5, 120.0)
    assert (found.rounds.target, found.rounds.budget_s) == (0.02, 90.0)


def test_a_length_can_be_chosen_by_the_run() -> None:
    scenario = parse(MINIMAL + AUTO + TARGET, "f", [])
    assert scenario.measure.duration_s == "auto"
    assert scenario.rounds.max > 5 * scenario.rounds.min, "as many rounds as the target needs"
    stored = Scenario.model_validate(scenario.model_dump(mode="json"))
    assert stored == scenario
    assert parse(MINIMAL + AUTO + TARGET + "max = 7\n", "f", []).rounds.max == 7


def test_what_is_stored_of_a_scenario_gives_the_same_scenario() -> None:
    text = MINIMAL + "[[also]]\nsize = 3\nqos.reliability = 'default'\n[rounds]\nmin = 7\n"
    scenario = parse(text, "f", [])
    assert Scenario.model_validate(scenario.model_dump(mode="json")) == scenario


@pytest.mark.parametrize("path", shipped().values(), ids=shipped())
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
    """Documents of any shape; `tomllib` returns what the test chooses."""
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
        ("ros/which-rmw", "ros/which-rmw.toml"),
    ],
)
def test_a_scenario_that_ships_is_found_by_its_name_from_anywhere(
    name: str, file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert find(Path(name)) == SHIPPED / file


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("middlemeasure-2010/full", "middlemeasure-2010/full.toml"),
        ("scenarios/openddsbench-2010", "openddsbench-2010/quick.toml"),
    ],
)
def test_a_scenario_of_a_plugin_is_found_by_its_name(name: str, file: str) -> None:
    assert find(Path(name)) == SHIPPED.parent / "plugins" / "papers" / "scenarios" / file


@pytest.mark.parametrize("name", ["nothing", "../quickstart", "middlemeasure-2010/README.md", "/"])
def test_any_other_name_stays_what_it_is(name: str) -> None:
    assert find(Path(name)) == Path(name)


def test_adapters_that_are_known_are_no_error() -> None:
    text = 'name = "x"\n[matrix]\nadapter = ["null", "opendds"]\npeer = "same"\n'
    assert parse(text, "f", [], misnamed=misnamed).matrix.peer == ["same"]


@pytest.mark.parametrize("named", ["here|tcp", "absent|here", "useless|absent|here", "here|absent"])
def test_the_first_adapter_that_is_here_is_taken_with_its_options(
    monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    names = ("absent", "here", "tcp", "useless")
    some = adapter_facts()["null"]
    programs = {"useless": "no-such-program"}
    found = {
        name: some.model_copy(update={"name": name, "program": programs.get(name, "")})
        for name in names
    }
    module = sys.modules[misnamed.__module__]
    monkeypatch.setattr(module, "adapter_facts", lambda: found)
    monkeypatch.setattr(module, "libraries", lambda: dict.fromkeys(("here", "tcp", "useless")))
    options = "".join(f'option.{name}.agents = "2"\n' for name in named.split("|"))
    loaded = parse(f'name = "x"\n[matrix]\nadapter = "{named}"\n{options}', "f", [])
    assert loaded.matrix.adapter == ["here"]
    assert [*loaded.matrix.option] == ["here.agents"]


def test_the_scenario_of_ab_has_samples_enough_for_its_p99() -> None:
    """Probes of each round support the percentile of the documented criterion."""
    loaded, _ = load(Path("ab"), [])
    stream = next(also for also in loaded.also if also.test == ["throughput"])
    (rate,) = stream.rate_hz or [0]
    probes = float(rate or 0) * loaded.measure.duration_s / loaded.measure.probe_every
    assert supported(99.0, probes) and loaded.rounds.min >= 8


def test_commands_around_rounds_are_texts_or_tables() -> None:
    found = parse(MINIMAL + COMMANDS, "f", []).run
    assert [(each.node, each.command, each.timeout_s) for each in found.prepare] == [
        ("n1", "tc qdisc show", 60.0), ("", "http: x", 2.0),
    ]  # fmt: skip
    assert [(each.node, each.command) for each in found.conclude] == [
        ("", "curl https://example.invalid")
    ]
