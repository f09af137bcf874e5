"""The value as CDR, by the Python classes that the IDL compiler makes."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from busmark.errors import UserError
from busmark.plugins.own_types.source import ROOT, UserType, check
from busmark.plugins.own_types.tools import Idlc, ToolError, python_generator


def make_classes(idl: Path, idlc: Idlc, folder: Path) -> None:
    """Fill a folder with the Python classes of an IDL file's types and of those it includes.

    Raises `UserError` that says what is wrong with the IDL.
    """
    # Nothing of a type that was built here before.
    shutil.rmtree(folder, ignore_errors=True)
    classes = folder / ROOT
    options = ("-p", f"py-root-prefix={ROOT}", "-I", idl.parent)
    try:
        for file in (idl, *idlc.included(idl, folder, "-I", idl.parent)):
            idlc.compile(file, python_generator(), classes, *options)
    except ToolError as error:
        raise UserError(str(error), remedy=f"Correct {idl}.") from None
    # Only types outside of all modules bring one.
    (classes / "__init__.py").touch()
    check(folder, idl)


def serialise(user: UserType, value: Path, out: Path, idlc: Idlc, folder: Path) -> int:
    """Write the value of the JSON file to `out`; return the number of its bytes.

    Raises `UserError` that says what is wrong with the IDL, the name or the value.
    """
    if not value.is_file():
        raise UserError("no such file", where=str(value), remedy="Name a JSON file.")
    make_classes(user.idl, idlc, folder)
    # In a process of its own: the modules have the names that the user chose.
    encode = Path(__file__).with_name("encode.py")
    done = subprocess.run(
        [sys.executable, "-P", encode, folder, user.name, value, out],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False,
    )  # fmt: skip
    if done.returncode != 0:
        text = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise UserError(text[-1])
    return out.stat().st_size
