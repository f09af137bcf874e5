"""Facts of adapters: `adapter.toml` of this release, and beside libraries of others."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from seams import run

import busmark
from busmark.errors import UserError
from busmark.facts import (
    PATH_VARIABLE,
    adapter_facts,
    known_as,
    library_of,
    order_of,
    variables_of,
)
from busmark.host import variables
from busmark.present.charts.look import look_of

MINE = """format = 1
[mine]
title = "Mine"
family = "pub/sub"
get = "ask us"
look = { colour = "#112233", mark = 2, dash = 1 }
matching_s = 0.25
environment = { own = ["MINE_*"] }
"""


def beside(folder: Path, text: str, monkeypatch: pytest.MonkeyPatch, name: str = "mine") -> Path:
    """Write the facts of an adapter of others to the place of its library."""
    file = folder / f"libbusmark_{name}.toml"
    file.write_text(text, encoding="utf-8")
    monkeypatch.setenv(PATH_VARIABLE, str(folder))
    return file


def test_an_adapter_of_others_brings_its_facts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = list(adapter_facts())
    beside(tmp_path, MINE, monkeypatch)
    facts = adapter_facts()["mine"]
    assert list(adapter_facts()) == [*before, "mine"] and order_of("mine")[0] == len(before)
    assert facts.reason == "mine is not built here: ask us" and facts.matching_s == 0.25
    assert look_of("mine").colour == "#112233"
    monkeypatch.setenv("MINE_LEVEL", "3")
    assert variables()["MINE_LEVEL"] == "3" and variables_of("mine").config == ()
    ended = run("adapters", "--json")
    assert ended.code == 0 and '"mine"' in ended.out


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (MINE.replace("format = 1\n", ""), "no `format`"),
        (MINE.replace("format = 1", "format = 2"), "format = 2"),
        (MINE.replace("format = 1", "format = 1\ntitle = 3"), "title: not in a table"),
        ("format = 1\n", "no table"),
        (MINE.replace("get =", "got ="), "mine.got: "),
        (MINE.replace("get =", "got ="), "mine.get: "),
        (MINE.replace('"pub/sub"', '"pubsub"'), "mine.family: "),
        (MINE.replace("#112233", "blue"), "mine.look.colour: "),
        (MINE.replace("0.25", '"long"'), "mine.matching_s: "),
        (MINE.replace("0.25", "-1"), "mine.matching_s: "),
        (MINE.replace("title", "like = 'nobody'\ntitle"), "mine.like: 'nobody'"),
        (MINE.replace("[mine]", "[udp]"), "udp: stated in "),
        (MINE.replace("[mine]", "[mine"), "not TOML: "),
    ],
)
def test_facts_that_are_wrong_are_refused_by_file_and_key(
    text: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = beside(tmp_path, text, monkeypatch)
    ended = run("plan", "quickstart")
    assert ended.code == 2, ended.text
    assert f"{file}: " in ended.text and says in ended.text


def test_what_is_no_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "libbusmark_mine.toml").mkdir()
    monkeypatch.setenv(PATH_VARIABLE, str(tmp_path))
    with pytest.raises(UserError, match="cannot be read: Is a directory"):
        adapter_facts()


PACKAGE = Path(busmark.__file__).parent
EXAMPLES = {
    "cli": "examples of commands, and options of other tools",
}
"""Folders of the core that name adapters for another reason than to know something of them."""


def vendors() -> re.Pattern[str]:
    """Return a pattern of the names of all middleware; baselines have none."""
    # ROS is no vendor.
    facts = [e for e in adapter_facts().values() if e.family != "baseline" and not e.ros]
    titles = {re.sub(r"[0-9. ]+$|^(Eclipse|eProsima) | \(.*\)", "", each.title) for each in facts}
    names = (
        {each.name for each in facts}
        | titles
        | {"Connext", "Fast DDS", "fastrtps", "mosquitto", "rmw_"}
    )
    return re.compile(
        rf"(?<!\w)({'|'.join(map(re.escape, sorted(names)))})(?![a-z])", re.IGNORECASE
    )


def test_the_core_knows_no_vendor() -> None:
    """What is known of an adapter is in its facts; docstrings may name one as an example."""
    pattern, found = vendors(), []
    for path in sorted(PACKAGE.rglob("*.py")):
        folder = path.relative_to(PACKAGE).parts[0]
        if folder in ("plugins", "ros2cli.py", *EXAMPLES):
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        found += [
            f"{path.relative_to(PACKAGE)}:{node.lineno}: {node.value}"
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in prose
            and pattern.search(node.value)
        ]
    assert found == []


FAST = "rmw 7.8.2, rmw_fastrtps_cpp 9.3.3, Fast DDS 3.2.2"


@pytest.mark.parametrize(
    ("version", "chosen", "name", "library"),
    [
        (FAST, "rmw_fastrtps_cpp", "rmw_fastrtps_cpp (Kilted)", FAST),
        (FAST, "rmw_zenoh_cpp", "rmw_zenoh_cpp (Kilted)", "rmw 7.8.2"),
        ("rmw 9.0.1, rmw_fastrtps_cpp 10.1.0", "rmw_zenoh_cpp", "rmw_zenoh_cpp (rmw 9.0.1)",
         "rmw 9.0.1"),
        ("", "rmw_zenoh_cpp", "rmw_zenoh_cpp", ""),
        (FAST, "", "", FAST),
    ],
)  # fmt: skip
def test_an_implementation_of_rmw_has_the_name_that_users_know(
    version: str, chosen: str, name: str, library: str
) -> None:
    settings = {"implementation": chosen} if chosen else {}
    assert known_as("rmw", version, settings) == name
    assert library_of("rmw", version, settings) == library
    assert known_as("udp", version, settings) == "" and library_of("udp", FAST, settings) == FAST
