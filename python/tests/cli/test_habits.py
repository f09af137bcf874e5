"""Options of other tools: each gets a line that Busmark reads."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from busmark.cli.main import busmark
from busmark.errors import UserError

REFERENCE = Path(__file__).parents[3] / "docs" / "reference" / "cli.md"
TABLE = (
    REFERENCE.read_text(encoding="utf-8").partition("| Behind `busmark` |")[2].partition("\n\n")[0]
)
HABITS = [
    (command, name, tool, ours)
    for row in TABLE.splitlines()[2:]
    for commands, tool, names, ours in [row.strip("| ").split(" | ")]
    for command in re.findall("`(.*?)`", commands)
    for name in re.findall("`(.*?)`", names)
]
"""Rows of the page's table: a command, an option of another tool behind it, that tool, and what to
type or to do here."""


def text(line: str) -> UserError:
    with pytest.raises(UserError) as caught:
        busmark(shlex.split(line), standalone_mode=False, prog_name="busmark")
    return caught.value


# As `main` has it: a command keeps the option for help of the first context that asks for it.
ROOT = click.Context(busmark, info_name="busmark", **busmark.context_settings)


def command(name: str) -> click.Command:
    found = busmark.get_command(ROOT, name)
    assert found is not None
    return found


def test_none_is_an_option_of_ours_and_each_is_there_once() -> None:
    assert len({(name, option) for name, option, _, _ in HABITS}) == len(HABITS) > 100
    for name in {name for name, *_ in HABITS}:
        ours = {
            option for each in command(name).params for option in (*each.opts, *each.secondary_opts)
        }
        assert not ours & {option for of, option, _, _ in HABITS if of == name}


@pytest.mark.parametrize(
    ("name", "option", "tool", "ours"),
    HABITS,
    ids=[f"{name} {option}" for name, option, *_ in HABITS],
)
def test_each_says_what_to_type_and_that_is_read(
    name: str, option: str, tool: str, ours: str
) -> None:
    error = text(f"{name} udp {option} 8")
    assert option in error.where and tool in error.where
    if not re.fullmatch("`[^`]+`", ours):
        assert ours in error.remedy
        return
    meant = re.search(r"You mean `busmark (.*?)`\.", error.remedy)
    assert meant and ours.strip("`").removesuffix("N") in meant[1]
    words = shlex.split(meant[1])
    with command(name).make_context(name, words[1:], parent=ROOT) as context:
        assert "udp" in str(context.params)


def test_a_whole_line_is_put_into_ours() -> None:
    remedy = text("latency udp --dataLen 1024 --pubRate=100 -executionTime 30 -bestEffort").remedy
    line = "busmark latency udp --size 1k --rate 100Hz --duration 30s --qos best_effort"
    assert remedy == f"You mean `{line}`."


def test_words_of_ddsperf_are_put_into_ours() -> None:
    remedy = text("latency udp ping 100Hz size 1k").remedy
    assert "`busmark latency udp --rate 100Hz --size 1k`" in remedy


def test_an_option_without_one_of_ours_says_what_to_do() -> None:
    assert "samples per second" in text("throughput udp --bitrate 100M").remedy


def test_a_line_of_ours_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with command("latency").make_context(
        "latency", ["udp", "--size", "1k", "--out", "ping"], parent=ROOT
    ) as own:
        assert own.params["out"] == Path("ping")
