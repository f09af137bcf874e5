"""From a TOML file to a `Scenario`, with errors that name file, line and key."""

from __future__ import annotations

import contextlib
import json
import re
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from busmark import files
from busmark.adapters import first_here
from busmark.errors import UserError, together
from busmark.plugin import Plugin, absent, beside, declared, keys, switched_off
from busmark.scenario.explain import Change, Located, Location, explained, key_text, place
from busmark.scenario.matrix import SAME
from busmark.scenario.model import Scenario

SHIPPED = Path(__file__).resolve().parent.parent / "scenarios"
"""Scenarios that come with the package."""
OPTION_OF = {"run.prepare": "--prepare", "run.conclude": "--conclude"}
"""Keys that have an option of their own."""
REQUIRE = "require"
"""Key of the requirements, to which a setting adds one."""
MOST_OF_A_LINE = 200
"""Characters of a line that are shown."""


Misnamed = Callable[[Sequence[str], Mapping[str, str]], list[UserError]]
"""An error for each of these adapters that is not known; the other argument is where each is named.
"""

STANDARD_INPUT = "-"
"""Name that stands for standard input in the place of a file."""


def shipped() -> dict[str, Path]:
    """Return the files of the scenarios that come with the package or with a plug-in, by their
    names, as `load` takes them.

    Raises:
        UserError: a plug-in brings one whose name is taken.
    """
    own = _scenarios_in(SHIPPED)
    both = own | declared(own, "scenario", _scenarios_of)
    return dict(sorted(both.items(), key=lambda item: item[0].split("/")))


def _scenarios_of(plugin: Plugin) -> dict[str, Path]:
    return _scenarios_in(beside(plugin.scenarios)) if plugin.scenarios else {}


def _scenarios_in(folder: Path) -> dict[str, Path]:
    files = folder.rglob("*.toml")
    return {file.relative_to(folder).with_suffix("").as_posix(): file for file in files}


def find(path: Path) -> Path:
    """Return the file itself; if there is none, the shipped scenario of that name, with or without
    `scenarios/` and `.toml`. The name of a folder of them stands for its `quick`.

    Raises:
        UserError: a plug-in has it that is switched off.
    """
    if path.is_file():
        return path
    name = path.with_suffix("") if path.suffix == ".toml" else path
    parts = name.parts[1:] if name.parts[:1] == (SHIPPED.name,) else name.parts
    wanted = "/".join(parts)
    names = {wanted, f"{wanted}/quick"}
    found = [file for each, file in shipped().items() if each in names]
    if not found and (owner := switched_off(lambda off: not names.isdisjoint(_scenarios_of(off)))):
        raise absent(owner, str(path))
    return found[0] if found else path


def load(
    path: Path,
    settings: list[str] | None = None,
    nodes: list[str] | None = None,
    misnamed: Misnamed | None = None,
) -> tuple[Scenario, str]:
    """Return the scenario of a file with `KEY=VALUE` settings and nodes `NAME=PREFIX` applied, and
    the file's own text. `misnamed` says which of the adapters are not known, so that they are
    reported with all other mistakes.

    A name that is not a file may be the name of a shipped scenario; see `find`. `-` is standard
    input.
    """
    if str(path) == STANDARD_INPUT:
        text = _from_standard_input()
        return parse(text, "standard input", settings or [], nodes or [], misnamed), text
    path = find(path)
    try:
        text = files.content(path, files.SMALL).decode().replace("\r\n", "\n")
    except FileNotFoundError:
        raise UserError(
            "no such scenario file",
            where=str(path),
            remedy=f"Name an existing file, or a scenario that is shipped: {', '.join(shipped())}.",
        ) from None
    except OSError as error:
        raise UserError(
            f"cannot be read ({error.strerror})",
            where=str(path),
            remedy="Name a readable file.",
        ) from None
    except UnicodeDecodeError as error:
        raise _not_utf8(error, str(path)) from None
    return parse(text, str(path), settings or [], nodes or [], misnamed), text


