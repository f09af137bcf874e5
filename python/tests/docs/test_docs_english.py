"""Phrases that readers stumble over, kept out of pages, help, messages, docstrings and comments."""

from __future__ import annotations

import re
import sys

import click
import pytest
from docs_pages import ROOT

sys.path.insert(0, str(ROOT))

from tools import wording

from busmark.cli.main import all_commands, busmark

STUMBLED = {
    "is told": "such choices are told with the case",
    "does not tell": "null where the middleware does not tell",
    "that of": "the lowest median is that of sockets",
    "Of what": "Of what each node sends.",
    "go on": "the campaign was gone on with",
    "what it came to": "what it came to: 40 %",
    "no lowest": "no lowest median can be named",
    "luck": "larger than the luck of a round",
    "kept right": "clock kept right: no",
    "put right": "how to put it right",
    "as it is": "the page may be sent as it is.",
    "figure": "Make figures for a paper",
    "held out": "Held out: 436 % of 3",
    "know the mean": "would know the mean as well as these do",
    "is no number": "'2' is no number with a unit",
    "so many": "killed after so long",
    "took turns": "other processes took turns with the participants",
    "stood still": "the closed loop stood still",
    "like the one before": "each round is like the one before",
    "goes before": "a policy goes before its profile",
    "whole or not there": "all are whole or not there at all",
    "without need": "samples are lost without need",
    "Behind": "Behind `where` stand parameters",
    "would be found": "*Would have been found* is a change",
    "in time with": "In time with it",
    "a size by a delay": "it is a size by a delay",
}
"""A sentence for each phrase: what the search has to find."""
PLAIN = (
    "they cannot be distinguished", "it is told to wait", "one in 100", "Of 50 rounds, 3 failed",
    "so much that rounds disagree", "as it is written", "figures in a table", "they continue",
)  # fmt: skip


def phrases(passage: wording.Passage) -> list[str]:
    return [
        f"{passage.path}:{passage.line}: {name}: {text}" for name, text in wording.hits(passage)
    ]


def test_no_text_has_a_phrase_of_the_word_list() -> None:
    read, hits = set(), []
    for passage in wording.passages():
        read.add(passage.kind)
        hits += phrases(passage)
    assert read == {"page", "message", "docstring", "comment"}
    assert not hits, "`tools/wording.py` lists them, CONTRIBUTING.md has better words"


@pytest.mark.parametrize("name", all_commands())
def test_help_has_no_phrase_of_the_word_list(name: str) -> None:
    # A command keeps the option for help of the first context that asks for it.
    root = click.Context(busmark, **busmark.context_settings)
    command = busmark.get_command(root, name)
    assert command is not None
    parts = [(name, command)]
    if isinstance(command, click.Group):
        parts += [(f"{name} {sub}", each) for sub, each in command.commands.items()]
    for title, part in parts:
        text = part.get_help(click.Context(part, info_name=title, parent=root))
        for paragraph in re.split(r"\n\s*\n|\n  (?=-)", text):
            assert not phrases(wording.Passage("help", title, 0, wording.plain(paragraph)))


def test_every_phrase_is_in_the_list_of_contributing() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| ([^|]+) \|", page.partition("| not |")[2].partition("\n\n")[0], re.M)
    known = {name.partition(" (")[0] for row in listed for name in row.split(", ")}
    assert known >= set(wording.PHRASES)


def test_the_search_finds_what_it_looks_for_and_nothing_else() -> None:
    assert set(STUMBLED) == set(wording.PHRASES)
    for name, sentence in STUMBLED.items():
        assert wording.COMPILED[name].search(sentence), name
    for sentence in PLAIN:
        assert not phrases(wording.Passage("page", "", 0, sentence))


@pytest.mark.parametrize(
    ("source", "read", "kind"),
    [
        ('"""A page.\n\nIt\ngoes on."""\n', wording.python, "docstring"),
        ('X = ("it goes "\n     "on")\n', wording.python, "message"),
        ('X = f"{X} goes on"\n', wording.python, "message"),
        ("# It goes\n# on.\nX = 1\n", wording.python, "comment"),
        ("/// It goes\n/// on.\nfn x() {}\n", wording.rust, "comment"),
        ('fn x() { y("it goes \\\n      on"); }\n', wording.rust, "message"),
        ("/* It goes\n * on. */\n", wording.c, "comment"),
        ("- it goes\n  on\n", wording.page, "page"),
        ("| it | goes on |\n", wording.page, "page"),
        ("<p>It goes {{ x }}</p><b>it goes on</b>\n", wording.template, "page"),
        ('question = "goes on"\n', wording.toml, "message"),
    ],
)
def test_texts_of_every_form_are_read(source: str, read: wording.Reader, kind: str) -> None:
    (passage,) = (each for each in read(source, "a") if phrases(each))
    assert passage.kind == kind
