"""The scenario that compares the type with octets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from busmark.plugins.own_types.source import UserType

TEMPLATE = """\
# Made by `busmark type build`. Paths begin at the folder where the command is typed.
name = "{name}"
question = "What does {name} cost, beside the same {size} bytes as octets?"

[measure]
body_file = "{value}"
duration_s = 1.0

[matrix]
adapter = [{adapters}]
# The value as the type, and its bytes as a sequence of octets: the difference is the type's cost.
payload = ["type", "octet"]
size = "file"

[rounds]
min = 10
"""


def scenario(user: UserType, libraries: Sequence[Path], value: Path, size: int) -> str:
    """Return its text. Paths stay as the user has given them."""
    # A name without a slash is the name of an adapter.
    here = [str(path) if path.parent != Path() else f"./{path}" for path in libraries]
    return TEMPLATE.format(
        name=user.name,
        size=size,
        value=value,
        adapters=", ".join(f'"{path}"' for path in here),
    )
