"""Faults of keys of CURVE, which DDS Security knows nothing of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from busmark.errors import UserError
from busmark.plugins.security import reading
from busmark.plugins.security.authority import curve_public
from busmark.plugins.security.check_identities import mode
from busmark.plugins.security.directory import Documents
from busmark.plugins.security.findings import CURVE, Finding


def found(documents: Documents, names: Iterable[str] | None = None) -> Iterator[Finding]:
    """Return what is wrong with the keys of these participants, or of each that has them."""
    at = documents.layout
    for name in documents.participants if names is None else sorted(names):
        secret, public = at.curve_secret(name), at.curve_public(name)
        if not secret.exists():
            continue
        yield from mode(secret, CURVE)
        belongs = _public_of(secret)
        if not public.exists() or _text(public) != belongs:
            yield Finding("wrong-key", str(public), "", CURVE,
                          f"not the public key of {secret.name} beside it",
                          "Restore the key pair, or make the directory again.")  # fmt: skip
        # Where the list is missing, no key is accepted.
        accepted = _text(at.curve_allowed).splitlines() if at.curve_allowed.exists() else []
        if belongs not in accepted:
            yield Finding("not-allowed", str(at.curve_allowed), "", CURVE,
                          f"the public key of {name} is not in it: nobody accepts {name}",
                          "Add the key, or make the directory again.")  # fmt: skip


def _public_of(secret: Path) -> str:
    try:
        return curve_public(_text(secret), str(secret))
    except ValueError:
        raise UserError(
            "this is not a key of CURVE", where=str(secret), remedy="A key is 40 characters of Z85."
        ) from None


def _text(path: Path) -> str:
    return reading.content_of(path).decode(errors="replace").strip()
