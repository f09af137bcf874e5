"""What all tables of a scenario file have in common."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Literal, get_args

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationInfo,
    create_model,
    field_validator,
)

from busmark.errors import nearest
from busmark.load import parse as parse_load
from busmark.model import units
from busmark.model.parameter import Parameter
from busmark.plugin import keys, load


class ScenarioSection(BaseModel):
    """A table of the file: unknown keys and values of a wrong type are errors. Sizes, rates, times
    and shares may be texts with a unit."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)

    @field_validator("*", mode="before")
    @classmethod
    def _with_unit(cls, value: Any, info: ValidationInfo) -> Any:
        of = units.of_key(info.field_name or "")
        if of is None:
            return value
        if isinstance(value, list):
            return [_amount(part, *of) for each in value for part in _typed(each)]
        parts = _typed(value)
        return [_amount(part, *of) for part in parts] if len(parts) > 1 else _amount(value, *of)


def _typed(value: Any) -> list[Any]:
    """Split the amounts of a list as people type it, `64,1k`; `uniform(64, 1k)` stays one value."""
    if not isinstance(value, str) or not units.begins_with_number(value):
        return [value]
    return [part.strip() for part in value.split(",")]


def _amount(value: Any, kind: str, scale: float) -> Any:
    if not isinstance(value, str) or not units.begins_with_number(value):
        return value
    return units.read_size(value) if kind == "size" else units.read(value, kind) * scale


def table(rows: Iterable[Parameter]) -> Any:
    """Return the base of a table with a value of each parameter; one without an initial value must
    be there, unless it may be null."""
    fields: dict[str, Any] = {}
    for each in rows:
        optional = each.initial is not None or type(None) in get_args(each.asked)
        default = each.initial if optional else ...
        fields[each.name] = (each.asked, Field(default=default, description=each.meaning))
    return create_model("Table", __base__=ScenarioSection, **fields)


def of_plugins() -> Any:
    """Return the base of a scenario: the keys that plug-ins bring."""
    fields: dict[str, Any] = {}
    for key in keys().values():
        of = load(key.table) if key.table else Literal["", *key.words]
        default = None if key.table else ""
        fields[key.name] = (of, Field(default=default, description=key.meaning))
    return create_model("Keys", __base__=ScenarioSection, **fields)


NAME = r"[A-Za-z0-9][A-Za-z0-9_-]*"


def is_command(text: str) -> str:
    """Return the text; raise `ValueError` where a shell could not take it for words."""
    try:
        shlex.split(text)
    except ValueError as error:
        raise ValueError(f"{text!r} is no command: {error}") from None
    return text


def check_names(groups_of: Mapping[str, str], lab: Collection[str]) -> None:
    """Raise `ValueError` for a name that is not valid, or is there twice.

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
    """Raise `ValueError` where a load is to run on nodes that are not there, and where a network
    load is not between two."""
    known = [*groups_of, *sorted(set(groups_of.values()) - {""})]
    for named in filter(None, load_on):
        if not known:
            raise ValueError(f"load_on = {named!r}: there are no [nodes]")
        for node in named.split("+"):
            _check_node(node, known)
        kinds = {load.kind for text in loads for load in parse_load(text)}
        if "net" in kinds and named.count("+") != 1:
            raise ValueError(f"load_on = {named!r}: a network load is from one node to another")


def _check_node(node: str, known: Collection[str]) -> None:
    if node not in known:
        hint = nearest(node, known, f"There are {', '.join(known)}.")
        raise ValueError(f"there is no node {node!r}. {hint}")


def check_matrix(
    writer_on: Sequence[str],
    reader_on: Sequence[str],
    groups_of: Mapping[str, str],
    lab: Collection[str],
) -> None:
    """Raise `ValueError` where a matrix names nodes that are not there, or not for each other."""
    groups = set(groups_of.values()) - {""}
    known = [*lab, *groups_of, *sorted(groups)]
    named = [*writer_on, *reader_on]
    for node in named:
        _check_node(node, known)
    if len({node in lab for node in named}) > 1:
        raise ValueError(
            "nodes of the lab and of [nodes] do not reach each other: give one kind of them a "
            "matrix of its own, [[also]]"
        )
    both = sorted(groups.intersection(writer_on, reader_on))
    if both:
        raise ValueError(f"the group {both[0]} is to write and to read: make two groups of it")


ON_NODE = re.compile(rf"({NAME}):(?!//)\s*(\S.*)", re.DOTALL)
"""`NODE:COMMAND`; not an address."""


class CommandSection(ScenarioSection):
    """A command of `prepare` or `conclude`."""

    command: str = Field(
        min_length=1,
        max_length=10_000,
        description="the command, which a shell runs there: `sh -c`",
    )
    node: str = Field(
        default="", description="node of the lab, or of `[nodes]`, on which it runs; empty: here"
    )
    timeout_s: float = Field(
        default=60.0, gt=0, le=86_400, description="it is ended, and has failed, after this time"
    )

    @field_validator("command")
    @classmethod
    def _is_one(cls, value: str) -> str:
        return is_command(value)


def listed(value: Any) -> Any:
    """Return a list of tables for a command, a table, or a list of either."""
    return [
        _table(each) if isinstance(each, str) else each
        for each in (value if isinstance(value, list) else [value])
    ]


def _table(text: str) -> dict[str, str]:
    if found := ON_NODE.fullmatch(text.strip()):
        return {"node": found[1], "command": found[2]}
    return {"command": text.strip()}


def check_nodes(commands: Collection[CommandSection], known: Collection[str]) -> None:
    """Raise a `ValueError` for a node that is not there."""
    for each in commands:
        if each.node and each.node not in known:
            there = f"There are {', '.join(known)}." if known else "There are no nodes."
            raise ValueError(
                f"there is no node {each.node!r}\n{nearest(each.node, known, there)} A command "
                'that has a colon behind its first word is written { command = "…" }.'
            )


UNSECURED = "none"
