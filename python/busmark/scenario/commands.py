"""Commands before and after every round: `prepare` and `conclude` of `[run]`."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from pydantic import Field, field_validator

from busmark.errors import nearest
from busmark.scenario.nodes import NAME, is_command
from busmark.scenario.section import Section

ON_NODE = re.compile(rf"({NAME}):(?!//)\s*(\S.*)", re.DOTALL)
"""`NODE:COMMAND`; not an address."""


class CommandSection(Section):
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
