"""From TOML to a scenario, and from a mistake to its line."""

from __future__ import annotations

import sys
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from busmark.adapters import known, misnamed
from busmark.errors import Several, UserError
from busmark.scenario import Scenario, find, in_present_names, load, parse
from busmark.stats import supported

MINIMAL = 'name = "x"\n[matrix]\nadapter = "null"\n'

SHIPPED = find(Path("quickstart")).parent
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


def test_a_mistaken_value_is_quoted_once() -> None:
    with pytest.raises(UserError) as text:
        parse(MINIMAL + "placement = 'diffrent'\n", "f", [])
    assert text.value.message.count("'diffrent'") == 1
    wanted = "should be a number of seconds, or \"auto\", not 'long'"
    with pytest.raises(UserError, match=wanted):
        parse(MINIMAL + "[measure]\nduration_s = 'long'\n", "f", [])


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


def test_an_error_names_the_line_of_the_nearest_table_above_it() -> None:
    text = 'name = "x"\n\n[matrix]\nadapter = "null"\n\n[matrix.qos]\ndepth = 1\n\nhistry = "x"\n'
    with pytest.raises(UserError) as caught:
        parse(text, "f.toml", [])
    assert caught.value.where == "f.toml:9"
    assert caught.value.remedy == "Did you mean history?"


def sentence(text: str) -> str:
    with pytest.raises(UserError) as caught:
        parse(text, "f.toml", [])
    return str(caught.value)


def test_all_errors_are_shown_in_the_order_of_their_lines() -> None:
    text = MINIMAL + "sizes = 3\n[measure]\nduration_s = -1\nwarmup_s = -1\n[mesure]\nx = 1\n"
    lines = sentence(text).splitlines()
    assert lines[0] == "f.toml: 4 errors"
    assert [line.split(": ")[0] for line in lines if line.startswith("f.toml:")][1:] == [
        "f.toml:4", "f.toml:6", "f.toml:7", "f.toml:8",
    ]  # fmt: skip
    assert lines[1:3] == ["f.toml:4: unknown key matrix.sizes", "  Did you mean size?"]


def test_an_earlier_name_of_a_key_is_answered_with_the_present_one() -> None:
    text = sentence(MINIMAL + 'beside = "none"\n')
    assert text == "f.toml:4: unknown key matrix.beside\n  It is matrix.background now."
    with pytest.raises(UserError, match=r"--set matrix.beside: unknown key"):
        parse(MINIMAL, "f.toml", ["matrix.beside=none"])


def test_a_stored_scenario_has_the_present_names_of_keys() -> None:
    stored = {"name": "x", "matrix": {"adapter": ["null"], "beside": ["none"]},
              "also": [{"beside": ["all"]}]}  # fmt: skip
    now = in_present_names(stored)
    assert now["matrix"] == {"adapter": ["null"], "background": ["none"]}
    assert now["also"] == [{"background": ["all"]}]
    assert "beside" in stored["matrix"], "what is stored is not changed"


def test_a_key_that_is_written_wrongly_is_not_missing_as_well() -> None:
    assert "nme" in sentence('nme = "x"\n[matrix]\nadapter = "null"\n')
    assert "missing" not in sentence('nme = "x"\n[matrix]\nadapter = "null"\n')
    assert "matrix.adapter is missing" in sentence('nme = "x"\n[matrix]\nsize = 1\n')


@pytest.mark.parametrize(
    ("line", "remedy"),
    [
        ("reliability = 'reliable'", "Did you mean qos.reliability?"),
        ("rate = 100", "Did you mean rate_hz or link.rate?"),
        ("warmup_s = 1", "Did you mean measure.warmup_s?"),
        ("rate_hz = '2 kB'", "Write a rate, such as 100Hz."),
        ("size = [1, '64kHz']", "Write a size, such as 64k."),
        ("qos.reliability = 'reliabel'", "Did you mean reliable?"),
        ("[measure]\nduration_s = '500mm'", "Write a time, such as 2ms."),
    ],
)
def test_what_was_probably_meant(line: str, remedy: str) -> None:
    assert sentence(f"{MINIMAL}{line}\n").splitlines()[-1] == f"  {remedy}"


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


