"""Documents that `busmark security init` has made and that are no longer there."""

from __future__ import annotations

from collections.abc import Iterator

from busmark.security.description import NAME
from busmark.security.directory import Documents
from busmark.security.findings import GOVERNANCE, IDENTITY, Finding
from busmark.security.profiles import DDS

AGAIN = "Restore it, or make the directory again."


def found(documents: Documents) -> Iterator[Finding]:
    """What is missing; nothing where no `security.toml` says what the directory was made for."""
    at, about = documents.layout, documents.about
    if not about:
        return
    for profile in DDS:
        path = at.governance(profile)
        if not path.exists():
            yield Finding("missing", str(path), "", GOVERNANCE, "this document is missing", AGAIN)
    names = about.get("participants")
    for name in names if isinstance(names, list) else ():
        if isinstance(name, str) and NAME.fullmatch(name) and not at.participant(name).is_dir():
            yield Finding("missing", str(at.participant(name)), "", IDENTITY,
                          "the documents of this participant are missing", AGAIN)  # fmt: skip
