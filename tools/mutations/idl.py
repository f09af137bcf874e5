"""Damaged types of a user: what the IDL compiler writes of a hostile file, and values in JSON."""

from __future__ import annotations

import importlib
import json
import sys
import tempfile
from pathlib import Path
from random import Random
from typing import Any

from tools.mutations import values

from busmark.errors import UserError
from busmark.plugins.own_types.codec import Wrong, encode
from busmark.plugins.own_types.source import UserType, check

CLASSES = '''"""
  Module: fuzzed
"""
from dataclasses import dataclass
from enum import auto
from typing import TYPE_CHECKING, Optional
import cyclonedds.idl as idl
import cyclonedds.idl.annotations as annotate
import cyclonedds.idl.types as types

GREETING = "plain text"
LEAST = -5
@annotate.final
class Kind(idl.IdlEnum, typename="fuzzed.Kind", default="SLOW"):
    SLOW = auto()
    FAST = auto()

@annotate.final
class Either(idl.IdlUnion, discriminator=types.int32, typename="fuzzed.Either"):
    whole: types.case[[1], types.int32]
    text: types.case[[2, 3], str]

@dataclass
@annotate.final
class Point(idl.IdlStruct, typename="fuzzed.Point"):
    tag: types.uint8
    x: types.float64

@dataclass
@annotate.final
class Whole(idl.IdlStruct, typename="fuzzed.Whole"):
    name: types.bounded_str[5]
    kind: Kind
    either: Either
    grid: types.array[types.int16, 2]
    points: types.sequence[Point, 2]
    good: bool
'''
"""As the compiler writes them, but without a typedef: the package replaces what it stands for
when it serialises, and this process serialises many values where the product serialises one."""

VALUE: dict[str, Any] = {
    "name": "abc",
    "kind": "FAST",
    "either": {"whole": -7},
    "grid": [1, -2],
    "points": [{"tag": 255, "x": 0.5}],
    "good": True,
}

HOSTILE = (
    '"; import os; os.system("x")',
    "__import__('os').system('x')",
    "().__class__.__mro__",
    "lambda: 0",
    "exec",
    "{0: 1}",
    "[x for x in y]",
    "f'{open}'",
    "(" * 300,
    "-" * 3000 + "1",
    "x." * 3000 + "x",
    "#",
    '"""',
    "\\",
    "\x0c",
    "@",
    "async def f(): pass",
    "0x" + "f" * 5000,
    "1" * 5000,
    "from os import *",
    "import os",
    "while True: pass",
    "# coding: utf-7\n",
    "\x00",
)
"""What a text of an IDL file could bring into the generated code."""


class Idl:
    """Code that is judged, names that are judged, and values of a type that is there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "classes"
        self.folder.mkdir()
        self.code = self.folder / "judged" / "_fuzzed.py"
        self.code.parent.mkdir()
        self.idl = folder / "fuzzed.idl"
        self.idl.write_text("struct Whole { long x; };")
        made = Path(tempfile.mkdtemp(dir=folder))
        (made / "fuzzed.py").write_text(CLASSES)
        sys.path.append(str(made))
        importlib.invalidate_caches()
        self.made, self.value = made, folder / "value.json"

    def input(self, number: int, rng: Random) -> None:
        """Damage one of the three: code, a value, or a name."""
        (self._code, self._code, self._code, self._value, self._value, self._name)[number % 6](rng)

    def _code(self, rng: Random) -> None:
        code = CLASSES
        if rng.randrange(3):
            at = rng.randrange(len(code) + 1)
            code = code[:at] + rng.choice(HOSTILE) + code[at + rng.choice((0, 0, 1, 10)) :]
        if rng.randrange(2):
            code = values.text(code, rng)
        content = code.encode(errors="surrogatepass")
        self.code.write_bytes(content if rng.randrange(5) else values.octets(content, rng))
        check(self.folder, self.idl)

    def _value(self, rng: Random) -> None:
        document = json.loads(json.dumps(VALUE))
        values.change(document, rng, values.places(document))
        text = json.dumps(document)
        if rng.randrange(4) == 0:
            text = values.text(text, rng)
        self.value.write_bytes(text.encode(errors="surrogatepass"))
        try:
            encode(self.made, "fuzzed::Whole", self.value)
        except Wrong as wrong:
            raise UserError(str(wrong)) from None

    def _name(self, rng: Random) -> None:
        UserType.from_file(self.idl, values.text("fuzzed::inner::Whole", rng))
