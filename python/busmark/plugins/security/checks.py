"""Faults of a directory of security documents: what is missing, certificates and private keys,
governance and permissions, and keys of CURVE, which DDS Security knows nothing of."""

from __future__ import annotations

import shlex
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from pathlib import Path

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from busmark.errors import UserError
from busmark.plan import ANY_RUN
from busmark.plugins.security import reading
from busmark.plugins.security.authority import curve_public, subject_of
from busmark.plugins.security.cms import Message
from busmark.plugins.security.description import NAME
from busmark.plugins.security.directory import Documents
from busmark.plugins.security.domains import LAST, Domains, covered
from busmark.plugins.security.profiles import DDS, DOMAIN_RULE, KINDS, NOTHING, TOPIC_RULE
from busmark.plugins.security.reading import Element, Grant, Rule, flag
from busmark.plugins.security.rights import same_subject

IDENTITY = "9.3.1"
"""Clause of DDS Security 1.1 on identities, their authority and keys."""
PERMISSIONS_CA = "9.4.1.1"
GOVERNANCE = "9.4.1.2"
PERMISSIONS = "9.4.1.3"
ACCESS = "8.4.1"
"""Clause on access control."""
CURVE = ""
"""No clause: keys of CURVE are ZeroMQ's."""

AGAIN = "Restore it, or make the directory again."


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault, where it is, and which clause of DDS Security 1.1 is about it; "" where none is."""

    kind: str
    file: str
    place: str
    """Place within the file; its line where there is one."""
    clause: str
    problem: str
    remedy: str

    def __str__(self) -> str:
        where = f"{self.file}, {self.place}" if self.place else self.file
        return f"{where}: {self.text}\n  {self.remedy}"

    @property
    def text(self) -> str:
        """The fault with its clause."""
        return f"{self.problem} (DDS Security 1.1, {self.clause})" if self.clause else self.problem


def check(documents: Documents, now: datetime | None = None) -> list[Finding]:
    """Return the faults; a file that cannot be read is a UserError."""
    now, at = now or datetime.now(UTC), documents.layout
    missing = list(_missing(documents))
    # A directory of keys of CURVE alone, or of certificates alone for TLS, has no fault.
    dds = at.permissions_ca.exists() or any(at.governance_folder.glob("*.p7s"))
    identities = dds or at.identity_ca.exists()
    return [
        *missing,
        *(identity_faults(documents, now, dds=dds) if identities else ()),
        *(document_faults(documents, now) if dds else ()),
        *curve_faults(documents),
    ]


def _missing(documents: Documents) -> Iterator[Finding]:
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
            yield Finding(
                "missing",
                str(at.participant(name)),
                "",
                IDENTITY,
                "the documents of this participant are missing",
                AGAIN,
            )
            continue
        for path in (at.curve_secret(name), at.curve_public(name)):
            if not path.exists():
                yield Finding("missing", str(path), "", CURVE, "this key is missing", AGAIN)
    if not at.curve_allowed.exists():
        yield Finding("missing", str(at.curve_allowed), "", CURVE, "this list is missing", AGAIN)


SMALLEST = {"RSA": 2048, "EC": 256}
"""Bits of the two kinds of key that 9.3.1 names."""
BROKEN = (hashes.MD5, hashes.SHA1)
IDENTITY_AGAIN = "Make the identity again."
AUTHORITY_AGAIN = "Make the authority again, and all that it has signed: a new directory."


def identity_faults(
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
        yield from _issuer(path, certificate, certificate, clause)
        yield from _authority(path, certificate, clause)
        # An authority's key may be kept elsewhere, and better is.
        if authority_keys and key.exists():
            yield from _key(documents, key, certificate, clause)
    authority = reading.certificate_of(at.identity_ca)
    for name in documents.participants:
        path = at.certificate(name)
        certificate = reading.certificate_of(path)
        yield from _certificate(path, certificate, IDENTITY, now)
        yield from _issuer(path, certificate, authority, IDENTITY)
        yield from _key(documents, at.key(name), certificate, IDENTITY)


def _certificate(
    path: Path,
    certificate: x509.Certificate,
    clause: str,
    now: datetime,
    again: str = IDENTITY_AGAIN,
) -> Iterator[Finding]:
    first, last = certificate.not_valid_before_utc, certificate.not_valid_after_utc
    if now > last:
        yield Finding(
            "expired", str(path), "notAfter", clause, f"expired on {last:%Y-%m-%d %H:%M} UTC", again
        )
    if now < first:
        yield Finding(
            "not-yet-valid",
            str(path),
            "notBefore",
            clause,
            f"not valid before {first:%Y-%m-%d %H:%M} UTC",
            "Correct the clock, or make it again.",
        )
    key = certificate.public_key()
    kind = {rsa.RSAPublicKey: "RSA", ec.EllipticCurvePublicKey: "EC"}
    name = next((text for each, text in kind.items() if isinstance(key, each)), None)
    size = getattr(key, "key_size", 0)
    if name is None or size < SMALLEST[name]:
        yield Finding(
            "weak-key",
            str(path),
            "subjectPublicKeyInfo",
            clause,
            f"weak key: {name or 'unknown'}, {size} bits",
            "Use ECDSA P-256 or RSA-2048.",
        )
    if weak := _weak_hash(certificate):
        yield Finding(
            "weak-signature",
            str(path),
            "signatureAlgorithm",
            clause,
            f"signed by {weak}",
            "Sign with SHA-256.",
        )


def _weak_hash(certificate: x509.Certificate) -> str | None:
    """Return what it is signed by, where that is broken or unknown."""
    try:
        algorithm = certificate.signature_hash_algorithm
    except UnsupportedAlgorithm:
        identifier = certificate.signature_algorithm_oid.dotted_string
        return f"an unknown algorithm, {identifier}"
    return algorithm.name if isinstance(algorithm, BROKEN) else None


def _issuer(
    path: Path, certificate: x509.Certificate, authority: x509.Certificate, clause: str
) -> Iterator[Finding]:
    try:
        certificate.verify_directly_issued_by(authority)
    except (InvalidSignature, UnsupportedAlgorithm, ValueError, TypeError):
        yield Finding(
            "wrong-authority",
            str(path),
            "signature",
            clause,
            f"not signed by {authority.subject.rfc4514_string()}",
            "Sign it by the authority of this directory.",
        )


def _authority(path: Path, certificate: x509.Certificate, clause: str) -> Iterator[Finding]:
    """Return whether it may sign others."""
    try:
        may = certificate.extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    except x509.ExtensionNotFound:
        may = True  # as version 1 of X.509 has none
    except (ValueError, x509.DuplicateExtension, UnsupportedAlgorithm):
        may = False
    if not may:
        yield Finding(
            "not-an-authority",
            str(path),
            "basicConstraints",
            clause,
            "this certificate may not sign others: it has no CA:TRUE",
            "Make the authority again, with CA:TRUE.",
        )


def _key(
    documents: Documents, path: Path, certificate: x509.Certificate, clause: str
) -> Iterator[Finding]:
    key = reading.key_of(path, documents.passphrase)
    if key.public_key() != certificate.public_key():
        yield Finding(
            "wrong-key",
            str(path),
            "",
            clause,
            f"not the key of {certificate.subject.rfc4514_string()}",
            "Restore the key that belongs to the certificate.",
        )
    yield from _mode(path, IDENTITY)


def _mode(path: Path, clause: str) -> Iterator[Finding]:
    """Yield a finding where others than the owner have rights to a private key."""
    rights = stat.S_IMODE(path.stat().st_mode)
    if rights & 0o077:
        yield Finding(
            "open-key",
            str(path),
            f"mode {rights:04o}",
            clause,
            "others than the owner have rights to this private key",
            f"chmod 600 {shlex.quote(str(path))}",
        )


UNLIKE = ("a", "Z", "0", "_", "busmark_ping", "rt/chatter", "Sensor-7.temperature", "ß")
"""Names of topics: a pattern that all of them match is taken for one that every topic matches."""
TOPIC = f"busmark_ping_{ANY_RUN}"
"""One of Busmark's topics: rules for others say nothing of a run."""
OPENS = "allow_unauthenticated_participants"
"""Key of a governance document whose `true` protects less than `false`."""
ABSENT = "absent"
SIGN_AGAIN = "Correct the document, and sign it again."


