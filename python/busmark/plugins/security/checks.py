"""`busmark security check`: all faults of a directory."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from busmark.plugins.security import check_curve, check_documents, check_identities
from busmark.plugins.security.description import NAME
from busmark.plugins.security.directory import Documents
from busmark.plugins.security.findings import CURVE, GOVERNANCE, IDENTITY, PERMISSIONS_CA, Finding
from busmark.plugins.security.profiles import DDS


def check(documents: Documents, now: datetime | None = None) -> list[Finding]:
    """Return the faults; a file that cannot be read is a UserError."""
    now, at = now or datetime.now(UTC), documents.layout
    missing = list(found(documents))
    # A directory of keys of CURVE alone, or of certificates alone for TLS, has no fault.
    dds = at.permissions_ca.exists() or any(at.governance_folder.glob("*.p7s"))
    identities = dds or at.identity_ca.exists()
    return [
        *missing,
        *(check_identities.found(documents, now, dds=dds) if identities else ()),
        *(check_documents.found(documents, now) if dds else ()),
        *check_curve.found(documents),
    ]


AGAIN = "Restore it, or make the directory again."


def found(documents: Documents) -> Iterator[Finding]:
    """Return what is missing; nothing where no `security.toml` says what the directory was made
    for."""
    at, about = documents.layout, documents.about
    if not about:
        return
    documents_of_all = [
        (at.identity_ca, IDENTITY),
        (at.permissions_ca, PERMISSIONS_CA),
        *((at.governance(profile), GOVERNANCE) for profile in DDS),
    ]
    for path, clause in documents_of_all:
        if not path.exists():
            yield Finding("missing", str(path), "", clause, "this document is missing", AGAIN)
    names = about.get("participants")
    for name in names if isinstance(names, list) else ():
        if not isinstance(name, str) or not NAME.fullmatch(name):
            continue
        if not at.participant(name).is_dir():
            yield Finding("missing", str(at.participant(name)), "", IDENTITY,
                          "the documents of this participant are missing", AGAIN)  # fmt: skip
            continue
        for path in (at.curve_secret(name), at.curve_public(name)):
            if not path.exists():
                yield Finding("missing", str(path), "", CURVE, "this key is missing", AGAIN)
    if not at.curve_allowed.exists():
        yield Finding("missing", str(at.curve_allowed), "", CURVE, "this list is missing", AGAIN)
