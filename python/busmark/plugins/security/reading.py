"""Documents of any origin as data: certificates, keys, passphrases, governance, permissions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from xml.parsers import expat

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from busmark.errors import UserError, refused
from busmark.files import beginning
from busmark.plugins.security import cms
from busmark.plugins.security.domains import Domains
from busmark.plugins.security.profiles import BASIC_KINDS, KINDS

MOST_BYTES = 1 << 20
BOOLEAN = ("true", "false", "1", "0")
DEFAULTS = ("ALLOW", "DENY")
OF_PAYLOADS = "data_protection_kind"
ENDLESS = (1 << 31) - 1
"""Last domain of a range that names none."""


@dataclass(frozen=True, slots=True)
class Criteria:
    """Topics, and the partitions in which they are allowed or denied; none: whichever."""

    topics: list[Element]
    partitions: list[Element]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: what a grant allows or denies, or what a governance document says of its domains."""

    element: Element
    domains: tuple[Domains, ...]

    @property
    def allows(self) -> bool:
        """Return whether a grant allows this."""
        return self.element.name == "allow_rule"

    def criteria(self, what: str) -> list[Criteria]:
        """Return what is said of each `publish`, or `subscribe`."""
        return [
            Criteria(_within(each, "topics", "topic"), _within(each, "partitions", "partition"))
            for each in self.element.all(what)
        ]

    def topics(self, what: str) -> list[Element]:
        """Return the topics of all `publish`, or `subscribe`."""
        return [topic for criteria in self.criteria(what) for topic in criteria.topics]

    @property
    def topic_rules(self) -> list[Element]:
        """Return what a governance document says of topics: the first that matches one holds."""
        return _within(self.element, "topic_access_rules", "topic_rule")


@dataclass(frozen=True, slots=True)
class Grant:
    """The grant of one subject."""

    element: Element
    subject: str
    not_before: datetime
    not_after: datetime
    rules: tuple[Rule, ...]

    @property
    def default(self) -> str:
        """Return what holds where no rule does: ALLOW or DENY."""
        return self.element.value("default")


