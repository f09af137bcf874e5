"""Whether documents can be used by participants of a run: a fault is said before it begins."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from busmark.errors import UserError
from busmark.security import check_documents, check_identities, reading
from busmark.security.directory import Documents
from busmark.security.domains import Domains, covered
from busmark.security.findings import Finding
from busmark.security.profiles import CURVE, DDS

PREVENTS = frozenset({
    "expired", "not-yet-valid", "wrong-authority", "not-an-authority", "wrong-key",
    "wrong-signature", "wrong-subject", "weaker-than-promised",
})  # fmt: skip
"""Findings with which no middleware lets a participant in, or with which a result would say that it
was protected as it was not; others are a matter of taste."""


def check_use(documents: Documents, uses: Iterable[tuple[str, str]], domain: int) -> None:
    """Refuses documents that would fail each round.

    Args:
        uses: participants and profiles.

    Raises:
        UserError: the first fault, in words of `check`; or a file cannot be read, or its passphrase
            is another.
    """
    pairs = sorted({(name, profile) for name, profile in uses if profile != CURVE})
    files = {path for name, profile in pairs for path in _files(documents, name, profile)}
    dds = any(profile in DDS for _, profile in pairs)
    for finding in _findings(documents, dds=dds) if pairs else ():
        if finding.kind in PREVENTS and finding.file in files:
            where = f"{finding.file}, {finding.place}" if finding.place else finding.file
            raise UserError(finding.told, where=where, remedy=finding.remedy)
    for name, profile in pairs:
        if profile in DDS:
            _covers(documents, name, profile, domain)


def _findings(documents: Documents, *, dds: bool) -> Iterator[Finding]:
    now = datetime.now(UTC)
    yield from check_identities.found(documents, now, authority_keys=False)
    if dds:
        yield from check_documents.found(documents, now)


def _files(documents: Documents, name: str, profile: str) -> list[str]:
    found = documents.of(name, profile)
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
    allowed = [each for grant in reading.grants(root, permissions) for rule in grant.rules
               if rule.allows for each in rule.domains]  # fmt: skip
    for path, domains in ((governance, governed), (permissions, allowed)):
        _one(path, domains, domain)


def _one(path: Path, domains: list[Domains], domain: int) -> None:
    if not covered(Domains(domain, domain), domains):
        listed = ", ".join(str(each) for each in domains) or "none"
        raise UserError(
            f"domain {domain} is not covered, but: {listed}",
            where=str(path),
            remedy=f"Set `run.domain` to one of these, or make documents with --domain {domain}.",
        )
