"""The list of commands, their earlier names, and what begins an adapter or names a paper."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from busmark.cli.main import COMMANDS, GROUPS, busmark

SCREEN = (40, 80)


def invoke(*words: str, code: int = 0) -> str:
    ended = CliRunner().invoke(busmark, list(words), catch_exceptions=False, terminal_width=80)
    assert ended.exit_code == code, ended.output
    return ended.output


def test_the_help_fits_one_screen_and_lists_every_command_under_its_group() -> None:
    lines = invoke("--help").splitlines()
    assert len(lines) <= SCREEN[0] and max(map(len, lines)) <= SCREEN[1]
    listed = {line.split()[0] for line in lines if line.startswith("  ") and line.split()}
    assert {name for name, each in COMMANDS.items() if each.group} <= listed
    assert [line.removesuffix(":") for line in lines if line.removesuffix(":") in GROUPS] == [
        *GROUPS
    ]


def leaves(command: click.Command, *path: str) -> list[tuple[str, ...]]:
    if not isinstance(command, click.Group):
        return [path]
    context = click.Context(command)
    return [path, *(
        leaf for name in command.list_commands(context)
        for leaf in leaves(command.get_command(context, name) or click.Command(name), *path, name)
    )]  # fmt: skip


@pytest.mark.parametrize("path", leaves(busmark), ids=" ".join)
def test_every_command_has_help_with_an_example(path: tuple[str, ...]) -> None:
    assert "busmark " in invoke(*path, "--help").partition("Example")[2]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("wacht", "bus watch"), ("comapre", "compare"), ("xyzzy", "busmark --help")],
)
def test_an_unknown_command_names_one_that_is_like_it(typed: str, meant: str) -> None:
    assert meant in invoke(typed, code=2)


def test_a_new_adapter_can_be_built(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    invoke("adapter", "new", "mine", "--out", str(folder))
    assert (
        "memory" not in (folder / "mine_adapter.c").read_text().partition("capabilities =")[0][:200]
    )
    if shutil.which("cc") and shutil.which("make"):
        subprocess.run(["make", "-C", folder], check=True, capture_output=True)
        assert (folder / "libbusmark_mine.so").is_file()


def test_the_papers_name_scenarios_that_ship() -> None:
    listed = json.loads(invoke("papers", "list", "--json"))
    assert listed and all(f"{each['name']}/quick" in each["scenarios"] for each in listed)
