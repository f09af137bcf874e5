"""What a worker answers is checked here, so that one gone astray spoils its round and nothing
else."""

from __future__ import annotations

import json
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError

from busmark.control import protocol
from busmark.errors import RoundError

HELLO = TypeAdapter(protocol.Hello)
REPLY = TypeAdapter(protocol.Reply)
EVENT: TypeAdapter[protocol.Event] = TypeAdapter(protocol.Event)
FRAME = TypeAdapter(protocol.FrameHead)
REPLY_HEAD = TypeAdapter(protocol.ReplyHead)
RESULTS: dict[str, TypeAdapter[Any]] = {
    "setup": TypeAdapter(protocol.SetupResult),
    "serve": TypeAdapter(protocol.ServeResult),
    "match": TypeAdapter(protocol.Matched),
    "set": TypeAdapter(protocol.SetResult),
    "run": TypeAdapter(Annotated[list[protocol.RunReport], Field(min_length=1)]),
    "collect": TypeAdapter(list[protocol.RoleReport]),
}


def read(line: bytes, who: str) -> dict[str, Any]:
    """A line of the protocol: a JSON object."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        message = None
    if not isinstance(message, dict):
        shown = line[:80].decode(errors="replace").strip()
        raise RoundError("garbage", f"{who}: not a message of the protocol: {shown!r}")
    return message


def check(shape: TypeAdapter[Any], value: Any, who: str) -> Any:
    """The value, if it has this shape."""
    try:
        return shape.validate_python(value)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        raise RoundError(
            "garbage", f"{who}: not an answer of the protocol: {key or 'value'}: {first['msg']}"
        ) from None