def document_faults(documents: Documents, now: datetime) -> Iterator[Finding]:
    """Return faults of all signed documents."""
    at = documents.layout
    files = sorted(at.governance_folder.glob("*.p7s"))
    if not files:
        raise UserError(
            "there is no signed governance document",
            where=str(at.governance_folder),
            remedy="Make the directory again.",
        )
    asked = _asked(documents)
    governed: list[Domains] = []
    for path in files:
        message, root = reading.signed(path)
        yield from _signature(documents, path, message, GOVERNANCE)
        rules = reading.rules(root, path)
        own = [each for rule in rules for each in rule.domains]
        governed += own
        yield from _uncovered(path, root, asked, own, GOVERNANCE)
        yield from _unlike_promised(path, rules)
        for rule in rules:
            yield from _strangers(path, rule)
    for name in documents.participants:
        path = at.permissions(name)
        message, root = reading.signed(path)
        yield from _signature(documents, path, message, PERMISSIONS)
        grants = reading.grants(root, path)
        subject = subject_of(reading.certificate_of(at.certificate(name)))
        yield from _subject(path, root, grants, subject)
        for grant in grants:
            yield from _grant(path, grant, now)
            own = [each for rule in grant.rules if rule.allows for each in rule.domains]
            yield from _uncovered(path, grant.element, asked, own, PERMISSIONS)
            yield from _uncovered(path, grant.element, own, governed, GOVERNANCE)


