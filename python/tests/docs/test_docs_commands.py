"""Commands that the pages show exist, with the options that they show."""

from __future__ import annotations

import ast
import json
import re
import shlex
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

import click
import pytest
from docs_pages import ROOT, blocks, name, pages, prose
from seams import command as busmark

from busmark.scenario import shipped

INLINE = re.compile(r"`(busmark [^`\n]+)`")


@cache
def named() -> set[str]:
    inline = [line for page in pages() for line in INLINE.findall(prose(page))]
    words = " ".join([*inline, *(line for _, line in shell_lines())]).split()
    return {word[1:].partition("#")[0] for word in words if word.startswith("@")}


@pytest.fixture(autouse=True)
def named_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make results of the names that the pages use, for commands that look for them."""
    for number, each in enumerate(sorted({*named(), "some", "others"} - {"last"})):
        directory = tmp_path / "busmark-results" / each
        directory.mkdir(parents=True)
        manifest = {"created_utc": f"2026-01-01T10:00:{number:02d}Z", "cases": []}
        (directory / "manifest.json").write_text(json.dumps(manifest))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)


def parse(words: list[str]) -> None:
    """Parse a command line as click would, without running it."""
    command: click.Command = busmark
    context = click.Context(busmark, info_name="busmark", **busmark.context_settings)
    while isinstance(command, click.Group):
        if not words:
            return
        sub = command.get_command(context, words[0])
        assert sub is not None, f"no command {words[0]!r}"
        if not isinstance(sub, click.Group):
            sub.make_context(words[0], words[1:], parent=context)
            return
        command, words = sub, words[1:]
        context = click.Context(command, parent=context)


def shell_lines() -> list[tuple[str, str]]:
    """Return page and line of every command in a shell block, continuations joined."""
    return [
        (name(block.page), line.strip())
        for block in blocks("sh")
        for line in block.text.replace("\\\n", " ").splitlines()
        if line.strip()
    ]


def busmark_lines() -> list[tuple[str, str]]:
    """Return the shell lines of `busmark`, up to a pipe or a redirection."""
    return [(page, own_words(line)) for page, line in shell_lines() if line.startswith("busmark ")]


def own_words(line: str) -> str:
    """Return a line up to a pipe or a redirection: a word of its own."""
    words = shlex.split(line, comments=True)
    ends = [place for place, word in enumerate(words) if word in ("|", ">")]
    return shlex.join(words[: ends[0]] if ends else words)


@pytest.mark.parametrize(("page", "line"), busmark_lines())
def test_a_command_of_a_shell_block_parses(page: str, line: str) -> None:
    parse(shlex.split(line, comments=True)[1:])


@pytest.mark.parametrize("page", pages(), ids=name)
def test_commands_in_the_text_exist(page: Path) -> None:
    for line in INLINE.findall(prose(page)):
        words = shlex.split(line)[1:]
        if words[:1] == ["--help"]:
            continue
        # A command that is only named needs no arguments, and an option no value.
        with suppress(click.MissingParameter, click.BadOptionUsage):
            parse(words)


SOURCES = sorted((ROOT / "python" / "busmark").rglob("*.py"))
OUTSIDE = re.compile(r"(?:`[^`]*`)|(--[a-z][a-z-]+)")
"""Options, but for those within commands."""


def texts(node: ast.AST) -> Iterator[str]:
    """Yield the texts below a node; whatever is filled in is a capital letter."""
    if isinstance(node, ast.JoinedStr):
        yield "".join(
            str(part.value) if isinstance(part, ast.Constant) else "X" for part in node.values
        )
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    else:
        for child in ast.iter_child_nodes(node):
            yield from texts(child)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_commands_that_the_program_names_exist(path: Path) -> None:
    for text in texts(ast.parse(path.read_text(encoding="utf-8"))):
        for line in INLINE.findall(text):
            words = [word for word in shlex.split(line.replace("…", ""))[1:] if word != "X"]
            if "--help" not in words and words and words[0].islower():
                with suppress(click.MissingParameter, click.BadOptionUsage, click.BadParameter):
                    parse(words)


@pytest.mark.parametrize(
    "path", [each for each in SOURCES if "findings" in str(each)], ids=lambda path: path.name
)
def test_a_remedy_of_a_finding_names_whole_commands(path: Path) -> None:
    """A report may be read anywhere: an option without its command says nothing there."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    remedies = [n.value for n in ast.walk(tree) if isinstance(n, ast.keyword) and n.arg == "remedy"]
    found = [text for remedy in remedies for text in texts(remedy)]
    assert [text for text in found if any(each[1] for each in OUTSIDE.finditer(text))] == []


def test_make_targets_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    text = "\n".join(prose(page) for page in pages())
    named = set(re.findall(r"`make ([a-z-]+)`", text))
    named |= {line.split()[1] for _, line in shell_lines() if line.startswith("make ")}
    assert named and named <= targets


def test_the_help_of_run_names_every_scenario_that_ships() -> None:
    context = busmark.make_context("busmark", ["run"])
    run = busmark.get_command(context, "run")
    assert run is not None and len(shipped()) >= 9
    lines = [line.strip() for line in run.get_help(click.Context(run, parent=context)).splitlines()]
    assert [name for name in shipped() if name not in lines] == []
