"""Options of other tools: each gets a line that Busmark reads."""

from __future__ import annotations

import re
import shlex

import click
import pytest

from busmark.cli.habits import EARLIER, HABITS, ONE_LINE, Habit, corrected
from busmark.cli.main import busmark
from busmark.cli.one_line import latency
from busmark.errors import UserError

OURS = {name for param in latency.params if isinstance(param, click.Option)
        for name in (*param.opts, *param.secondary_opts)}  # fmt: skip
NAMES = [(name, habit) for habit in HABITS for name in habit.names if habit.commands == ONE_LINE]
EARLIER_OPTIONS = [(command, name) for habit in HABITS if habit.tool == EARLIER
                   for command in habit.commands for name in habit.names]  # fmt: skip


def text(line: str) -> UserError:
    with pytest.raises(UserError) as caught:
        busmark(shlex.split(line), standalone_mode=False, prog_name="busmark")
    return caught.value


def test_none_is_an_option_of_ours_and_each_is_there_once() -> None:
    names = [name for name, _ in NAMES]
    assert not OURS & {*names} and len(set(names)) == len(names)


@pytest.mark.parametrize(("name", "habit"), NAMES, ids=[name for name, _ in NAMES])
def test_each_says_what_to_type_and_that_is_read(name: str, habit: Habit) -> None:
    error = text(f"latency udp {name} 8")
    assert name in error.where and habit.tool in error.where and error.remedy
    if habit.option:
        meant = re.search(r"You mean `busmark (.*)`\.", error.remedy)
        assert meant
        words = shlex.split(meant[1])
        with latency.make_context("latency", words[1:]) as context:
            assert context.params["adapters"]


def test_a_whole_line_is_put_into_ours() -> None:
    remedy = text("latency udp --dataLen 1024 --pubRate=100 -executionTime 30 -bestEffort").remedy
    line = "busmark latency udp --size 1k --rate 100Hz --duration 30s --qos best_effort"
    assert remedy == f"You mean `{line}`."


def test_words_of_ddsperf_are_put_into_ours() -> None:
    remedy = text("latency udp ping 100Hz size 1k").remedy
    assert "`busmark latency udp --rate 100Hz --size 1k`" in remedy


def test_an_option_without_one_of_ours_says_what_to_do() -> None:
    assert "samples per second" in text("throughput udp --bitrate 100M").remedy


@pytest.mark.parametrize(("command", "name"), EARLIER_OPTIONS)
def test_an_option_of_an_earlier_version_names_its_successor(command: str, name: str) -> None:
    error = text(f"{command} a {name} b")
    assert name in error.where and "`busmark " in error.remedy


def test_a_line_of_ours_stays() -> None:
    line = ["udp", "--size", "1k", "--out", "ping", "--open"]
    assert corrected(line, ["--size", "--out"]) == (line, [])
