"""One security document: read, told in words, and judged by itself."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

from cryptography import x509
from tools.mutations.security import damaged

from busmark.plugins.security.description import Wanted
from busmark.plugins.security import check_documents, check_identities, explain, reading
from busmark.plugins.security.directory import create
from busmark.plugins.security.description import read as description
from busmark.plugins.security.findings import GOVERNANCE, IDENTITY, PERMISSIONS, Finding

PROFILE = "all"
NAME = "active"


class Document:
    """Those of one participant and one profile, one damaged at a time, each as often."""

    def __init__(self, folder: Path) -> None:
        self.documents = create(folder / "keys", Wanted(participants=(NAME,)))
        at = self.documents.layout
        self.authority = reading.certificate_of(at.permissions_ca)
        self.now = datetime.now(UTC)
        self.file = folder / "document.p7s"
        look: dict[Path, Callable[[Path], Any]] = {
            at.governance(PROFILE): self._governance,
            at.permissions(NAME): self._permissions,
            at.certificate(NAME): self._certificate,
            at.key(NAME): self._key,
            at.description: description,
        }
        self.known = [(path.read_bytes(), seen) for path, seen in look.items()]
        # For what stands beside a signed document: the XML that was signed.
        self.file.with_suffix(".xml").write_bytes(at.governance(PROFILE, "xml").read_bytes())

    def input(self, number: int, rng: Random) -> None:
        """One of them."""
        content, look = self.known[number % len(self.known)]
        self.file.write_bytes(damaged(content, rng))
        json.dumps(list(map(str, look(self.file)))).encode()

    def _governance(self, path: Path) -> list[Any]:
        message, root = reading.signed(path)
        rules = reading.rules(root, path)
        lines = [line for rule in rules for line in explain._rule_lines(explain._rule(rule))]
        signature = check_documents._signature(self.documents, path, message, GOVERNANCE)
        return [
            *lines,
            *signature,
            *(f for r in rules for f in check_documents._strangers(path, r)),
        ]

    def _permissions(self, path: Path) -> list[Any]:
        message, root = reading.signed(path)
        grants = reading.grants(root, path)
        signature = check_documents._signature(self.documents, path, message, PERMISSIONS)
        subject = check_documents._subject(path, root, grants, "CN=active")
        judged = (f for g in grants for f in check_documents._grant(path, g, self.now))
        return [*map(str, grants), *signature, *subject, *judged]

    def _certificate(self, path: Path) -> list[Any]:
        found = reading.certificate_of(path)
        return [*explain._certificate(found).items(), *self._judged(path, found)]

    def _judged(self, path: Path, found: x509.Certificate) -> Iterator[Finding]:
        yield from check_identities._certificate(path, found, IDENTITY, self.now)
        yield from check_identities._signature(path, found, self.authority, IDENTITY)

    def _key(self, path: Path) -> list[Any]:
        return list(check_identities._key(self.documents, path, self.authority, IDENTITY))