def content_of(path: Path) -> bytes:
    """Return a file of bounded size."""
    with refused("cannot be read", path, "Restore it, and make it readable for you."):
        content = beginning(path, MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise UserError(
            "this file is too large",
            where=str(path),
            remedy=f"Documents have {MOST_BYTES} bytes at most.",
        )
    return content


def certificate_of(path: Path) -> x509.Certificate:
    """Return a certificate in PEM."""
    content = content_of(path)
    try:
        found = x509.load_pem_x509_certificate(content)
        # Its parts are read when they are asked for, and only then found to be none.
        found.public_key()
        for name in (found.subject, found.issuer):
            name.rfc4514_string()
        return found
    except Exception as error:
        raise UserError(
            "this is not an X.509 certificate in PEM",
            where=str(path),
            remedy="Restore it, or make the directory again.",
        ) from error


def key_of(path: Path, passphrase: str) -> rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey:
    """Return a private key in PEM."""
    content = content_of(path)
    encrypted = b"ENCRYPTED" in content
    if encrypted and not passphrase:
        raise UserError(
            "this key is encrypted",
            where=str(path),
            remedy="Give its passphrase: --passphrase-file, in a scenario "
            "`security.passphrase_file`.",
        )
    try:
        found = load_pem_private_key(content, passphrase.encode() if encrypted else None)
    except Exception as error:
        what, remedy = "this is not a private key in PEM", "Restore it."
        if encrypted:
            what = "the passphrase is wrong, or the key is damaged"
            remedy = "Give the right passphrase, or restore the key."
        raise UserError(what, where=str(path), remedy=remedy) from error
    if not isinstance(found, rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey):
        raise UserError(
            "DDS Security has no keys of this kind", where=str(path), remedy="Use RSA or ECDSA."
        )
    return found


def signed(path: Path) -> tuple[cms.Message, Element]:
    """Return a signed document, and the root of its XML."""
    message = cms.read(content_of(path), str(path))
    return message, parse(message.text, str(path))


def rules(root: Element, path: Path) -> list[Rule]:
    """Return the rules of a governance document."""
    found = [
        Rule(each, domains(each, path))
        for listed in root.all("domain_access_rules")
        for each in listed.all("domain_rule")
    ]
    if not found:
        raise _invalid("there is no domain_rule", path, root)
    for rule in found:
        for element in (rule.element, *rule.topic_rules):
            for each in element.children:
                _values(each, path)
    return found


def _values(element: Element, path: Path) -> None:
    """Refuse values that vendors refuse: each is spelt as the schema has it."""
    allowed: tuple[str, ...] = ()
    if element.name.startswith(("enable_", "allow_unauthenticated")):
        allowed = BOOLEAN
    elif element.name.endswith("_protection_kind"):
        allowed = BASIC_KINDS if element.name == OF_PAYLOADS else KINDS
    value = element.text.strip()
    if allowed and value not in allowed:
        raise _invalid(
            f"{element.name} is {value!r}, but must be {' or '.join(allowed)}", path, element
        )


def grants(root: Element, path: Path) -> list[Grant]:
    """Return the grants of a permissions document."""
    found = [_grant(each, path) for of in root.all("permissions") for each in of.all("grant")]
    if not found:
        raise _invalid("there is no grant", path, root)
    return found


def _grant(element: Element, path: Path) -> Grant:
    validity, default = element.first("validity"), element.first("default")
    if default is None or default.text.strip() not in DEFAULTS:
        raise _invalid(
            f"the default of this grant must be {' or '.join(DEFAULTS)}", path, default or element
        )
    if validity is None:
        raise _invalid("this grant has no validity", path, element)
    return Grant(
        element,
        element.value("subject_name"),
        _time(validity, "not_before", path),
        _time(validity, "not_after", path),
        tuple(
            Rule(each, domains(each, path))
            for each in element.children
            if each.name in ("allow_rule", "deny_rule")
        ),
    )


def _time(validity: Element, name: str, path: Path) -> datetime:
    try:
        found = datetime.fromisoformat(validity.value(name))
    except ValueError as error:
        raise _invalid(f"{name} is not a time", path, validity) from error
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def domains(element: Element, path: Path) -> tuple[Domains, ...]:
    """Return the domains of a rule."""
    found = []
    for each in (child for of in element.all("domains") for child in of.children):
        first, last = (
            (each.text.strip(), each.text.strip())
            if each.name == "id"
            else (each.value("min", "0"), each.value("max", str(ENDLESS)))
        )
        if not all(text.isascii() and text.isdigit() and len(text) < 11 for text in (first, last)):
            raise _invalid("this is not a domain", path, each)
        found.append(Domains(int(first), int(last)))
    return tuple(found)


def _invalid(message: str, path: Path, element: Element) -> UserError:
    return UserError(
        message,
        where=f"{path}, line {element.line}",
        remedy="Correct the document, and sign it again.",
    )


def _within(element: Element, outer: str, inner: str) -> list[Element]:
    return [each for of in element.all(outer) for each in of.all(inner)]


def texts(elements: Sequence[Element]) -> list[str]:
    """Return the texts of these elements."""
    return [each.text.strip() for each in elements]


def flag(element: Element, name: str) -> bool:
    """Return whether a document says yes."""
    return element.value(name) in ("true", "1")


MOST_DEPTH = 32


@dataclass(slots=True)
class Element:
    """An element with the line on which it begins."""

    name: str
    line: int
    text: str = ""
    children: list[Element] = field(default_factory=list)

    def all(self, name: str) -> list[Element]:
        """Return children of this name."""
        return [each for each in self.children if each.name == name]

    def first(self, name: str) -> Element | None:
        """Return the first child of this name."""
        return next(iter(self.all(name)), None)

    def value(self, name: str, default: str = "") -> str:
        """Return the text of the first child of this name."""
        found = self.first(name)
        return default if found is None else found.text.strip()


def parse(content: bytes, where: str) -> Element:
    """Return the root element."""
    parser = expat.ParserCreate()
    root = Element("", 0)
    path = [root]

    def begin(name: str, _attributes: object) -> None:
        if len(path) > MOST_DEPTH:
            raise _wrong("elements are nested too deep", where, parser.CurrentLineNumber)
        path[-1].children.append(Element(name, parser.CurrentLineNumber))
        path.append(path[-1].children[-1])

    def text(data: str) -> None:
        path[-1].text += data

    def refuse(*_: object) -> None:
        raise _wrong("a document type is not allowed here", where, parser.CurrentLineNumber)

    parser.StartElementHandler = begin
    parser.EndElementHandler = lambda _: path.pop()
    parser.CharacterDataHandler = text
    parser.StartDoctypeDeclHandler = refuse
    parser.buffer_text = True
    try:
        parser.Parse(content, True)
    except (expat.ExpatError, ValueError, LookupError) as error:
        raise _wrong(f"this is not XML: {error}", where, parser.CurrentLineNumber) from error
    return root.children[0]


def _wrong(message: str, where: str, line: int) -> UserError:
    return UserError(
        message,
        where=f"{where}, line {line}",
        remedy="Restore the document, or make the directory again.",
    )


MOST_OF_PASSPHRASE = 1023
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
        line = beginning(path, MOST_OF_PASSPHRASE + 2).partition(b"\n")[0].rstrip(b"\r")
    if not line:
        raise UserError("the passphrase is empty", where=str(path), remedy=REMEDY)
    if len(line) > MOST_OF_PASSPHRASE:
        raise UserError(
            "the passphrase is too long",
            where=str(path),
            remedy=f"Give {MOST_OF_PASSPHRASE} bytes at most.",
        )
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        raise UserError("this is not text in UTF-8", where=str(path), remedy=REMEDY) from error
