"""From a TOML file to a `Scenario`, with errors that name file, line and key."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from busmark.errors import UserError
from busmark.scenario.explain import Change, explained
from busmark.scenario.model import Scenario

SHIPPED = Path(__file__).resolve().parent.parent / "scenarios"
"""Scenarios that come with the package."""


def shipped() -> list[str]:
    """Names of the scenarios that come with the package, as `load` takes them."""
    files = sorted(SHIPPED.rglob("*.toml"))
    return [file.relative_to(SHIPPED).with_suffix("").as_posix() for file in files]


def find(path: Path) -> Path:
    """The file itself; if there is none, the shipped scenario of that name, with or without
    `scenarios/` and `.toml`. The name of a folder of them stands for its `quick`."""
    if path.is_file():
        return path
    name = path.with_suffix("") if path.suffix == ".toml" else path
    parts = name.parts[1:] if name.parts[:1] == (SHIPPED.name,) else name.parts
    wanted = "/".join(parts)
    for candidate in (wanted, f"{wanted}/quick"):
        if candidate in shipped():
            return SHIPPED / f"{candidate}.toml"
    return path


def load(
    path: Path, settings: list[str] | None = None, nodes: list[str] | None = None
) -> tuple[Scenario, str]:
    """The scenario of a file with `KEY=VALUE` settings and nodes `NAME=PREFIX` applied, and the
    file's own text.

    A name that is no file may be that of a shipped scenario; see `find`.
    """
    path = find(path)
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise UserError(
            "no such scenario file",
            where=str(path),
            remedy=f"Name an existing file, or a scenario that is shipped: {', '.join(shipped())}.",
        ) from None
    except OSError as error:
        raise UserError(
            f"cannot be read ({error.strerror})", where=str(path), remedy="Name a readable file."
        ) from None
    except UnicodeDecodeError as error:
        line = path.read_bytes()[: error.start].count(b"\n") + 1
        raise UserError(
            f"not TOML: not UTF-8 text ({error.reason})",
            where=f"{path}:{line}",
            remedy="Save it as UTF-8.",
        ) from None
    return parse(text, str(path), settings or [], nodes or []), text


def parse(text: str, name: str, settings: list[str], nodes: Sequence[str] = ()) -> Scenario:
    """The scenario in `text`; `name` is what errors call it."""
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise _not_toml(error, name) from None
    changed = [_apply(data, setting) for setting in settings]
    changed += [_apply_node(data, node) for node in nodes]
    try:
        return Scenario.model_validate(data)
    except ValidationError as error:
        raise explained(error, text, name, changed) from None


def reached(scenario: Scenario, nodes: Sequence[str]) -> Scenario:
    """The scenario with its nodes reached by other prefixes, `NAME=PREFIX`.

    Raises:
        UserError: it has no such node, or the prefix is no command.
    """
    data = scenario.model_dump(mode="json")
    for given in nodes:
        name = given.partition("=")[0].strip()
        if "=" in given and name not in scenario.nodes:
            known = ", ".join(scenario.nodes) or "none"
            raise UserError(
                f"the campaign has no node {name!r}",
                where="--node",
                remedy=f"Name one of its nodes: {known}.",
            )
    changed = [_apply_node(data, node) for node in nodes]
    try:
        return Scenario.model_validate(data)
    except ValidationError as error:
        raise explained(error, "", "--node", changed) from None


def _not_toml(error: Exception, name: str) -> UserError:
    message = str(error) if isinstance(error, ValueError) else "nested too deeply"
    position = re.search(r" \(at line (\d+), column \d+\)$", message)
    return UserError(
        f"not TOML: {message}",
        where=f"{name}:{position[1]}" if position else name,
        remedy="See docs/reference/scenario.md for examples.",
    )


def _apply_node(data: dict[str, Any], given: str) -> Change:
    """Adds a node, or gives one another prefix, and says which."""
    name, separator, prefix = given.partition("=")
    nodes = data.setdefault("nodes", {})
    if not separator or not name.strip() or not isinstance(nodes, dict):
        raise UserError(
            f"{given!r} is not NAME=PREFIX",
            where="--node",
            remedy="Write for example --node lab1='ssh -o BatchMode=yes lab1'.",
        )
    node = nodes.setdefault(name.strip(), {})
    if isinstance(node, dict):
        node["prefix"] = prefix.strip()
    return ["nodes", name.strip()], f"--node {name.strip()}"


def _apply(data: dict[str, Any], setting: str) -> Change:
    """Sets one key and says which."""
    key, separator, value = setting.partition("=")
    path = [part.strip() for part in key.split(".")]
    if not separator or not all(path):
        raise UserError(
            f"{setting!r} is not KEY=VALUE",
            where="--set",
            remedy="Write for example --set measure.duration_s=1 or --set 'matrix.size=[32, 64]'.",
        )
    try:
        parsed: Any = tomllib.loads(f"x = {value}")["x"]
    except (ValueError, RecursionError):
        # A bare word is a text: --set matrix.adapter=udp.
        parsed = value
    table: Any = data
    for part in path[:-1]:
        table = table.setdefault(part, {})
        if not isinstance(table, dict):
            raise UserError(
                f"{part} is not a table",
                where=f"--set {key}",
                remedy="Change the file itself; --set reaches keys of tables only.",
            )
    table[path[-1]] = parsed
    return path, f"--set {'.'.join(path)}"
