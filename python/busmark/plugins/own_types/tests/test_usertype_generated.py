"""Nothing of an IDL file is run as Python, and its modules may have any name."""

from __future__ import annotations

from pathlib import Path

import pytest

from busmark.errors import UserError
from busmark.plugins.own_types.source import check

HEAD = '''"""
  Module: os
"""
from dataclasses import dataclass
from enum import auto
from typing import TYPE_CHECKING, Optional
import cyclonedds.idl as idl
import cyclonedds.idl.annotations as annotate
import cyclonedds.idl.types as types
import busmark_user.os
if TYPE_CHECKING:
    import busmark_user.json
'''

PLAIN = """
GREETING = "plain text, with = signs (and brackets)"
LEAST = -5
Ps = types.typedef["busmark_user.json.Ps", types.sequence['busmark_user.json.P', 4]]
@annotate.final
class Kind(idl.IdlEnum, typename="json.Kind", default="A"):
    A = auto()
@annotate.final
class U(idl.IdlUnion, discriminator=types.int32, discriminator_is_key=False, typename="os.U"):
    a: types.case[[1], types.int32]
    b: types.case[[2, 3], str]
@dataclass
@annotate.autoid("sequential")
class Q(idl.IdlStruct, typename="os.Q"):
    p: 'busmark_user.json.P'
    ps: types.sequence['busmark_user.json.P', 3]
    o: Optional[types.int32]
    k: types.int32
    annotate.key("k")
    f0: bool = False
"""


def checked(folder: Path, text: str) -> None:
    (folder / "_x.py").write_text(HEAD + text, encoding="utf-8")
    check(folder, Path("x.idl"))


def test_what_classes_are_made_of_is_taken(tmp_path: Path) -> None:
    checked(tmp_path, PLAIN)


@pytest.mark.parametrize(
    "text",
    [
        'EVIL = ""+__import__("os").system("x")+""',
        "EVIL = \"\";__import__('os').system('x');\"\"",
        'EVIL = "x\'\n"',
        "import subprocess",
        "from os import system",
        "EVIL = open('x')",
        "EVIL = [x for x in (1,)]",
        "EVIL = (lambda: 1)",
        "EVIL = annotate.key.__globals__",
        "class Q(idl.IdlStruct, typename=print('x')):\n    a: int",
        'class Q(idl.IdlStruct):\n    a: \'__import__("os").system("x")\'',
        "class Q(idl.IdlStruct):\n    a: types.sequence['print(1)', 3]",
        "if True:\n    import busmark_user.json",
        "def f(): pass",
        "@open\nclass Q(idl.IdlStruct):\n    a: int\nx = f'{1}'",
        "EVIL = " + 20_000 * "-" + "1",
    ],
)
def test_anything_else_is_refused_before_it_runs(tmp_path: Path, text: str) -> None:
    with pytest.raises(UserError, match="made no plain class") as caught:
        checked(tmp_path, text)
    assert caught.value.where == "x.idl" and "texts" in caught.value.remedy
