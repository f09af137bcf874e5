"""Scenarios that cannot be run: one message with place and remedy, exit code 2, nothing written.

All that a scenario or a plan refuses is tested with these; here is what the command makes of it."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from e2e_harness import Lab, scenario

GOOD = scenario('adapter = ["null"]')


@dataclass(frozen=True)
class Bad:
    """A scenario's text, and what the message must contain."""

    text: str
    says: tuple[str, ...]


BAD = {
    "not TOML": Bad(
        'name = "x"\n[measure\n', ("scenario.toml:2: not TOML", "    [measure\n            ^")
    ),
    "nested without end": Bad(f"name = {'[' * 3000}\n", ("scenario.toml", "not TOML")),
    "no name": Bad('[matrix]\nadapter = "null"\n', ("scenario.toml: name is missing", "title")),
    "unknown key in the second further matrix": Bad(
        'name = "x"\n[matrix]\nadapter = "null"\n[[also]]\nsize = 1\n[[also]]\nsizes = 2\n',
        ("scenario.toml:7: unknown key also[1].sizes", "Did you mean size?"),
    ),
    "a flow of nobody": Bad(
        'name = "x"\n[matrix]\nadapter = "null"\n[[participant]]\nname = "node"\n'
        '[[flow]]\nname = "f"\nrate_hz = 1\nwriters = ["nod"]\n',
        ("flow f: there is no participant 'nod'", "Did you mean node?"),
    ),
    "more rounds at least than at most": Bad(
        'name = "x"\n[matrix]\nadapter = "null"\n[rounds]\nmin = 5\nmax = 2\n',
        ("scenario.toml:6: rounds:", "max = 2 is below min = 5"),
    ),
    **{
        f"rounds that take longer than {budget}": Bad(
            scenario('adapter = "null"',
                     rounds=f"min = 20\nmax = 30\ntarget = 0.01\n{budget} = 1.0"),
            (f"rounds.{budget}: 20 rounds take about",))
        for budget in ("budget_s", "case_budget_s")
    },
    "an option of an adapter that is not there": Bad(
        'name = "x"\n[matrix]\nadapter = "null"\noption.tcp.nodelay = [true]\n',
        ("scenario.toml:4: matrix.option.tcp.nodelay is of an adapter that the matrix does not",),
    ),
    "more cases than anybody wants": Bad(
        f'name = "x"\n[matrix]\nadapter = "null"\nsize = {list(range(200))}\n'
        f"rate_hz = {[float(rate) for rate in range(1, 201)]}\n",
        ("matrix: 40000 cases, at most 10000", "shorten some"),
    ),
    "an unknown adapter": Bad(
        'name = "x"\n[matrix]\nadapter = ["nul"]\n',
        ("matrix.adapter: no adapter 'nul'", "Did you mean null?", "BUSMARK_ADAPTER_PATH"),
    ),
    "a size beyond the adapter's maximum": Bad(
        'name = "x"\n[matrix]\nadapter = "null"\nsize = 10000000000\n',
        ("no case of the scenario can run here", "size 10000000000 B: at most", "busmark adapters"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_a_bad_scenario_is_refused_before_anything_is_written(lab: Lab, name: str) -> None:
    bad = BAD[name]
    lab.scenario(bad.text)
    ended = lab.quickly("run", "scenario.toml", "--out", "result")
    assert ended.code == 2
    for part in bad.says:
        assert part in ended.err, ended.err
    assert not (lab.folder / "result").exists()


@pytest.mark.parametrize("name", ["not TOML", "an unknown adapter"])
def test_the_command_itself_ends_with_a_message_and_code_two(lab: Lab, name: str) -> None:
    lab.scenario(BAD[name].text)
    ended = lab.busmark("run", "scenario.toml")
    assert ended.code == 2
    assert ended.err.startswith("busmark: ") and not ended.out
    assert all(part in ended.err for part in BAD[name].says)


@pytest.mark.parametrize("command", ["run", "plan"])
def test_a_scenario_file_that_cannot_be_read_is_named(lab: Lab, command: str) -> None:
    (lab.folder / "binary.toml").write_bytes(b'name = "x"\n\xff\xfe = 1\n')
    for name, part in (
        ("absent.toml", "absent.toml: no such scenario file\n  Name an existing file"),
        (".", ".: cannot be read (Is a directory)"),
        ("binary.toml", "binary.toml:2: not TOML: not UTF-8"),
    ):
        ended = lab.quickly(command, name)
        assert ended.code == 2
        assert part in ended.err


@pytest.mark.parametrize(
    ("setting", "says"),
    [
        ("nonsense", ("--set: 'nonsense' is not KEY=VALUE", "Write for example")),
        ("=1", ("--set: '=1' is not KEY=VALUE",)),
        ("measure..x=1", ("is not KEY=VALUE",)),
        ("name.x=1", ("--set name.x: name is not a table",)),
        ("measure.duratoin_s=1", ("--set measure.duratoin_s: unknown key", "duration_s?")),
        ("measure.duration_s=long", ("--set measure.duration_s:", "not 'long'")),
        ("matrix.size=[]", ("--set matrix.size:", "empty matrix")),
    ],
)
def test_a_bad_setting_is_refused_as_such(lab: Lab, setting: str, says: tuple[str, ...]) -> None:
    lab.scenario(GOOD)
    ended = lab.quickly("plan", "scenario.toml", "--set", setting)
    assert ended.code == 2
    for part in says:
        assert part in ended.err, ended.err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("run",), "name a SCENARIO"),
        (("run", "--resume"), "--resume needs --out"),
        (
            ("run", "--resume", "--out", "x", "--set", "a=1"),
            "--set, --only, --require, --prepare and --conclude change a SCENARIO",
        ),
        (("rum",), "Did you mean run?"),
        (("show", "absent"), "absent: no such result directory"),
        (("show", __file__), "a file, not a result directory"),
        (("lab", "down", "nowhere"), "no lab is called 'nowhere'"),
        (("load", "cpu", "150%"), "'cpu 150%': a level is above 0, and at most 100 % of each CPU"),
        (("report", "absent"), "absent: no such result directory"),
        (("run", "--resume", "--out", "absent"), "absent: no such result directory"),
    ],
)
def test_a_command_that_cannot_be_understood_says_why(
    lab: Lab, arguments: tuple[str, ...], says: str
) -> None:
    ended = lab.quickly(*arguments)
    assert ended.code == 2
    assert says in ended.err
