"""Damaged security documents: a directory of a stranger's is explained and checked."""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
from dataclasses import asdict
from pathlib import Path
from random import Random

from tools.mutations import values

from busmark.errors import UserError
from busmark.plugins.security.checks import check
from busmark.plugins.security.description import DocumentRequest
from busmark.plugins.security.directory import create, open_directory
from busmark.plugins.security.explain import explained, sentences

BASE64 = re.compile(rb"(?:[A-Za-z0-9+/]{60,76}={0,2}\r?\n)+[A-Za-z0-9+/=]*")
"""Keys, certificates and signatures within text."""
OTHER_THAN_FILES = 50
"""One input in this many replaces a document by a folder, a pipe, a link, or nothing."""


class Security:
    """A directory that Busmark makes, with one or two documents damaged at a time."""

    def __init__(self, folder: Path) -> None:
        self.directory = folder / "keys"
        create(self.directory, DocumentRequest(participants=("active", "passive")))
        files = sorted(path for path in self.directory.rglob("*") if path.is_file())
        self.whole = {path: path.read_bytes() for path in files}

    def document(self, number: int, rng: Random) -> None:
        """Damage one or two documents; run `security show` and `check` of the directory."""
        chosen = rng.sample(list(self.whole), rng.choice((1, 1, 2)))
        try:
            for path in chosen:
                if rng.randrange(OTHER_THAN_FILES) == 0:
                    _replaced(path, rng)
                else:
                    path.write_bytes(damaged(self.whole[path], rng))
            self._read()
        finally:
            for path in chosen:
                _away(path)
                path.write_bytes(self.whole[path])

    def _read(self) -> None:
        """Run each command by itself: the refusal of one says nothing about the other."""
        refused = None
        for command in (self._show, self._check):
            try:
                command()
            except UserError as error:
                refused = error
        if refused:
            raise refused

    def _show(self) -> None:
        about = explained(open_directory(self.directory))
        "\n".join(sentences(about)).encode(errors="strict")
        json.dumps(about, allow_nan=False)

    def _check(self) -> None:
        found = check(open_directory(self.directory))
        json.dumps([asdict(each) for each in found], allow_nan=False)
        "\n".join(map(str, found))


def damaged(content: bytes, rng: Random) -> bytes:
    """Damage the text, the bytes, or a part that is encoded in it as base64."""
    encoded = list(BASE64.finditer(content))
    if encoded and rng.randrange(3):
        part = rng.choice(encoded)
        try:
            binary = base64.b64decode(part[0])
        except ValueError:
            return values.octets(content, rng)
        again = base64.encodebytes(values.octets(binary, rng))
        return content[: part.start()] + again + content[part.end() :]
    if rng.randrange(4):
        return values.text(content.decode(errors="replace"), rng).encode(errors="replace")
    return values.octets(content, rng)


def _away(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _replaced(path: Path, rng: Random) -> None:
    """Replace a document by a folder, a pipe, a link, or nothing."""
    _away(path)
    act = rng.randrange(5)
    if act == 0:
        path.mkdir()
    elif act == 1:
        os.mkfifo(path)
    elif act == 2:
        path.symlink_to("/dev/zero")
    elif act == 3:
        path.symlink_to(path)