def _asked(documents: Documents) -> list[Domains]:
    """Return domains for which the directory was made; none where it does not say."""
    listed = documents.about.get("domains", [])
    if not isinstance(listed, list):
        listed = [listed]
    try:
        return [Domains.parse(str(each)) for each in listed]
    except UserError as error:
        raise UserError(
            error.message, where=str(documents.layout.description), remedy=error.remedy
        ) from error


def _signature(
    documents: Documents, path: Path, message: Message, clause: str
) -> Iterator[Finding]:
    if not message.by(reading.certificate_of(documents.layout.permissions_ca)):
        yield Finding(
            "wrong-signature",
            str(path),
            "signature",
            clause,
            "not signed by the permissions CA, or changed after it was signed",
            "Sign the document by the permissions CA.",
        )
    beside = path.with_suffix(".xml")
    if beside.exists():
        text = reading.content_of(beside).replace(b"\r\n", b"\n")
        if text.strip() != message.text.strip():
            yield Finding(
                "not-signed-again",
                str(beside),
                "",
                clause,
                f"differs from what is signed in {path.name}",
                "Sign it again: only the signed document has an effect.",
            )


def _uncovered(
    path: Path, element: Element, wanted: Sequence[Domains], by: Sequence[Domains], clause: str
) -> Iterator[Finding]:
    for each in wanted:
        if not covered(each, by):
            yield Finding(
                "domain-not-covered",
                str(path),
                f"line {element.line}",
                clause,
                f"domain {each} is not covered",
                SIGN_AGAIN,
            )


def _strangers(path: Path, rule: Rule) -> Iterator[Finding]:
    name = "allow_unauthenticated_participants"
    if flag(rule.element, name):
        line = (rule.element.first(name) or rule.element).line
        yield Finding(
            "strangers-allowed",
            str(path),
            f"line {line}",
            GOVERNANCE,
            "participants without an identity may join",
            SIGN_AGAIN,
        )


def _subject(path: Path, root: Element, grants: Sequence[Grant], subject: str) -> Iterator[Finding]:
    if not any(same_subject(grant.subject, subject) for grant in grants):
        line = next((each.element.line for each in grants), root.line)
        yield Finding(
            "wrong-subject",
            str(path),
            f"line {line}",
            PERMISSIONS,
            f"no grant is for {subject}, the subject of the certificate",
            SIGN_AGAIN,
        )


