"""Security documents of a campaign: the user's, or its own, which go with its run directory."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from busmark.adapters import adapter_facts
from busmark.errors import UserError
from busmark.model.parameters import Parameters
from busmark.plan import ANY_RUN, flows, of_run, topics
from busmark.plugins.security import reading
from busmark.plugins.security.authority import handshake_order, order_of
from busmark.plugins.security.checks import Finding, curve_faults, document_faults, identity_faults
from busmark.plugins.security.description import DocumentRequest
from busmark.plugins.security.directory import Documents, create, open_directory
from busmark.plugins.security.domains import Domains, covered
from busmark.plugins.security.profiles import AUTHENTICATION, CURVE, DDS
from busmark.plugins.security.reading import certificate_of, passphrase
from busmark.plugins.security.rights import check_rights
from busmark.plugins.security.section import SecuritySection
from busmark.scenario import Scenario
from busmark.store import Case

FOLDER = "security"
"""Folder of the documents within the run directory."""
VALID_DAYS = 30
"""A campaign is over by then."""


class CampaignDocuments:
    """The documents that participants of a campaign use. Nothing is made or opened unless a case is
    secured."""

    def __init__(self, scenario: Scenario, cases: Iterable[Case], run_dir: Path) -> None:
        self._section: SecuritySection = scenario.of_plugin("security") or SecuritySection()
        self._domain = scenario.run.domain
        self._secured = [case.params for case in cases if case.params.security_profile]
        self._run_dir = run_dir

    def check(self) -> None:
        """Refuse, before the first round, what a later one would need.

        Raises:
            UserError: a participant or profile has no documents, or they cannot be read.
        """
        for params in self._secured:
            for participant in flows(params).participants:
                self.for_participant(params, participant.name)
        if self._section.directory:
            self._check_servers()
            check_use(self._documents, self._uses(), self._domain)
            for params in self._secured:
                self._check_handshakes(params)

    def _uses(self) -> Iterator[Use]:
        for params in self._secured:
            for name, own in topics(of_run(flows(params), ANY_RUN)).items():
                yield Use(
                    name,
                    str(params.security_profile),
                    tuple(sorted(own.written)),
                    tuple(sorted(own.read)),
                )

    def _check_handshakes(self, params: Parameters) -> None:
        """Refuse a pair of vendors whose handshake would be begun by one that must answer it."""
        if params.security_profile not in DDS:
            return
        ends = flows(params).participants
        for each in ends:
            of_release = adapter_facts().get(each.adapter)
            others = [other for other in ends if other.adapter != each.adapter]
            if of_release is None or not of_release.answers_handshakes or not others:
                continue
            first = max(map(self._order, (other.name for other in others)))
            if self._order(each.name) < first:
                raise UserError(
                    f"{of_release.title} would begin the handshake, and other vendors cannot read "
                    "the key that it offers",
                    where=str(self._documents.layout.certificate(each.name)),
                    remedy="Leave out `security.directory`: the run then makes documents in whose "
                    "order it answers. Or measure this pair the other way round.",
                )

    def _order(self, name: str) -> bytes:
        return order_of(certificate_of(self._documents.layout.certificate(name)).subject)

    def _check_servers(self) -> None:
        """Refuse a passphrase where a server takes none: it has the documents of the first
        participant that meets there."""
        for params in self._secured if self._passphrase() else ():
            for each in flows(params).participants:
                of_release = adapter_facts().get(each.adapter)
                served = not dict(each.settings).get("server")
                if of_release and of_release.server_without_passphrase and served:
                    raise UserError(
                        f"the server of {of_release.title} takes no passphrase",
                        where="security.passphrase_file",
                        remedy="Use documents whose private keys are not encrypted, or name a "
                        "server that runs already, by the adapter's option `server`.",
                    )

    def for_participant(self, params: Parameters, participant: str) -> dict[str, Any] | None:
        """Return the documents of a participant, as its worker gets them; None: unsecured."""
        profile = params.security_profile
        if profile is None:
            return None
        name = participant if self._section.directory else self._identity(params, participant)
        found = self._documents.for_participant(name, profile)
        return asdict(found) if found else None

    @cached_property
    def _documents(self) -> Documents:
        if self._section.directory:
            return open_directory(Path(self._section.directory), self._passphrase())
        names = {
            self._identity(params, each.name)
            for params in self._secured
            for each in flows(params).participants
        }
        wanted = DocumentRequest(
            participants=sorted(names),
            domains=(Domains(self._domain, self._domain),),
            days=VALID_DAYS,
        )
        return create(self._run_dir / FOLDER, wanted)

    def _identity(self, params: Parameters, participant: str) -> str:
        """Return a name among documents of the run: the participant's, or one with which it answers
        handshakes."""
        adapters = {each.name: each.adapter for each in flows(params).participants}
        if len(set(adapters.values())) == 1:
            return participant
        of_release = adapter_facts().get(adapters[participant])
        answers = of_release is not None and of_release.answers_handshakes
        return _answering(participant, self._plain_names) if answers else participant

    @cached_property
    def _plain_names(self) -> set[str]:
        return {each.name for params in self._secured for each in flows(params).participants}

    def _passphrase(self) -> str:
        file = self._section.passphrase_file
        try:
            return passphrase(Path(file) if file else None)
        except UserError as error:
            raise UserError(
                error.message, where=f"security.passphrase_file, {error.where}", remedy=error.remedy
            ) from error


def check_directory(scenario: Scenario, cases: Iterable[Case]) -> None:
    """Refuse a directory of the user's that planned cases could not use. Nothing is made.

    Raises:
        UserError: what is wrong with it.
    """
    section = scenario.of_plugin("security")
    if section and section.directory:
        planned = [case for case in cases if case.status == "planned"]
        CampaignDocuments(scenario, planned, Path()).check()


def _answering(name: str, others: Iterable[str]) -> str:
    """Return a name for a participant, made of its own, with which all others begin the
    handshake."""
    last = max(map(handshake_order, others))
    numbered = (f"{name}-{number}" for number in itertools.count(1))
    return next(each for each in numbered if handshake_order(each) > last)


PREVENTS = frozenset(
    {
        "expired",
        "not-yet-valid",
        "wrong-authority",
        "not-an-authority",
        "wrong-key",
        "wrong-signature",
        "wrong-subject",
        "weaker-than-promised",
        "stronger-than-promised",
        "not-allowed",
    }
)
"""Findings with which no middleware lets a participant in, or with which a result would name
another protection than it had; others are a matter of taste."""


@dataclass(frozen=True, slots=True, order=True)
class Use:
    """The purpose for which a participant of a run needs its documents."""

    participant: str
    profile: str
    publish: tuple[str, ...] = ()
    """Topics that the participant writes."""
    subscribe: tuple[str, ...] = ()


def check_use(documents: Documents, uses: Iterable[Use], domain: int) -> None:
    """Refuse documents that would fail each round.

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
        yield from identity_faults(documents, now, dds=dds, authority_keys=False)
    if dds:
        yield from document_faults(documents, now)
    if CURVE in profiles:
        names = {use.participant for use in uses if use.profile == CURVE}
        yield from curve_faults(documents, names)


def _files(documents: Documents, use: Use) -> list[str]:
    found = documents.for_participant(use.participant, use.profile)
    return (
        []
        if found is None
        else [
            found.identity_ca,
            found.certificate,
            found.private_key,
            found.permissions_ca,
            found.governance,
            found.permissions,
        ]
    )


def _covers(documents: Documents, name: str, profile: str, domain: int) -> None:
    governance, permissions = (
        documents.layout.governance(profile),
        documents.layout.permissions(name),
    )
    _, root = reading.signed(governance)
    governed = [each for rule in reading.rules(root, governance) for each in rule.domains]
    _, root = reading.signed(permissions)
    grants = reading.grants(root, permissions)
    allowed = [
        each for grant in grants for rule in grant.rules if rule.allows for each in rule.domains
    ]
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
