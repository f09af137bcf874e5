"""`busmark security check`: all faults of a directory."""

from __future__ import annotations

from datetime import UTC, datetime

from busmark.security import check_curve, check_documents, check_identities, check_missing
from busmark.security.directory import Documents
from busmark.security.findings import Finding


def check(documents: Documents, now: datetime | None = None) -> list[Finding]:
    """The faults; a file that cannot be read is a UserError."""
    now, at = now or datetime.now(UTC), documents.layout
    missing = list(check_missing.found(documents))
    # A directory of keys of CURVE alone, or of certificates alone for TLS, has no fault.
    dds = at.permissions_ca.exists() or any(at.governance_folder.glob("*.p7s"))
    identities = dds or at.identity_ca.exists()
    return [
        *missing,
        *(check_identities.found(documents, now, dds=dds) if identities else ()),
        *(check_documents.found(documents, now) if dds else ()),
        *check_curve.found(documents),
    ]