def test_a_unit_of_another_kind_names_the_key_and_its_line() -> None:
    assert sentence(f"{MINIMAL}size = '64kHz'\n") == (
        f"f.toml:{MINIMAL.count(chr(10)) + 1}: matrix.size: '64kHz' is a rate, not a size\n"
        "  Write a size, such as 64k."
    )


def test_a_text_that_does_not_end_is_shown_where_it_stands() -> None:
    assert sentence('name = "x"\nquestion = "what\n') == (
        "f.toml:2: not TOML: a text in quotation marks does not end on its line\n"
        '    question = "what\n'
        "                    ^"
    )


AUTO = "[measure]\nduration_s = 'auto'\n"
TARGET = "[rounds]\ntarget = 0.02\n"


def test_a_length_can_be_chosen_by_the_run() -> None:
    scenario = parse(MINIMAL + AUTO + TARGET, "f", [])
    assert scenario.measure.duration_s == "auto"
    assert scenario.rounds.max > 5 * scenario.rounds.min, "as many rounds as the target needs"
    stored = Scenario.model_validate(scenario.model_dump(mode="json"))
    assert stored == scenario
    assert parse(MINIMAL + AUTO + TARGET + "max = 7\n", "f", []).rounds.max == 7


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (AUTO, "needs rounds.target"),
        (AUTO + "samples = 9\n" + TARGET, "measure.samples"),
        (AUTO + TARGET + "[[also]]\ntest = 'capacity'\n", 'test = "capacity"'),
        (AUTO + TARGET + "[[also]]\ntest = 'throughput'\nbatch = [0, 5]\n", "batch"),
        ("[measure]\nduration_s = 'long'\n", "\"auto\", not 'long'"),
    ],
)
def test_a_length_that_cannot_be_chosen_is_refused_where_it_is_asked_for(
    text: str, message: str
) -> None:
    with pytest.raises(UserError) as caught:
        parse(MINIMAL + text, "f.toml", [])
    line = 1 + (MINIMAL + text).splitlines().index(next(
        each for each in text.splitlines() if each.startswith("duration_s")
    ))  # fmt: skip
    assert caught.value.where == f"f.toml:{line}"
    assert message in str(caught.value) and "measure.duration_s" in str(caught.value)
    assert "more)" not in caught.value.message


def test_what_is_stored_of_a_scenario_gives_the_same_scenario() -> None:
    text = MINIMAL + "[[also]]\nsize = 3\nqos.reliability = 'default'\n[rounds]\nmin = 7\n"
    scenario = parse(text, "f", [])
    assert Scenario.model_validate(scenario.model_dump(mode="json")) == scenario


@pytest.mark.parametrize("path", sorted(SCENARIOS.glob("**/*.toml")), ids=lambda path: path.stem)
def test_scenarios_of_this_repository_are_valid(path: Path) -> None:
    parse(path.read_text(encoding="utf-8"), str(path), [])


@pytest.mark.parametrize(
    "size",
    ["uniform(1)", "uniform(9, 1)", "lognormal(0, 1)", "zipf(1, 2)", "choice()", "file"],
)
def test_a_size_that_is_none_is_refused_in_words(size: str) -> None:
    with pytest.raises(UserError, match=r"uniform|list of numbers|out of range|body_file"):
        parse(f'{MINIMAL}size = "{size}"\n', "f", [])


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


def wrong(text: str, **options: Any) -> list[UserError]:
    with pytest.raises(UserError) as caught:
        parse(text, "f", [], **options)
    return caught.value.errors if isinstance(caught.value, Several) else [caught.value]


def test_adapters_that_nobody_knows_are_reported_with_all_else_at_their_lines() -> None:
    text = 'name = "x"\n[matrix]\nadapter = ["udp", "cyclone"]\npeer = "tpc"\nsizee = 1\n'
    text += '[[also]]\nadapter = "/no/such.so"\n'
    errors = wrong(text, misnamed=misnamed)
    assert [error.where for error in errors] == [
        "f:3: matrix.adapter", "f:4: matrix.peer", "f:5", "f:7: also[0].adapter",
    ]  # fmt: skip
    assert "Did you mean cyclonedds?" in errors[0].remedy
    assert "Did you mean tcp?" in errors[1].remedy


