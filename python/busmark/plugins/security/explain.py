"""A directory of security documents in words, and as data for JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cryptography import x509

from busmark.plugins.security import reading
from busmark.plugins.security.authority import subject_of
from busmark.plugins.security.directory import Documents
from busmark.plugins.security.profiles import DDS
from busmark.plugins.security.reading import Element, Rule, flag, texts
from busmark.plugins.security.rights import same_subject

OF_DOMAIN = (
    ("discovery_protection_kind", "discovery"),
    ("liveliness_protection_kind", "liveliness"),
    ("rtps_protection_kind", "RTPS messages"),
)
OF_TOPIC = (("metadata_protection_kind", "submessages"), ("data_protection_kind", "payloads"))
"""Kinds of protection in governance documents, and the words for what they protect."""
WORDS = {"SIGN": "signed", "ENCRYPT": "encrypted"}


def explained(documents: Documents) -> dict[str, Any]:
    """Return what the documents say. Signatures and validity are not judged here."""
    at = documents.layout
    files = sorted(at.governance_folder.glob("*.p7s"))
    order = {name: index for index, name in enumerate(DDS)}
    files.sort(key=lambda path: order.get(path.stem, len(order)))
    return {
        "directory": str(documents.directory),
        "authorities": {
            "identity": _certificate(reading.certificate_of(at.identity_ca)),
            "permissions": _certificate(reading.certificate_of(at.permissions_ca)),
        },
        "participants": [_participant(documents, name) for name in documents.participants],
        "profiles": [
            {
                "profile": path.stem,
                "meaning": DDS[path.stem].explanation if path.stem in DDS else None,
                "rules": [_rule(each) for each in reading.rules(reading.signed(path)[1], path)],
            }
            for path in files
        ],
    }


def _certificate(certificate: x509.Certificate) -> dict[str, str]:
    return {
        "subject": subject_of(certificate),
        "issuer": certificate.issuer.rfc4514_string(),
        "not_before": certificate.not_valid_before_utc.isoformat(),
        "not_after": certificate.not_valid_after_utc.isoformat(),
    }


def _participant(documents: Documents, name: str) -> dict[str, Any]:
    at = documents.layout
    path = at.permissions(name)
    grants = reading.grants(reading.signed(path)[1], path)
    return {
        "name": name,
        "certificate": _certificate(reading.certificate_of(at.certificate(name))),
        "grants": [
            {
                "subject": grant.subject,
                "not_before": grant.not_before.isoformat(),
                "not_after": grant.not_after.isoformat(),
                "default": grant.default,
                "rules": [_permission(rule) for rule in grant.rules],
            }
            for grant in grants
        ],
    }


def _permission(rule: Rule) -> dict[str, Any]:
    """Return what a rule of a grant allows or denies."""
    return {
        "allows": rule.allows,
        "domains": [str(each) for each in rule.domains],
        "publish": _criteria(rule, "publish"),
        "subscribe": _criteria(rule, "subscribe"),
    }


def _criteria(rule: Rule, what: str) -> list[dict[str, list[str]]]:
    return [
        {"topics": texts(each.topics), "partitions": texts(each.partitions)}
        for each in rule.criteria(what)
    ]


def _rule(rule: Rule) -> dict[str, Any]:
    """Return what holds in domains, and for topics: the first that matches holds for each."""
    return {
        "domains": [str(each) for each in rule.domains],
        "strangers_may_join": flag(rule.element, "allow_unauthenticated_participants"),
        "permissions_to_join": flag(rule.element, "enable_join_access_control"),
        "protected": _protected(rule.element, OF_DOMAIN),
        "topics": [
            {
                "topic": each.value("topic_expression"),
                "permissions_to_write": flag(each, "enable_write_access_control"),
                "permissions_to_read": flag(each, "enable_read_access_control"),
                "protected": _protected(each, OF_TOPIC),
            }
            for each in rule.topic_rules
        ],
    }


def _protected(element: Element, kinds: Sequence[tuple[str, str]]) -> dict[str, str]:
    return {
        name: f"{WORDS[kind]}{' for each receiver' if more else ''}"
        for key, name in kinds
        for kind, _, more in [element.value(key).partition("_")]
        if kind in WORDS
    }


def sentences(about: dict[str, Any]) -> list[str]:
    """Return the same as lines of text."""
    lines = ["Authorities"]
    for name, each in about["authorities"].items():
        lines.append(f"  {name}: {each['subject']}, until {each['not_after'][:10]}")
    lines.append("Participants")
    for each in about["participants"]:
        own = each["certificate"]
        lines.append(
            f"  {each['name']}: {own['subject']}, signed by {own['issuer']}, "
            f"until {own['not_after'][:10]}"
        )
        for grant in each["grants"]:
            if not same_subject(grant["subject"], own["subject"]):
                lines.append(f"    a grant for {grant['subject']}, which it is not:")
            lines += _grant_lines(grant)
    lines.append("Profiles")
    for each in about["profiles"]:
        lines.append(f"  {each['profile']}: {each['meaning'] or 'not one of the profiles here'}")
        lines += [f"    {line}" for rule in each["rules"] for line in _rule_lines(rule)]
    return lines


def _grant_lines(grant: dict[str, Any]) -> list[str]:
    until = f"until {grant['not_after'][:10]}"
    lines = [
        f"    {'may' if rule['allows'] else 'must not'} {_done(rule)}, "
        f"in domain {_listed(rule['domains'])}, {until}"
        for rule in grant["rules"]
    ]
    rest = "is denied" if grant["default"] == "DENY" else "is allowed"
    return [*lines, f"    everything else {rest}"]


def _done(rule: dict[str, Any]) -> str:
    lines = []
    for what, word in (("publish", "publish"), ("subscribe", "subscribe to")):
        for each in rule[what]:
            partitions = each["partitions"]
            within = f" in partition {_listed(partitions)}" if partitions else ""
            lines.append(f"{word} {_listed(each['topics'])}{within}")
    return ", ".join(lines) or "do anything that a topic is needed for"


def _rule_lines(rule: dict[str, Any]) -> list[str]:
    parts = [f"{name} {how}" for name, how in rule["protected"].items()]
    needed = "needed" if rule["permissions_to_join"] else "not needed"
    parts.append(f"permissions {needed} to join")
    strangers = "may" if rule["strangers_may_join"] else "may not"
    parts.append(f"participants without identity {strangers} join")
    lines = [f"domain {_listed(rule['domains'])}: {'; '.join(parts)}"]
    for each in rule["topics"]:
        parts = [f"{name} {how}" for name, how in each["protected"].items()]
        parts = parts or ["nothing signed or encrypted"]
        asked = [what for what in ("write", "read") if each[f"permissions_to_{what}"]]
        parts.append(
            f"permissions needed to {_listed(asked)}" if asked else "no permissions needed"
        )
        lines.append(f"  topic {each['topic']}: {'; '.join(parts)}")
    return lines


def _listed(values: list[str]) -> str:
    return ", ".join(values) or "nothing"
