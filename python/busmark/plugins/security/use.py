"""Whether documents can be used by participants of a run: a fault is said before it begins."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from busmark.errors import UserError
from busmark.plugins.security import check_curve, check_documents, check_identities, reading
from busmark.plugins.security.directory import Documents
from busmark.plugins.security.domains import Domains, covered
from busmark.plugins.security.findings import Finding
from busmark.plugins.security.profiles import AUTHENTICATION, CURVE, DDS
from busmark.plugins.security.rights import check_rights

PREVENTS = frozenset({
    "expired", "not-yet-valid", "wrong-authority", "not-an-authority", "wrong-key",
    "wrong-signature", "wrong-subject", "weaker-than-promised", "stronger-than-promised",
    "not-allowed",
})  # fmt: skip
"""Findings with which no middleware lets a participant in, or with which a result would name
another protection than it had; others are a matter of taste."""


@dataclass(frozen=True, slots=True, order=True)
class Use:
    """What a participant of a run needs its documents for."""

    participant: str
    profile: str
    publish: tuple[str, ...] = ()
    """Topics."""
    subscribe: tuple[str, ...] = ()


def check_use(documents: Documents, uses: Iterable[Use], domain: int) -> None:
    """Refuses documents that would fail each round.

    Raises:
        UserError: the first fault, in words of `check`; or a file cannot be read, or its passphrase
            is another.
    """
    uses = sorted(set(uses))
    files = {path for use in uses for path in _files(documents, use)}
    for finding in _findings(documents, uses):
        if finding.kind in PREVENTS and finding.file in files:
            where = f"{finding.file}, {finding.place}" if finding.place else finding.file
            raise UserError(finding.text, where=where, remedy=finding.remedy)
    for use in uses:
        if use.profile not in DDS:
            continue
        _covers(documents, use.participant, use.profile, domain)
        if use.profile != AUTHENTICATION:
            topics = {"publish": use.publish, "subscribe": use.subscribe}
            check_rights(documents, use.participant, domain, topics)


def _findings(documents: Documents, uses: list[Use]) -> Iterator[Finding]:
    now = datetime.now(UTC)
    profiles = {use.profile for use in uses}
    dds = bool(profiles & set(DDS))
    if profiles - {CURVE}:
        yield from check_identities.found(documents, now, dds=dds, authority_keys=False)
    if dds:
        yield from check_documents.found(documents, now)
    if CURVE in profiles:
        names = {use.participant for use in uses if use.profile == CURVE}
        yield from check_curve.found(documents, names)


def _files(documents: Documents, use: Use) -> list[str]:
    found = documents.of(use.participant, use.profile)
    return [] if found is None else [
        found.identity_ca, found.certificate, found.private_key, found.permissions_ca,
        found.governance, found.permissions,
    ]  # fmt: skip


def _covers(documents: Documents, name: str, profile: str, domain: int) -> None:
    governance, permissions = (
        documents.layout.governance(profile), documents.layout.permissions(name),
    )  # fmt: skip
    _, root = reading.signed(governance)
    governed = [each for rule in reading.rules(root, governance) for each in rule.domains]
    _, root = reading.signed(permissions)
    grants = reading.grants(root, permissions)
    allowed = [each for grant in grants for rule in grant.rules
               if rule.allows for each in rule.domains]  # fmt: skip
    _one(governance, governed, domain)
    # What a default allows, it allows in every domain.
    if allowed or not any(grant.default == "ALLOW" for grant in grants):
        _one(permissions, allowed, domain)


def _one(path: Path, domains: list[Domains], domain: int) -> None:
    if not covered(Domains(domain, domain), domains):
        listed = ", ".join(str(each) for each in domains)
        is_not = f"domain {domain} is not covered"
        raise UserError(
            f"{is_not}; covered are: {listed}" if listed else f"{is_not}, nor is any other",
            where=str(path),
            remedy=f"Make documents with --domain {domain}"
            + (", or set `run.domain` to one of these." if listed else "."),
        )
