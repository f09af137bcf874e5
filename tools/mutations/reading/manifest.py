"""The manifest of a result: JSON, then part by part what of it can be."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

from tools.mutations import values
from tools.mutations.material import make

from busmark.errors import UserError
from busmark.store import salvage


class Manifest:
    """Those of whole results."""

    def __init__(self, folder: Path) -> None:
        documents = [json.loads((path / "manifest.json").read_text()) for path in make(folder)]
        self.known = [(json.dumps(each), values.places(each)) for each in documents]

    def input(self, number: int, rng: Random) -> None:
        """One of them, with other values or as another text."""
        text, places = self.known[number % len(self.known)]
        if rng.randrange(5):
            document = json.loads(text)
            values.change(document, rng, places)
        else:
            document = _read(values.text(text, rng))
        try:
            _found, sentence = salvage.manifest(document)
        except salvage.Damaged as error:
            raise UserError(str(error)) from None
        for each in sentence:
            each.encode(errors="strict")


def _read(text: str) -> dict[str, object]:
    """As the result's reader does."""
    try:
        document = salvage.parse(text.encode(errors="surrogatepass"))
    except (ValueError, RecursionError) as error:
        raise UserError(f"not JSON: {error}") from None
    if not isinstance(document, dict):
        raise UserError("not a JSON object")
    return document
