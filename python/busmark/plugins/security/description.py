"""`security.toml`: what a directory of security documents was made for. It holds no secret."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from busmark.errors import UserError, refused
from busmark.files import beginning
from busmark.plugins.security.authority import Algorithm
from busmark.plugins.security.domains import Domains

VERSION = 1
PARTICIPANTS = ("active", "passive", "idle", "server", "sender", "receiver")
"""Names of the ends of a run (`plan/flows.py`), a server, and two names for use by hand."""
TOPICS = ("busmark*",)
"""Every topic that Busmark makes."""
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,59}")
MOST_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class DocumentRequest:
    """The documents that are asked for."""

    participants: Sequence[str] = PARTICIPANTS
    domains: Sequence[Domains] = (Domains(0, 0),)
    algorithm: Algorithm = "ecdsa-p256"
    days: int = 365
    publish: Sequence[str] = TOPICS
    subscribe: Sequence[str] = TOPICS
    passphrase: str = ""
    """Encrypts private keys; empty: they are not encrypted."""

    def check(self) -> None:
        """Refuse what cannot be made."""
        for name in self.participants:
            if not NAME.fullmatch(name):
                raise UserError(
                    f"{name!r} cannot be the name of a participant",
                    where="--participant",
                    remedy="Use letters, digits, `_` and `-`, 60 at most.",
                )
        if len(set(self.participants)) < len(self.participants):
            raise UserError(
                "a participant is named twice", where="--participant", remedy="Name each once."
            )
        for option, topics in (("--publish", self.publish), ("--subscribe", self.subscribe)):
            for topic in topics:
                if not topic or not topic.isprintable() or topic != topic.strip():
                    raise UserError(
                        f"{topic!r} cannot be the name of a topic",
                        where=option,
                        remedy="Give a name or pattern: busmark*.",
                    )


def text(wanted: DocumentRequest, not_before: datetime, not_after: datetime) -> str:
    """Return the file, for people and for `open_directory`."""
    values = {
        "version": VERSION,
        "participants": list(wanted.participants),
        "domains": [str(each) for each in wanted.domains],
        "algorithm": wanted.algorithm,
        "not_before": not_before.isoformat(),
        "not_after": not_after.isoformat(),
        "publish": list(wanted.publish),
        "subscribe": list(wanted.subscribe),
        "keys_encrypted": bool(wanted.passphrase),
    }
    lines = [f"{key} = {json.dumps(value)}" for key, value in values.items()]
    return "\n".join(["# Made by `busmark security init`; holds no secret.", *lines, ""])


def read(path: Path) -> dict[str, Any]:
    """Return the file's content; empty where there is none, as in a directory that another tool
    made."""
    with refused("cannot be read", path, "Make it readable."):
        try:
            content = beginning(path, MOST_BYTES + 1)
        except FileNotFoundError:
            return {}
    remedy = "Restore it, or remove it: it only says what the directory was made for."
    if len(content) > MOST_BYTES:
        raise UserError("this file is too large", where=str(path), remedy=remedy)
    try:
        return tomllib.loads(content.decode())
    except (ValueError, RecursionError) as error:
        raise UserError(f"this is not TOML: {error}", where=str(path), remedy=remedy) from error