def _from_standard_input() -> str:
    try:
        return sys.stdin.buffer.read().decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise _not_utf8(error, "standard input") from None


def _not_utf8(error: UnicodeDecodeError, name: str) -> UserError:
    line = error.object[: error.start].count(b"\n") + 1
    return UserError(
        f"not TOML: not UTF-8 text ({error.reason})",
        where=f"{name}:{line}",
        remedy="Save it as UTF-8.",
    )


def parse(
    text: str,
    name: str,
    settings: list[str],
    nodes: Sequence[str] = (),
    misnamed: Misnamed | None = None,
) -> Scenario:
    """Parse the scenario in `text`, change it by settings and nodes; errors call it `name`."""
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise _not_toml(error, name, text) from None
    changed = applied(data, settings)
    changed += [_apply_node(data, node) for node in nodes]
    return validated(data, text, name, changed, misnamed)


def validated(
    data: dict[str, Any],
    text: str,
    name: str,
    changed: Sequence[Change],
    misnamed: Misnamed | None = None,
) -> Scenario:
    """Return the scenario of these tables; `changed` are the keys that do not come from the text.

    Raises:
        UserError: all that is wrong with it.
    """
    _choose(data)
    strange = _strange(data, text, name, changed, misnamed) if misnamed else []
    try:
        scenario = Scenario.model_validate(data)
    except ValidationError as error:
        raise explained(error, text, name, changed, strange) from None
    if strange:
        raise explained(None, text, name, changed, strange)
    return scenario


def _choose(data: dict[str, Any]) -> None:
    """Put the adapter that is here in the place of `ONE|ANOTHER`, and take out options of the
    others."""
    others: set[str] = set()

    def chosen(given: Any) -> Any:
        if not isinstance(given, str) or "|" not in given:
            return given
        found = first_here(given)
        others.update(name.strip() for name in given.split("|"))
        return found

    for _, table in _tables(data):
        for key in {"adapter", "peer"} & table.keys():
            given = table[key]
            table[key] = [*map(chosen, given)] if isinstance(given, list) else chosen(given)
    others.difference_update(str(adapter) for _, adapter in _named(data))
    for _, table in _tables(data):
        if isinstance(options := table.get("option"), dict):
            table["option"] = {
                key: value for key, value in options.items() if key.partition(".")[0] not in others
            }


def _strange(
    data: dict[str, Any], text: str, name: str, changed: Sequence[Change], misnamed: Misnamed
) -> list[Located]:
    """Return errors for adapters that are not known, with the lines that name them first."""
    places: dict[str, tuple[str, int]] = {}
    for location, adapter in _named(data):
        if isinstance(adapter, str) and adapter != SAME and adapter not in places:
            where, line = place(location, text, name, changed)
            key = "" if where.startswith("--") else f": {key_text(location)}"
            places[adapter] = f"{where}{key}", line
    lines = {where: line for where, line in places.values()}
    found = misnamed([*places], {adapter: where for adapter, (where, _) in places.items()})
    return [(lines[error.where], error) for error in found]


def _named(data: dict[str, Any]) -> Iterator[tuple[Location, Any]]:
    """Yield every adapter of the tables after its key, whatever else is wrong with them."""
    for location, table in _tables(data):
        for key in ("adapter", "peer"):
            given = table.get(key, [])
            for adapter in given if isinstance(given, list) else [given]:
                yield [*location, key], adapter


def _tables(data: dict[str, Any]) -> Iterator[tuple[Location, dict[str, Any]]]:
    tables: list[tuple[Location, Any]] = [(["matrix"], data.get("matrix"))]
    for array in ("also", "participant"):
        listed = data.get(array)
        tables += [
            ([array, n], t) for n, t in enumerate(listed if isinstance(listed, list) else [])
        ]
    return ((location, table) for location, table in tables if isinstance(table, dict))


def applied(data: dict[str, Any], settings: Sequence[str]) -> list[Change]:
    """Set keys, `KEY=VALUE`, and return which.

    Raises:
        UserError: those that are not of this form.
    """
    changed: list[Change] = []
    wrong: list[UserError] = []
    for setting in settings:
        try:
            changed.append(_apply(data, setting))
        except UserError as error:
            wrong.append(error)
    if wrong:
        raise together(wrong)
    return changed


