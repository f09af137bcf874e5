"""The passphrase of private keys, in a file."""

from __future__ import annotations

from pathlib import Path

from busmark.errors import UserError, refused
from busmark.files import beginning

MOST_BYTES = 1023
"""OpenSSL takes no longer passphrase."""
REMEDY = "Write the passphrase into its first line, and make it readable for you alone."


def passphrase(path: Path | None) -> str:
    """Return the first line of a file; empty without one.

    Raises:
        UserError: it cannot be read, or its first line is no passphrase.
    """
    if path is None:
        return ""
    with refused("cannot be read", path, REMEDY):
        line = beginning(path, MOST_BYTES + 2).partition(b"\n")[0].rstrip(b"\r")
    if not line:
        raise UserError("the passphrase is empty", where=str(path), remedy=REMEDY)
    if len(line) > MOST_BYTES:
        raise UserError(
            "the passphrase is too long",
            where=str(path),
            remedy=f"Give {MOST_BYTES} bytes at most.",
        )
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        raise UserError("this is not text in UTF-8", where=str(path), remedy=REMEDY) from error
