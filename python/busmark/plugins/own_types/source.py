"""What the user gives: an IDL file, the name of a type in it, and a value of that type as JSON."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from busmark import files
from busmark.errors import UserError, refused

TAKEN = ("busmark.idl", "user_sample.idl")
"""Names of Busmark's own files, beside whose generated code the user's lies."""


@dataclass(frozen=True)
class UserType:
    """A type in an IDL file."""

    idl: Path
    """Path of the IDL file, absolute."""
    name: str
    """Name with its modules: `sensors::PointCloud`."""

    @classmethod
    def from_file(cls, idl: Path, name: str) -> UserType:
        """Return the type; raise `UserError` for no file and for a name that cannot be one."""
        if not idl.is_file():
            raise UserError("no such file", where=str(idl), remedy="Name an IDL file.")
        with refused("cannot be read", idl, "Name an IDL file."):
            files.content(idl, files.SMALL)
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


# It puts texts of the IDL into Python without escaping quotes or ends of lines: a text constant of
# somebody else's file would be code. So what was generated must be made of what classes need, and
# of nothing else.

ROOT = "busmark_user"
"""Package of all modules of the user's, whose names may collide with Python's own: json, os,
typing.
"""

IMPORTED = {"dataclasses", "enum", "typing"}
DOTTED = re.compile(r"[A-Za-z_][\w.]*")

STATEMENTS = (
    ast.Expr,
    ast.Import,
    ast.ImportFrom,
    ast.If,
    ast.ClassDef,
    ast.Assign,
    ast.AnnAssign,
    ast.Pass,
)
EXPRESSIONS = (
    ast.Constant,
    ast.Name,
    ast.Attribute,
    ast.Subscript,
    ast.Tuple,
    ast.List,
    ast.UnaryOp,
    ast.USub,
    ast.Load,
    ast.Store,
    ast.Call,
    ast.keyword,
)
OTHERS = (ast.Module, ast.alias)


def check(folder: Path, idl: Path) -> None:
    """Check that every Python file in `folder` holds classes and constants only.

    Raises:
        UserError: one does not.
    """
    for path in sorted(folder.rglob("*.py")):
        try:
            tree = ast.parse(path.read_bytes())
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            # Text that is nested too deeply ends the parser of Python with MemoryError.
            line = getattr(error, "lineno", None)
            raise _refused(idl, path, line or 1) from None
        for node in _foreign(tree):
            raise _refused(idl, path, getattr(node, "lineno", 1))


def _refused(idl: Path, path: Path, line: int) -> UserError:
    return UserError(
        f"the IDL compiler made no plain class of it ({path.name}, line {line})",
        where=str(idl),
        remedy="Constants and annotations may not have quotes, backslashes or ends of lines in "
        "their texts: leave them out of the file for this.",
    )


def _foreign(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes that no class needs."""
    for node in ast.walk(tree):
        if not isinstance(node, STATEMENTS + EXPRESSIONS + OTHERS):
            yield node
        elif isinstance(node, ast.Import):
            modules = {alias.name.split(".")[0] for alias in node.names}
            if not modules <= {"cyclonedds", ROOT}:
                yield node
        elif isinstance(node, ast.ImportFrom):
            if not (node.level == 1 or (node.level == 0 and node.module in IMPORTED)):
                yield node
        elif isinstance(node, ast.If):
            if not (isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"):
                yield node
        elif isinstance(node, ast.Name):
            if node.id.startswith("__") and node.id != "__all__":
                yield node
        elif isinstance(node, ast.Attribute):
            if node.attr.startswith("__"):
                yield node
        elif isinstance(node, ast.Call):
            if not _is_annotation(node):
                yield node
        elif isinstance(node, ast.AnnAssign):
            yield from _evaluated(node.annotation)
        elif isinstance(node, ast.Subscript):
            yield from _evaluated(node.slice)


def _is_annotation(call: ast.Call) -> bool:
    """Return whether it is `annotate.NAME(…)` or `auto()`, the only calls that are allowed."""
    function = call.func
    if isinstance(function, ast.Name):
        return function.id == "auto" and not call.args and not call.keywords
    return (
        isinstance(function, ast.Attribute)
        and isinstance(function.value, ast.Name)
        and function.value.id == "annotate"
    )


def _evaluated(of: ast.AST) -> Iterator[ast.AST]:
    """Yield texts which stand for types, and are evaluated later, but are no names."""
    for node in ast.walk(of):
        text = node.value if isinstance(node, ast.Constant) else None
        if isinstance(text, str) and (not DOTTED.fullmatch(text) or "__" in text):
            yield node
