"""What a worker may answer.

`busmark-worker schema` is the same in full; this is what the controller relies on, so that a worker
gone astray spoils its round and nothing else.
"""

from __future__ import annotations

import json
from typing import Annotated, Any

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError, with_config
from typing_extensions import TypedDict

from busmark.control.failure import RoundError

_further = with_config(ConfigDict(extra="allow"))
"""Keys that the controller only stores."""


@_further
class Failure(TypedDict):
    """`error` of a reply that is not ok."""

    kind: str
    message: str


@_further
class Hello(TypedDict):
    """The first line."""

    event: str
    protocol: int


@_further
class Reply(TypedDict, total=False):
    """The answer to a command."""

    id: int
    ok: bool
    result: Any
    error: Failure


@_further
class FrameHead(TypedDict):
    """The line before a frame."""

    frame: str
    role: str
    writer: int
    bytes: Annotated[int, Field(ge=0)]


@_further
class Ends(TypedDict):
    """Endpoints of a topic."""

    writers: int
    readers: int


@_further
class ServeResult(TypedDict):
    """Of `serve`."""

    address: str


@_further
class SetupResult(TypedDict):
    """Of `setup`."""

    locators: dict[str, list[str]]
    endpoints: dict[str, Ends]
    ready_ns: int


@_further
class MatchResult(TypedDict):
    """Of `match`."""

    matched_ns: int
    unknown: int


@_further
class RunReport(TypedDict):
    """Of `run`, one for each active role."""

    role: str
    writer: int
    sent: int
    begin_ns: int
    end_ns: int
    warmup_ns: int
    ended: str


@_further
class Account(TypedDict):
    """One writer's samples at a reader."""

    received: int
    duplicated: int
    out_of_order: int


@_further
class Counted(TypedDict):
    """Counters over time of one writer's samples."""

    writer: int
    width_ns: int
    span_ns: tuple[int, int] | None
    samples: list[int]
    bytes: list[int]


@_further
class RoleReport(TypedDict):
    """Of `collect`, one for each role."""

    role: str
    writer: int
    accounts: list[Account]
    foreign: int
    corrupted: int | None
    rows: int
    intervals: list[Counted]


HELLO = TypeAdapter(Hello)
REPLY = TypeAdapter(Reply)
FRAME = TypeAdapter(FrameHead)
RESULTS: dict[str, TypeAdapter[Any]] = {
    "setup": TypeAdapter(SetupResult),
    "serve": TypeAdapter(ServeResult),
    "match": TypeAdapter(MatchResult),
    "run": TypeAdapter(Annotated[list[RunReport], Field(min_length=1)]),
    "collect": TypeAdapter(list[RoleReport]),
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
