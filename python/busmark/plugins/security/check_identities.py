"""Faults of certificates and private keys."""

from __future__ import annotations

import shlex
import stat
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from busmark.plugins.security import reading
from busmark.plugins.security.directory import Documents
from busmark.plugins.security.findings import IDENTITY, PERMISSIONS_CA, Finding

SMALLEST = {"RSA": 2048, "EC": 256}
"""Bits of the two kinds of key that 9.3.1 names."""
BROKEN = (hashes.MD5, hashes.SHA1)
AGAIN = "Make the identity again."
AUTHORITY_AGAIN = "Make the authority again, and all that it has signed: a new directory."


def found(
    documents: Documents, now: datetime, *, dds: bool = True, authority_keys: bool = True
) -> Iterator[Finding]:
    """Return faults of authorities and of participants' identities; `dds`: also of the authority
    that signs permissions, which TLS has not; `authority_keys`: also of the keys that sign."""
    at = documents.layout
    authorities = [(at.identity_ca, at.identity_ca_key, IDENTITY)]
    if dds:
        authorities.append((at.permissions_ca, at.permissions_ca_key, PERMISSIONS_CA))
    for path, key, clause in authorities:
        certificate = reading.certificate_of(path)
        yield from _certificate(path, certificate, clause, now, AUTHORITY_AGAIN)
        yield from _signature(path, certificate, certificate, clause)
        yield from _authority(path, certificate, clause)
        # An authority's key may be kept elsewhere, and better is.
        if authority_keys and key.exists():
            yield from _key(documents, key, certificate, clause)
    authority = reading.certificate_of(at.identity_ca)
    for name in documents.participants:
        path = at.certificate(name)
        certificate = reading.certificate_of(path)
        yield from _certificate(path, certificate, IDENTITY, now)
        yield from _signature(path, certificate, authority, IDENTITY)
        yield from _key(documents, at.key(name), certificate, IDENTITY)


def _certificate(
    path: Path, certificate: x509.Certificate, clause: str, now: datetime, again: str = AGAIN
) -> Iterator[Finding]:
    first, last = certificate.not_valid_before_utc, certificate.not_valid_after_utc
    if now > last:
        yield Finding(
            "expired", str(path), "notAfter", clause, f"expired on {last:%Y-%m-%d %H:%M} UTC", again
        )
    if now < first:
        yield Finding("not-yet-valid", str(path), "notBefore", clause,
                      f"not valid before {first:%Y-%m-%d %H:%M} UTC",
                      "Correct the clock, or make it again.")  # fmt: skip
    key = certificate.public_key()
    kind = {rsa.RSAPublicKey: "RSA", ec.EllipticCurvePublicKey: "EC"}
    name = next((text for each, text in kind.items() if isinstance(key, each)), None)
    size = getattr(key, "key_size", 0)
    if name is None or size < SMALLEST[name]:
        yield Finding("weak-key", str(path), "subjectPublicKeyInfo", clause,
                      f"weak key: {name or 'unknown'}, {size} bits",
                      "Use ECDSA P-256 or RSA-2048.")  # fmt: skip
    if weak := _weak_hash(certificate):
        yield Finding("weak-signature", str(path), "signatureAlgorithm", clause,
                      f"signed by {weak}", "Sign with SHA-256.")  # fmt: skip


def _weak_hash(certificate: x509.Certificate) -> str | None:
    """Return what it is signed by, where that is broken or unknown."""
    try:
        algorithm = certificate.signature_hash_algorithm
    except UnsupportedAlgorithm:
        identifier = certificate.signature_algorithm_oid.dotted_string
        return f"an unknown algorithm, {identifier}"
    return algorithm.name if isinstance(algorithm, BROKEN) else None


def _signature(
    path: Path, certificate: x509.Certificate, authority: x509.Certificate, clause: str
) -> Iterator[Finding]:
    try:
        certificate.verify_directly_issued_by(authority)
    except (InvalidSignature, UnsupportedAlgorithm, ValueError, TypeError):
        yield Finding("wrong-authority", str(path), "signature", clause,
                      f"not signed by {authority.subject.rfc4514_string()}",
                      "Sign it by the authority of this directory.")  # fmt: skip


def _authority(path: Path, certificate: x509.Certificate, clause: str) -> Iterator[Finding]:
    """Return whether it may sign others."""
    try:
        may = certificate.extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    except x509.ExtensionNotFound:
        may = True  # as version 1 of X.509 has none
    except (ValueError, x509.DuplicateExtension, UnsupportedAlgorithm):
        may = False
    if not may:
        yield Finding("not-an-authority", str(path), "basicConstraints", clause,
                      "this certificate may not sign others: it has no CA:TRUE",
                      "Make the authority again, with CA:TRUE.")  # fmt: skip


def _key(
    documents: Documents, path: Path, certificate: x509.Certificate, clause: str
) -> Iterator[Finding]:
    key = reading.key_of(path, documents.passphrase)
    if key.public_key() != certificate.public_key():
        yield Finding("wrong-key", str(path), "", clause,
                      f"not the key of {certificate.subject.rfc4514_string()}",
                      "Restore the key that belongs to the certificate.")  # fmt: skip
    yield from mode(path, IDENTITY)


def mode(path: Path, clause: str) -> Iterator[Finding]:
    """Return whether others may read a private key."""
    rights = stat.S_IMODE(path.stat().st_mode)
    if rights & 0o077:
        yield Finding("open-key", str(path), f"mode {rights:04o}", clause,
                      "others than the owner have rights to this private key",
                      f"chmod 600 {shlex.quote(str(path))}")  # fmt: skip
