"""Values by the Python classes that the IDL compiler makes: as CDR, and
samples of a bus as JSON."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from busmark import files
from busmark.errors import UserError
from busmark.launcher import completed, python
from busmark.plugins.own_types.source import ROOT, UserType, check
from busmark.plugins.own_types.tools import Idlc, ToolError, idl_compiler, python_generator

CODEC = Path(__file__).with_name("codec.py")


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
    code, _, errors = completed(python(CODEC, folder, user.name, value, out))
    if code != 0:
        text = errors.strip().splitlines() or [f"exit code {code}"]
        raise UserError(text[-1])
    return out.stat().st_size


DECODE_S = 60.0
"""Time for decoding all samples together."""


class Types:
    """Types of IDL files, made into classes in a folder."""

    def __init__(self, idls: Sequence[Path], folder: Path) -> None:
        """Compile the files; the first time here the compiler is built, which takes a minute.

        Raises:
            UserError: what is wrong with a file, or why the compiler cannot be had.
        """
        for idl in idls:
            if not idl.is_file():
                raise UserError("no such file", where=str(idl), remedy="Name an IDL file.")
        python_generator()  # before anything that takes time
        idlc = idl_compiler(folder / "idlc.txt")
        self._folders = [folder / f"types-{number}" for number in range(len(idls))]
        for idl, own in zip(idls, self._folders, strict=True):
            make_classes(idl.absolute(), idlc, own)

    def contents(self, samples: Sequence[tuple[str, bytes]]) -> list[dict[str, Any]]:
        """Return what is in each sample, given the name of its type and its bytes with
        encapsulation: `value`, or `problem` where it cannot be read; empty where no file has the
        type."""
        found: list[dict[str, Any]] = [{} for _ in samples]
        for folder in self._folders:
            found = [old or new for old, new in zip(found, _decoded(folder, samples), strict=True)]
        return found


def _decoded(folder: Path, samples: Sequence[tuple[str, bytes]]) -> list[dict[str, Any]]:
    """Decode in a process of its own: the modules have the names that the user chose."""
    asked = "".join(json.dumps({"type": t, "bytes": data.hex()}) + "\n" for t, data in samples)
    try:
        code, said, errors = completed(
            python(CODEC, folder), within_s=DECODE_S, data=asked.encode(), most_bytes=files.LARGE
        )
    except TimeoutError:
        return [{"problem": f"was not read within {DECODE_S:.0f} s"} for _ in samples]
    lines = [json.loads(line) for line in said.splitlines()]
    if len(lines) < len(samples):
        text = errors.strip().splitlines() or [f"exit code {code}"]
        lines += [{"problem": f"cannot be read: {text[-1]}"}] * (len(samples) - len(lines))
    return lines