def test_an_adapter_of_an_option_is_reported_with_the_option() -> None:
    with pytest.raises(UserError) as caught:
        parse(MINIMAL, "f", ["matrix.adapter=nul"], misnamed=misnamed)
    assert caught.value.where == "--set matrix.adapter"


def test_adapters_that_are_known_are_no_error() -> None:
    text = 'name = "x"\n[matrix]\nadapter = ["null", "opendds"]\npeer = "same"\n'
    assert parse(text, "f", [], misnamed=misnamed).matrix.peer == ["same"]


def test_every_check_of_keys_that_must_fit_is_made() -> None:
    text = MINIMAL + "link.rate = '1mbit'\noption.foo.x = 1\n[measure]\nduration_s = 'auto'\n"
    assert [error.where for error in wrong(text)] == ["f:4", "f:5", "f:7"]


def test_a_placement_that_is_nearly_one_is_named() -> None:
    (error,) = wrong(MINIMAL + "placement = 'diffrent'\n")
    assert error.remedy == "Did you mean different?"


@pytest.mark.parametrize(
    ("line", "text"),
    [("adapter = udp", 'write "udp"'), ("keys = True", "write true"), ("a = ?", "")],
)
def test_a_bare_word_is_reported_as_it_should_be_written(line: str, text: str) -> None:
    (error,) = wrong(line)
    assert error.where == "f:1" and text in error.message and line in error.remedy


@pytest.mark.parametrize("named", ["here|tcp", "absent|here", "useless|absent|here", "here|absent"])
def test_the_first_adapter_that_is_here_is_taken_with_its_options(
    monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    names = ("absent", "here", "tcp", "useless")
    some = known()["null"]
    found = {name: replace(some, name=name, program="no-such-program" * (name == "useless"))
            for name in names}  # fmt: skip
    module = sys.modules[misnamed.__module__]
    monkeypatch.setattr(module, "known", lambda: found)
    monkeypatch.setattr(module, "libraries", lambda: dict.fromkeys(("here", "tcp", "useless")))
    options = "".join(f'option.{name}.agents = "2"\n' for name in named.split("|"))
    loaded = parse(f'name = "x"\n[matrix]\nadapter = "{named}"\n{options}', "f", [])
    assert loaded.matrix.adapter == ["here"]
    assert [*loaded.matrix.option] == ["here.agents"]


def test_an_alternative_that_nobody_knows_is_a_mistake() -> None:
    with pytest.raises(UserError, match="no adapter 'udb'"):
        parse(MINIMAL.replace("null", "null|udb"), "f", [], misnamed=misnamed)


def test_the_scenario_of_ab_has_samples_enough_for_its_p99() -> None:
    """Probes of each round support the percentile of the documented criterion."""
    loaded, _ = load(Path("ab"), [])
    stream = next(also for also in loaded.also if also.test == ["throughput"])
    (rate,) = stream.rate_hz or [0]
    probes = float(rate or 0) * loaded.measure.duration_s / loaded.measure.probe_every
    assert supported(99.0, probes) and loaded.rounds.min >= 8


def test_a_value_in_place_of_a_table_says_what_to_write() -> None:
    text = sentence(f"rounds = 3\n[run]\nrounds = 3\n{MINIMAL.partition(chr(10))[2]}")
    assert "rounds is a table, not a value\n  Write [rounds], and below it its keys: " in text
    assert "unknown key run.rounds\n  Did you mean [rounds]?" in text


COMMANDS = """
[lab]
nodes = 2
[run]
prepare = ["n1: tc qdisc show", { command = "http: x", timeout_s = "2s" }]
conclude = "curl https://example.invalid"
"""


def test_commands_around_rounds_are_texts_or_tables() -> None:
    found = parse(MINIMAL + COMMANDS, "f", []).run
    assert [(each.node, each.command, each.timeout_s) for each in found.prepare] == [
        ("n1", "tc qdisc show", 60.0), ("", "http: x", 2.0),
    ]  # fmt: skip
    assert [(each.node, each.command) for each in found.conclude] == [
        ("", "curl https://example.invalid")
    ]


def test_a_command_on_a_node_that_is_not_there_is_refused_at_its_line() -> None:
    text = MINIMAL + COMMANDS.replace("n1:", "n9:")
    line = text[: text.index("prepare")].count("\n") + 1
    assert f"f.toml:{line}: run.prepare: there is no node 'n9'" in sentence(text)