def reached(scenario: Scenario, nodes: Sequence[str]) -> Scenario:
    """Return the scenario with its nodes reached by other prefixes, `NAME=PREFIX`.

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
    return validated(data, "", "--node", changed)


def _not_toml(error: Exception, name: str, text: str) -> UserError:
    message = str(error) if isinstance(error, ValueError) else "nested too deeply"
    position = re.search(r" \(at line (\d+), column (\d+)\)$", message)
    if position is None:
        return UserError(
            f"not TOML: {message}",
            where=name,
            remedy="See docs/reference/scenario.md for examples.",
        )
    line, column = int(position[1]), int(position[2])
    message = message[: position.start()]
    source = text.split("\n")[line - 1].rstrip("\r")
    bare = re.match(r"[A-Za-z_][\w.-]*", source[column - 1 :])
    if message == "Illegal character '\\n'":
        message = "a text in quotation marks does not end on its line"
    elif message == "Invalid value" and bare:
        word = bare[0].lower()
        wanted = word if word in ("true", "false") else f'"{bare[0]}"'
        message = f"{bare[0]} is no value: write {wanted}"
    return UserError(
        f"not TOML: {message}",
        where=f"{name}:{line}",
        remedy=f"  {source[:MOST_OF_A_LINE]}\n    {' ' * (column - 1)}^"
        if column <= MOST_OF_A_LINE
        else "See docs/reference/scenario.md for examples.",
    )


def only(patterns: Sequence[str]) -> list[str]:
    """Return the setting that leaves the cases of these patterns; none where all are wanted."""
    return [f"only={json.dumps(list(patterns))}"] if patterns else []


def required(requirements: Sequence[str], undecided: str = "fail") -> list[str]:
    """Return the settings that add these requirements."""
    if undecided == "fail":
        return [f"{REQUIRE}={requirement}" for requirement in requirements]
    return [
        f"{REQUIRE}={{that = {json.dumps(requirement)}, undecided = {json.dumps(undecided)}}}"
        for requirement in requirements
    ]


def around(prepare: Sequence[str], conclude: Sequence[str]) -> list[str]:
    """Return the settings of commands before and after every round, which replace the file's."""
    given = (("prepare", [*prepare]), ("conclude", [*conclude]))
    return [f"run.{key}={json.dumps(own, ensure_ascii=False)}" for key, own in given if own]


def _apply_requirement(data: dict[str, Any], text: str) -> Change:
    """Add a requirement, or a table of one, to the file's own."""
    requirement: Any = {"that": text}
    if text.lstrip().startswith("{"):
        with contextlib.suppress(ValueError):
            requirement = tomllib.loads(f"x = {text}")["x"]
    listed = data.setdefault(REQUIRE, [])
    if not isinstance(listed, list):
        raise UserError(
            "require is no list of tables",
            where="--require",
            remedy="Write [[require]] in the file.",
        )
    listed.append(requirement)
    return [REQUIRE, str(len(listed) - 1)], "--require"


def _apply_node(data: dict[str, Any], given: str) -> Change:
    """Add a node, or give one another prefix; return its key."""
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
    """Set one key, or add a requirement; return its key."""
    key, separator, value = setting.partition("=")
    path = [part.strip() for part in key.split(".")]
    if path == [REQUIRE] and not value.lstrip().startswith("["):
        return _apply_requirement(data, value)
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
        if table is data and part in keys() and data.get(part) in (True, False):
            # Short for a table in which nothing is changed.
            data[part] = {}
        table = table.setdefault(part, {})
        if not isinstance(table, dict):
            raise UserError(
                f"{part} is not a table",
                where=f"--set {key}",
                remedy="Change the file itself; --set reaches keys of tables only.",
            )
    table[path[-1]] = parsed
    return path, OPTION_OF.get(".".join(path)) or f"--set {'.'.join(path)}"
