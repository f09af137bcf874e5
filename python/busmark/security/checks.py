"""`busmark security check`: all faults of a directory."""

from __future__ import annotations

from datetime import UTC, datetime

from busmark.security import check_curve, check_documents, check_identities, check_missing
from busmark.security.directory import Documents
from busmark.security.findings import Finding


def check(documents: Documents, now: datetime | None = None) -> list[Finding]:
    """The faults; a file that cannot be read is a UserError."""
    now = now or datetime.now(UTC)
    return [
        *check_missing.found(documents),
        *check_identities.found(documents, now),
        *check_documents.found(documents, now),
        *check_curve.found(documents),
    ]
