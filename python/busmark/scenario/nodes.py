"""Names of nodes and groups, and what a matrix may say with them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Mapping, Sequence

from busmark.errors import nearest
from busmark.load import parse as parse_load

NAME = r"[A-Za-z0-9][A-Za-z0-9_-]*"


def is_command(text: str) -> str:
    """The text, if a shell could take it for words."""
    try:
        shlex.split(text)
    except ValueError as error:
        raise ValueError(f"{text!r} is no command: {error}") from None
    return text


def check_names(groups_of: Mapping[str, str], lab: Collection[str]) -> None:
    """Raises `ValueError` for a name that is none, or is there twice.

    Args:
        groups_of: group of each of the user's nodes, or "".
        lab: nodes of the run's lab.
    """
    groups = set(groups_of.values()) - {""}
    for name in (*groups_of, *sorted(groups)):
        if not re.fullmatch(NAME, name):
            raise ValueError(f"nodes.{name}: a name is of letters, digits, _ and -")
        if name in lab or (name in groups_of and name in groups):
            raise ValueError(f"nodes.{name}: there are two of this name")


def check_loads(loads: Sequence[str], load_on: Sequence[str], groups_of: Mapping[str, str]) -> None:
    """Raises `ValueError` where a load is to run on nodes that are not there, or between others
    than two."""
    known = [*groups_of, *sorted(set(groups_of.values()) - {""})]
    for named in filter(None, load_on):
        if not known:
            raise ValueError(f"load_on = {named!r}: there are no [nodes]")
        for node in named.split("+"):
            _known(node, known)
        kinds = {load.kind for text in loads for load in parse_load(text)}
        if "net" in kinds and named.count("+") != 1:
            raise ValueError(f"load_on = {named!r}: a network load is from one node to another")


def _known(node: str, known: Collection[str]) -> None:
    if node not in known:
        hint = nearest(node, known, f"There are {', '.join(known)}.")
        raise ValueError(f"there is no node {node!r}. {hint}")


def check_matrix(
    writer_on: Sequence[str],
    reader_on: Sequence[str],
    groups_of: Mapping[str, str],
    lab: Collection[str],
) -> None:
    """Raises `ValueError` where a matrix names nodes that are not there, or not for each other."""
    groups = set(groups_of.values()) - {""}
    known = [*lab, *groups_of, *sorted(groups)]
    named = [*writer_on, *reader_on]
    for node in named:
        _known(node, known)
    if len({node in lab for node in named}) > 1:
        raise ValueError(
            "nodes of the lab and of [nodes] do not reach each other: give one kind of them a "
            "matrix of its own, [[also]]"
        )
    both = sorted(groups.intersection(writer_on, reader_on))
    if both:
        raise ValueError(f"the group {both[0]} is to write and to read: make two groups of it")
