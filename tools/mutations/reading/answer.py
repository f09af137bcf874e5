"""A message of a worker to the controller: JSON, then the shape that the protocol gives it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from pydantic import TypeAdapter, ValidationError
from tools.mutations import values
from tools.mutations.answers import LINE, Answers

from busmark.control import worker
from busmark.errors import RoundError, UserError

FURTHER: tuple[dict[str, Any], ...] = (
    {"frame": "rows", "bytes": 10, "role": "pinger", "writer": 1},
    {"id": 3, "ok": False, "error": {"kind": "timeout", "message": "nobody came"}},
)
"""Messages that a round without a fault may lack."""


@dataclass(frozen=True)
class Message:
    """One that is whole."""

    text: str
    places: list[tuple[Any, ...]]
    shape: TypeAdapter[Any]
    result: TypeAdapter[Any] | None
    """The shape of a reply's result; None for any other message."""

    @classmethod
    def of(cls, document: dict[str, Any]) -> Message:
        """With the shapes that the controller asks of it."""
        text, places = json.dumps(document), values.places(document)
        if "event" in document:
            shape = worker.HELLO if document["event"] == "hello" else worker.EVENT
            return cls(text, places, shape, None)
        if "frame" in document:
            return cls(text, places, worker.FRAME, None)
        return cls(text, places, worker.REPLY, _result(document.get("result")))


class Answer:
    """What real workers have said in real rounds."""

    def __init__(self, folder: Path) -> None:
        said = [
            json.loads(data)
            for _, played in Answers(folder).played
            for pieces in played.values()
            for kind, data in pieces
            if kind == LINE
        ]
        self.known = [Message.of(each) for each in (*said, *FURTHER)]

    def input(self, number: int, rng: Random) -> None:
        """One message, as JSON of other values or as another text."""
        known = self.known[number % len(self.known)]
        if rng.randrange(4):
            document = json.loads(known.text)
            values.change(document, rng, known.places)
            text = json.dumps(document)
        else:
            text = values.text(known.text, rng)
        try:
            message = worker.read(text.encode(errors="surrogatepass"), "worker")
            worker.check(known.shape, message, "worker")
            if known.result:
                worker.check(known.result, message.get("result"), "worker, a command")
        except RoundError as error:
            raise UserError(str(error)) from None


def _result(value: Any) -> TypeAdapter[Any] | None:
    """The first shape that fits the result; each command has one."""
    for shape in worker.RESULTS.values():
        try:
            shape.validate_python(value)
        except ValidationError:
            continue
        return shape
    return None
