"""What the user gives: an IDL file, the name of a type in it, and a value of that type as JSON."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from busmark.errors import UserError

TAKEN = ("busmark.idl", "user_sample.idl")
"""Names of Busmark's own files, beside whose generated code the user's lies."""


@dataclass(frozen=True)
class UserType:
    """A type in an IDL file."""

    idl: Path
    """Absolute."""
    name: str
    """With its modules: `sensors::PointCloud`."""

    @classmethod
    def of(cls, idl: Path, name: str) -> UserType:
        """Raises `UserError` for a file that is none and a name that cannot be one."""
        if not idl.is_file():
            raise UserError("no such file", where=str(idl), remedy="Name an IDL file.")
        if idl.name in TAKEN:
            raise UserError(
                "Busmark has a file of that name",
                where=str(idl),
                remedy="Give the user's file another name.",
            )
        scoped = name.removeprefix("::")
        if not re.fullmatch(r"[A-Za-z]\w*(::[A-Za-z]\w*)*", scoped):
            raise UserError(
                f"{name!r} is not a valid type name",
                where="--type",
                remedy="Write it with its modules: --type sensors::PointCloud",
            )
        return cls(idl.absolute(), scoped)
