"""python/busmark/control/protocol.py: what the worker answers, from the schema that it prints."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from typing import Any

from tools.pages import schemas

Schema = dict[str, Any]

HEAD = '''"""What a worker answers, from `schemas/control.schema.json`: made by `tools/generate.py`.

Unknown keys are kept: the controller only stores them.
"""

from __future__ import annotations

from typing import Annotated, Any, NotRequired

from pydantic import ConfigDict, Field, with_config
from typing_extensions import TypedDict

_further = with_config(ConfigDict(extra="allow"))

U32 = Annotated[int, Field(ge=0, lt=2**32)]
U64 = Annotated[int, Field(ge=0, lt=2**64)]
I64 = Annotated[int, Field(ge=-(2**63), lt=2**63)]
'''

ROOTS = (
    "Hello",
    "Reply",
    "Event",
    "FrameHead",
    "ReplyHead",
    "ServeResult",
    "SetupResult",
    "Matched",
    "RunReport",
    "SetResult",
    "RoleReport",
)
"""What the worker sends; whatever they consist of comes before them."""

INTEGERS = {"uint32": "U32", "uint64": "U64", "uint": "U64", "int64": "I64"}
PLAIN = {"string": "str", "boolean": "bool", "number": "float"}


def module() -> str:
    """Return the text of the module."""
    parts = json.loads(schemas.control_json())["$defs"]
    return HEAD + "".join(_class(name, parts[name]) for name in _ordered(parts))


def _ordered(parts: dict[str, Schema]) -> list[str]:
    """Return the names, each after the names that it refers to."""
    found: dict[str, None] = {}

    def add(name: str) -> None:
        for other in _references(parts[name]):
            add(other)
        found.setdefault(name)

    for root in ROOTS:
        add(root)
    return list(found)


def _references(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        if "$ref" in schema:
            yield schema["$ref"].rpartition("/")[2]
        for value in schema.values():
            yield from _references(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from _references(value)


def _class(name: str, schema: Schema) -> str:
    """Return a class with a table's keys. Keys without a value are null: the worker leaves out no
    key, except in a reply either result or error, and in an event the keys of other events."""
    forms = schema.get("anyOf") or schema.get("oneOf") or [schema]
    fields = {key: field for form in forms for key, field in form["properties"].items()}
    lines = ["", "", "@_further", f"class {name}(TypedDict):"]
    lines += [_docstring(schema["description"]), ""]
    for key, field in fields.items():
        kind = _kind(field)
        everywhere = all(key in form["properties"] for form in forms)
        lines.append(f"    {key}: {kind if everywhere else f'NotRequired[{kind}]'}")
        notes = {form["properties"].get(key, field).get("description") for form in forms}
        if len(notes) == 1 and (text := notes.pop()):
            lines.append(_docstring(text))
    return "\n".join(lines) + "\n"


def _docstring(text: str) -> str:
    whole = " ".join(text.split())
    return textwrap.fill(
        f'"""{whole}"""',
        100,
        initial_indent="    ",
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def _kind(schema: Schema) -> str:
    """Return the type in Python."""
    if "$ref" in schema:
        return str(schema["$ref"].rpartition("/")[2])
    if "anyOf" in schema:
        return " | ".join(_kind(each) for each in schema["anyOf"])
    kind = schema.get("type")
    if isinstance(kind, list):
        return " | ".join(_kind({**schema, "type": each}) for each in kind)
    if kind == "null":
        return "None"
    if kind == "integer":
        return INTEGERS[schema["format"]]
    if kind == "array":
        if "prefixItems" in schema:
            return f"tuple[{', '.join(_kind(each) for each in schema['prefixItems'])}]"
        return f"list[{_kind(schema['items'])}]"
    if kind == "object":
        return f"dict[str, {_kind(schema['additionalProperties'])}]"
    return PLAIN[kind] if kind else "Any"
