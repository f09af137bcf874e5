"""A directory of security documents in words, and as data for JSON."""

from __future__ import annotations

from typing import Any

from cryptography import x509

from busmark.security import reading
from busmark.security.authority import subject_of
from busmark.security.directory import Documents
from busmark.security.profiles import DDS
from busmark.security.reading import Rule, flag, texts
from busmark.security.rights import same_subject

PROTECTED = (
    ("discovery_protection_kind", "discovery"), ("liveliness_protection_kind", "liveliness"),
    ("rtps_protection_kind", "RTPS messages"), ("metadata_protection_kind", "submessages"),
    ("data_protection_kind", "payloads"),
)  # fmt: skip
WORDS = {"SIGN": "signed", "ENCRYPT": "encrypted"}


def explained(documents: Documents) -> dict[str, Any]:
    """What the documents say. Signatures and validity are not judged here."""
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
                "rules": [
                    {
                        "allows": rule.allows,
                        "domains": [str(each) for each in rule.domains],
                        "publish": texts(rule.topics("publish")),
                        "subscribe": texts(rule.topics("subscribe")),
                    }
                    for rule in grant.rules
                ],
            }
            for grant in grants
        ],
    }


def _rule(rule: Rule) -> dict[str, Any]:
    topics = [each for of in rule.element.all("topic_access_rules") for each in of.children]
    sources = (rule.element, *topics)
    protected = {
        name: sorted({WORDS.get(kind.partition("_")[0], kind.lower())
                      for each in sources
                      if (kind := each.value(key).upper()) not in ("", "NONE")})
        for key, name in PROTECTED
    }  # fmt: skip
    return {
        "domains": [str(each) for each in rule.domains],
        "topics": [each.value("topic_expression") for each in topics],
        "strangers_may_join": flag(rule.element, "allow_unauthenticated_participants"),
        "permissions_to_join": flag(rule.element, "enable_join_access_control"),
        "permissions_to_write": any(flag(each, "enable_write_access_control")
                                    for each in topics),
        "permissions_to_read": any(flag(each, "enable_read_access_control")
                                   for each in topics),
        "protected": {name: how for name, how in protected.items() if how},
    }  # fmt: skip


def sentences(about: dict[str, Any]) -> list[str]:
    """The same as lines of text."""
    lines = ["Authorities"]
    for name, each in about["authorities"].items():
        lines.append(f"  {name}: {each['subject']}, until {each['not_after'][:10]}")
    lines.append("Participants")
    for each in about["participants"]:
        own = each["certificate"]
        lines.append(f"  {each['name']}: {own['subject']}, signed by {own['issuer']}, "
                     f"until {own['not_after'][:10]}")  # fmt: skip
        for grant in each["grants"]:
            if not same_subject(grant["subject"], own["subject"]):
                lines.append(f"    a grant for {grant['subject']}, which it is not:")
            lines += _grant_lines(grant)
    lines.append("Profiles")
    for each in about["profiles"]:
        lines.append(f"  {each['profile']}: {each['meaning'] or 'not one of the profiles here'}")
        lines += [f"    {_rule_line(rule)}" for rule in each["rules"]]
    return lines


def _grant_lines(grant: dict[str, Any]) -> list[str]:
    until = f"until {grant['not_after'][:10]}"
    lines = [
        f"    {'may' if rule['allows'] else 'must not'} publish {_listed(rule['publish'])}, "
        f"subscribe to {_listed(rule['subscribe'])}, in domain {_listed(rule['domains'])}, {until}"
        for rule in grant["rules"]
    ]
    rest = "is denied" if grant["default"] == "DENY" else "is allowed"
    return [*lines, f"    everything else {rest}"]


def _rule_line(rule: dict[str, Any]) -> str:
    parts = [f"{name} {' or '.join(how)}" for name, how in rule["protected"].items()]
    parts = parts or ["nothing signed or encrypted"]
    asked = [what for what in ("join", "write", "read") if rule[f"permissions_to_{what}"]]
    parts.append(f"permissions needed to {_listed(asked)}" if asked else "no permissions needed")
    strangers = "may" if rule["strangers_may_join"] else "may not"
    parts.append(f"participants without identity {strangers} join")
    return f"domain {_listed(rule['domains'])}: {'; '.join(parts)}"


def _listed(values: list[str]) -> str:
    return ", ".join(values) or "nothing"