def _grant(path: Path, grant: Grant, now: datetime) -> Iterator[Finding]:
    place = f"line {grant.element.line}"
    if now > grant.not_after:
        yield Finding(
            "expired",
            str(path),
            place,
            PERMISSIONS,
            f"permissions expired on {grant.not_after:%Y-%m-%d %H:%M} UTC",
            SIGN_AGAIN,
        )
    if now < grant.not_before:
        yield Finding(
            "not-yet-valid",
            str(path),
            place,
            PERMISSIONS,
            f"permissions are not valid before {grant.not_before:%Y-%m-%d %H:%M} UTC",
            "Correct the clock, or sign the document again.",
        )
    if grant.default != "DENY":
        line = (grant.element.first("default") or grant.element).line
        yield Finding(
            "default-allow",
            str(path),
            f"line {line}",
            PERMISSIONS,
            "what no rule names is allowed",
            SIGN_AGAIN,
        )
    for rule in grant.rules:
        if rule.allows:
            yield from _broad(path, rule)


def _broad(path: Path, rule: Rule) -> Iterator[Finding]:
    """Yield findings where a rule allows every domain or every topic."""
    if covered(Domains(0, LAST), rule.domains):
        yield Finding(
            "all-domains",
            str(path),
            f"line {rule.element.line}",
            ACCESS,
            "every domain is allowed",
            SIGN_AGAIN,
        )
    for what in ("publish", "subscribe"):
        for topic in rule.topics(what):
            if all(fnmatchcase(name, topic.text.strip()) for name in UNLIKE):
                yield Finding(
                    "all-topics",
                    str(path),
                    f"line {topic.line}",
                    ACCESS,
                    f"every topic is allowed: {what}",
                    SIGN_AGAIN,
                )


def _unlike_promised(path: Path, rules: Sequence[Rule]) -> Iterator[Finding]:
    """Yield findings where a governance document protects less, or more, than the profile of its
    name: a result says that a case has run with that profile."""
    if path.stem not in DDS:
        return
    for rule in rules:
        yield from _differing(path, rule.element, rule.element, DOMAIN_RULE)
        # The first that is about Busmark's topics holds.
        matching = (e for e in rule.topic_rules if fnmatchcase(TOPIC, e.value("topic_expression")))
        yield from _differing(path, rule.element, next(matching, None), TOPIC_RULE)


def _differing(
    path: Path, rule: Element, element: Element | None, keys: Sequence[str]
) -> Iterator[Finding]:
    for key in keys:
        promised = getattr(DDS[path.stem].governance, key)
        said = element.value(key) if element else ""
        actual: bool | str
        if isinstance(promised, bool):
            actual = element is not None and flag(element, key)
            less = actual == (key == OPENS)
        else:
            actual = said or NOTHING
            less = KINDS.index(actual) < KINDS.index(promised)
        if actual != promised:
            word = str(promised).lower() if isinstance(promised, bool) else promised
            line = ((element and element.first(key)) or element or rule).line
            yield Finding(
                f"{'weaker' if less else 'stronger'}-than-promised",
                str(path),
                f"line {line}",
                GOVERNANCE,
                f"{key} is {said or ABSENT}, but profile {path.stem} has {word}",
                "Sign a document that protects as the profile does, or give it another name.",
            )


def curve_faults(documents: Documents, names: Iterable[str] | None = None) -> Iterator[Finding]:
    """Return what is wrong with the keys of these participants, or of each that has them."""
    at = documents.layout
    for name in documents.participants if names is None else sorted(names):
        secret, public = at.curve_secret(name), at.curve_public(name)
        if not secret.exists():
            continue
        yield from _mode(secret, CURVE)
        belongs = _public_of(secret)
        if not public.exists() or _text(public) != belongs:
            yield Finding(
                "wrong-key",
                str(public),
                "",
                CURVE,
                f"not the public key of {secret.name} beside it",
                "Restore the key pair, or make the directory again.",
            )
        # Where the list is missing, no key is accepted.
        accepted = _text(at.curve_allowed).splitlines() if at.curve_allowed.exists() else []
        if belongs not in accepted:
            yield Finding(
                "not-allowed",
                str(at.curve_allowed),
                "",
                CURVE,
                f"the public key of {name} is not in it: nobody accepts {name}",
                "Add the key, or make the directory again.",
            )


def _public_of(secret: Path) -> str:
    try:
        return curve_public(_text(secret), str(secret))
    except ValueError:
        raise UserError(
            "this is not a key of CURVE", where=str(secret), remedy="A key is 40 characters of Z85."
        ) from None


def _text(path: Path) -> str:
    return reading.content_of(path).decode(errors="replace").strip()
