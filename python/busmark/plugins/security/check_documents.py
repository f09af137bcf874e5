"""Faults of governance and permissions documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from fnmatch import fnmatchcase
from pathlib import Path

from busmark.errors import UserError
from busmark.plugins.security import reading
from busmark.plugins.security.authority import subject_of
from busmark.plugins.security.cms import Message
from busmark.plugins.security.directory import Documents
from busmark.plugins.security.domains import LAST, Domains, covered
from busmark.plugins.security.elements import Element
from busmark.plugins.security.findings import ACCESS, GOVERNANCE, PERMISSIONS, Finding
from busmark.plugins.security.governance import DOMAIN_RULE, TOPIC_RULE
from busmark.plugins.security.profiles import DDS, KINDS, NOTHING
from busmark.plugins.security.reading import Grant, Rule, flag
from busmark.plugins.security.rights import same_subject

UNLIKE = ("a", "Z", "0", "_", "busmark_ping", "rt/chatter", "Sensor-7.temperature", "ß")
"""Names of topics: a pattern that all of them match is taken for one that every topic matches."""
TOPIC = "busmark_ping"
"""One of Busmark's topics: rules for others say nothing of a run."""
OPENS = "allow_unauthenticated_participants"
"""The one key whose `true` protects less."""
ABSENT = "absent"
SIGN_AGAIN = "Correct the document, and sign it again."


def found(documents: Documents, now: datetime) -> Iterator[Finding]:
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
        yield Finding("wrong-signature", str(path), "signature", clause,
                      "not signed by the permissions CA, or changed after it was signed",
                      "Sign the document by the permissions CA.")  # fmt: skip
    beside = path.with_suffix(".xml")
    if beside.exists():
        text = reading.content_of(beside).replace(b"\r\n", b"\n")
        if text.strip() != message.text.strip():
            yield Finding("not-signed-again", str(beside), "", clause,
                          f"differs from what is signed in {path.name}",
                          "Sign it again: only the signed document has an effect.")  # fmt: skip


def _uncovered(
    path: Path, element: Element, wanted: Sequence[Domains], by: Sequence[Domains], clause: str
) -> Iterator[Finding]:
    for each in wanted:
        if not covered(each, by):
            yield Finding("domain-not-covered", str(path), f"line {element.line}", clause,
                          f"domain {each} is not covered", SIGN_AGAIN)  # fmt: skip


def _strangers(path: Path, rule: Rule) -> Iterator[Finding]:
    name = "allow_unauthenticated_participants"
    if flag(rule.element, name):
        line = (rule.element.first(name) or rule.element).line
        yield Finding("strangers-allowed", str(path), f"line {line}", GOVERNANCE,
                      "participants without an identity may join", SIGN_AGAIN)  # fmt: skip


def _subject(path: Path, root: Element, grants: Sequence[Grant], subject: str) -> Iterator[Finding]:
    if not any(same_subject(grant.subject, subject) for grant in grants):
        line = next((each.element.line for each in grants), root.line)
        yield Finding("wrong-subject", str(path), f"line {line}", PERMISSIONS,
                      f"no grant is for {subject}, the subject of the certificate",
                      SIGN_AGAIN)  # fmt: skip


def _grant(path: Path, grant: Grant, now: datetime) -> Iterator[Finding]:
    place = f"line {grant.element.line}"
    if now > grant.not_after:
        yield Finding("expired", str(path), place, PERMISSIONS,
                      f"permissions expired on {grant.not_after:%Y-%m-%d %H:%M} UTC",
                      SIGN_AGAIN)  # fmt: skip
    if now < grant.not_before:
        yield Finding("not-yet-valid", str(path), place, PERMISSIONS,
                      f"permissions are not valid before {grant.not_before:%Y-%m-%d %H:%M} UTC",
                      "Correct the clock, or sign the document again.")  # fmt: skip
    if grant.default != "DENY":
        line = (grant.element.first("default") or grant.element).line
        yield Finding("default-allow", str(path), f"line {line}", PERMISSIONS,
                      "what no rule names is allowed", SIGN_AGAIN)  # fmt: skip
    for rule in grant.rules:
        if rule.allows:
            yield from _broad(path, rule)


def _broad(path: Path, rule: Rule) -> Iterator[Finding]:
    """Rules that allow everything."""
    if covered(Domains(0, LAST), rule.domains):
        yield Finding("all-domains", str(path), f"line {rule.element.line}", ACCESS,
                      "every domain is allowed", SIGN_AGAIN)  # fmt: skip
    for what in ("publish", "subscribe"):
        for topic in rule.topics(what):
            if all(fnmatchcase(name, topic.text.strip()) for name in UNLIKE):
                yield Finding("all-topics", str(path), f"line {topic.line}", ACCESS,
                              f"every topic is allowed: {what}", SIGN_AGAIN)  # fmt: skip


def _unlike_promised(path: Path, rules: Sequence[Rule]) -> Iterator[Finding]:
    """Return where a governance document protects less, or more, than the profile of its name: a
    result says that a case has run with that profile."""
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
