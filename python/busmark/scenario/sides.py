"""`[sides]`: two sides of one scenario, whose rounds are interleaved."""

from __future__ import annotations

import re
import shlex
from typing import Annotated

from pydantic import AfterValidator, Field, field_validator

from busmark.errors import UserError
from busmark.scenario.matrix import Matrix, adapter_of
from busmark.scenario.section import Section, is_command

AS_IT_IS = "as-is"
"""Word for the adapters that the scenario names."""

VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
OPTION = re.compile(r"[A-Za-z0-9_]+")
ENVIRONMENT = "env:"


class SideSection(Section):
    """`[sides.NAME]`: what one side has of its own. Every case of the scenario is run for every
    side; `busmark ab` writes this table."""

    adapter: str = Field(default="", description="adapter or library in place of the matrix's")
    option: dict[str, str] = Field(default={}, description="options of the adapter, `KEY = value`")
    environment: dict[str, str] = Field(
        default={}, description="variables in the environment of the participants"
    )
    prefix: Annotated[str, AfterValidator(is_command)] = Field(
        default="", description="command that runs the participants, such as nice -n 5"
    )

    @field_validator("environment")
    @classmethod
    def _variables(cls, value: dict[str, str]) -> dict[str, str]:
        for name in value:
            if not VARIABLE.fullmatch(name):
                raise ValueError(f"{name!r} is not a valid name for a variable")
        return value

    @property
    def here_only(self) -> bool:
        """Whether it changes how processes of this machine are started."""
        return bool(self.environment or self.prefix)

    def of(self, matrix: Matrix) -> Matrix:
        """The matrix as this side has it."""
        adapters = [self.adapter] if self.adapter else matrix.adapter
        option = {
            self._renamed(name, matrix.adapter): values
            for name, values in matrix.option.items()
            if not self.adapter or adapter_of(name) in matrix.peer or self._same(name)
        }
        option |= {f"{a}.{key}": [text] for a in adapters for key, text in self.option.items()}
        return matrix.model_copy(update={"adapter": adapters, "option": option})

    def _same(self, option: str) -> bool:
        """Whether an option is of the side's adapter, or of what its library replaces."""
        return self.adapter == adapter_of(option) or "/" in self.adapter

    def _renamed(self, option: str, replaced: list[str]) -> str:
        """A library takes the options of the adapter in whose place it is."""
        if "/" in self.adapter and adapter_of(option) in replaced:
            return f"{self.adapter}.{option.rpartition('.')[2]}"
        return option


def parse_side(text: str, role: str) -> SideSection:
    """A side as the command line has it: `ADAPTER KEY=VALUE env:NAME=VALUE -- COMMAND`.

    Raises:
        UserError: it is not of this form.
    """
    where = f"{role} {text!r}"
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UserError(f"not words of a shell: {error}", where=where) from None
    if not words:
        raise UserError(
            "names nothing",
            where=where,
            remedy=f"Name an adapter or a library; {AS_IT_IS} is what the scenario has.",
        )
    own, prefix = words, list[str]()
    if "--" in words:
        own, prefix = words[: words.index("--")], words[words.index("--") + 1 :]
        if not prefix:
            raise UserError("no command after --", where=where, remedy="Such as -- nice -n 5.")
    adapter, option, variables = "", dict[str, str](), dict[str, str]()
    for place, word in enumerate(own):
        name, sign, value = word.removeprefix(ENVIRONMENT).partition("=")
        if word.startswith(ENVIRONMENT) and sign and VARIABLE.fullmatch(name):
            variables[name] = value
        elif not word.startswith(ENVIRONMENT) and sign and OPTION.fullmatch(name):
            option[name] = value
        elif place == 0 and not word.startswith(ENVIRONMENT):
            adapter = "" if word == AS_IT_IS else word
        else:
            raise UserError(
                f"{word!r} is neither KEY=VALUE nor env:NAME=VALUE",
                where=where,
                remedy="Write for example 'udp receive_buffer_bytes=65536 env:A=1 -- nice -n 5'.",
            )
    return SideSection(
        adapter=adapter, option=option, environment=variables, prefix=shlex.join(prefix)
    )
