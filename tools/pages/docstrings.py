"""What the code says of its attributes: the texts that follow them in the source."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from itertools import pairwise
from types import ModuleType

Docs = dict[str, str]


def of_classes(*modules: ModuleType) -> dict[str, Docs]:
    """Return the texts by class and attribute; a class has its bases' texts, too."""
    found: dict[str, Docs] = {}
    for module in modules:
        own: dict[str, Docs] = {}
        for node in ast.parse(inspect.getsource(module)).body:
            if isinstance(node, ast.ClassDef):
                own[node.name] = dict(_documented(node.body))
        for name in own:
            made_of = inspect.getmro(getattr(module, name))[::-1]
            parts = (own.get(base.__name__, {}) for base in made_of)
            found[name] = {attribute: text for part in parts for attribute, text in part.items()}
    return found


def of_constants(module: ModuleType) -> Docs:
    """Return the texts of the documented constants of a module."""
    body = ast.parse(inspect.getsource(module)).body
    return {name: text for name, text in _documented(body) if name.isupper()}


def _documented(body: list[ast.stmt]) -> Iterator[tuple[str, str]]:
    for node, following in pairwise(body):
        text = _text(following)
        if text:
            yield from ((name, text) for name in _names(node))


def _names(node: ast.stmt) -> list[str]:
    """Return the names that a statement assigns, including a tuple's."""
    if isinstance(node, ast.AnnAssign):
        targets: list[ast.expr] = [node.target]
    elif isinstance(node, ast.Assign):
        targets = [t for target in node.targets for t in getattr(target, "elts", [target])]
    else:
        return []
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _text(node: ast.stmt) -> str | None:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        value = node.value.value
        return inspect.cleandoc(value) if isinstance(value, str) else None
    return None
