"""A directory of security documents: made, opened, and what of it belongs to a participant."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from busmark import files
from busmark.errors import UserError, nearest, refused
from busmark.plugins.security import authority, cms, description
from busmark.plugins.security import domains as numbers
from busmark.plugins.security.authority import SignedCertificate, Validity
from busmark.plugins.security.description import DocumentRequest
from busmark.plugins.security.domains import Domains
from busmark.plugins.security.profiles import CURVE, DDS, NONE, PROFILES, governance
from busmark.temporary import made_beside

BACKDATED = timedelta(days=1)
"""Clocks differ, and some vendors read times of permissions in the zone of the machine."""


@dataclass(frozen=True, slots=True)
class ParticipantDocuments:
    """The fields of `busmark_security_t`; "" where the profile has no such document."""

    profile: str
    identity_ca: str
    certificate: str
    private_key: str
    password: str = ""
    permissions_ca: str = ""
    governance: str = ""
    permissions: str = ""

    def __repr__(self) -> str:
        """Return the text of these documents without the password."""
        return f"ParticipantDocuments({self.profile!r}, {self.certificate!r})"


@dataclass(frozen=True, slots=True)
class Documents:
    """An opened directory."""

    directory: Path
    passphrase: str
    about: dict[str, Any]
    """Contents of `security.toml`; empty where there is none."""

    def __repr__(self) -> str:
        """Return the text of this directory without the passphrase."""
        return f"Documents({str(self.directory)!r})"

    @property
    def layout(self) -> Layout:
        """Layout of its documents."""
        return Layout(self.directory)

    @property
    def participants(self) -> list[str]:
        """Return who has a folder, in alphabetical order."""
        folder = self.layout.participants
        return sorted(each.name for each in folder.iterdir() if each.is_dir())

    def for_participant(self, participant: str, profile: str) -> ParticipantDocuments | None:
        """Return a participant's documents for a profile; None for `none`."""
        if profile not in PROFILES:
            message = f"no security profile {profile!r}. {nearest(profile, PROFILES)}"
            raise UserError(message.rstrip(), remedy=f"Profiles are: {', '.join(PROFILES)}.")
        if profile == NONE:
            return None
        if participant not in self.participants:
            raise UserError(
                f"no participant {participant!r}",
                where=str(self.directory),
                remedy="Make documents with --participant for it.",
            )
        at = self.layout
        if profile == CURVE:
            found = ParticipantDocuments(
                CURVE,
                str(at.curve_allowed),
                str(at.curve_public(participant)),
                str(at.curve_secret(participant)),
            )
        else:
            found = ParticipantDocuments(
                profile,
                str(at.identity_ca),
                str(at.certificate(participant)),
                str(at.key(participant)),
                self.passphrase,
                *(
                    (
                        str(at.permissions_ca),
                        str(at.governance(profile)),
                        str(at.permissions(participant)),
                    )
                    if profile in DDS
                    else ()
                ),
            )
        _all_there(found)
        return found


def _all_there(documents: ParticipantDocuments) -> None:
    for name in (
        "identity_ca",
        "certificate",
        "private_key",
        "permissions_ca",
        "governance",
        "permissions",
    ):
        path = getattr(documents, name)
        if path and not os.access(path, os.R_OK):
            raise UserError(
                f"this file of profile {documents.profile} is missing or not readable",
                where=path,
                remedy="Restore it, or make the directory again; "
                "`busmark security check DIR` names all that is missing.",
            )


def open_directory(directory: Path, passphrase: str = "") -> Documents:
    """Open a directory that `create`, or another tool, has made."""
    directory = directory.absolute()
    try:
        os.listdir(directory)
        os.listdir(Layout(directory).participants)
    except OSError as error:
        raise UserError(
            f"cannot be read: {error.strerror or error}",
            where=str(error.filename),
            remedy="Make security documents with `busmark security init DIR`.",
        ) from error
    return Documents(directory, passphrase, description.read(Layout(directory).description))


def create(directory: Path, wanted: DocumentRequest) -> Documents:
    """Make a directory of documents, which appears whole or not at all."""
    wanted.check()
    directory = directory.absolute()
    _refuse_existing(directory)
    with ExitStack() as stack:
        with refused("cannot be made", directory, "Name a directory that can be made."):
            beside = stack.enter_context(made_beside(directory.parent))
            beside.mkdir(PRIVATE_FOLDER)
        with refused("cannot be written", directory, "Look for room on the disk, and for rights."):
            _write_all(Layout(beside), wanted)
            _refuse_existing(directory)
            beside.rename(directory)
    return open_directory(directory, wanted.passphrase)


def _refuse_existing(directory: Path) -> None:
    if os.path.lexists(directory):
        raise UserError(
            "this exists already, and keys are never overwritten",
            where=str(directory),
            remedy="Name a new directory.",
        )


def _write_all(at: Layout, wanted: DocumentRequest) -> None:
    now = datetime.now(UTC).replace(microsecond=0)
    validity = Validity(now - BACKDATED, now + timedelta(days=wanted.days))
    secret = wanted.passphrase.encode() or None
    for folder in (at.ca, at.governance_folder, at.participants):
        folder.mkdir(PRIVATE_FOLDER)
    identities = authority.authority("Identity CA", wanted.algorithm, validity)
    rights = authority.authority("Permissions CA", wanted.algorithm, validity)
    _write(at.identity_ca, identities.certificate_pem)
    _write(at.identity_ca_key, identities.key_pem(secret))
    _write(at.permissions_ca, rights.certificate_pem)
    _write(at.permissions_ca_key, rights.key_pem(secret))
    for name, profile in DDS.items():
        assert profile.governance is not None
        text = governance(profile.governance, wanted.domains)
        _write(at.governance(name, "xml"), text.encode())
        _write(at.governance(name), cms.sign(text, rights))
    allowed = [
        _participant(at, name, wanted, validity, identities, rights) for name in wanted.participants
    ]
    lines = [f"# {name}\n{key}\n" for name, key in zip(wanted.participants, allowed, strict=True)]
    _write(at.curve_allowed, "".join(lines).encode())
    text = description.text(wanted, validity.not_before, validity.not_after)
    _write(at.description, text.encode())


def _participant(
    at: Layout,
    name: str,
    wanted: DocumentRequest,
    validity: Validity,
    identities: SignedCertificate,
    rights: SignedCertificate,
) -> str:
    """Write what a participant has; return its public key of CURVE."""
    at.participant(name).mkdir(PRIVATE_FOLDER)
    own = authority.identity(name, wanted.algorithm, validity, identities)
    _write(at.certificate(name), own.certificate_pem)
    _write(at.key(name), own.key_pem(wanted.passphrase.encode() or None))
    text = permissions_document(
        name,
        authority.subject_of(own.certificate),
        validity,
        wanted.domains,
        wanted.publish,
        wanted.subscribe,
    )
    _write(at.permissions(name, "xml"), text.encode())
    _write(at.permissions(name), cms.sign(text, rights))
    public, secret = authority.curve_pair()
    _write(at.curve_public(name), f"{public}\n".encode())
    _write(at.curve_secret(name), f"{secret}\n".encode())
    return public


def _write(path: Path, content: bytes) -> None:
    """Write a file that only its owner may read, durably."""
    with files.created(path, mode=PRIVATE_FILE) as file:
        files.write_all(file.fileno(), content)
        os.fsync(file.fileno())


DESCRIPTION = "security.toml"
PRIVATE_FILE = 0o600
PRIVATE_FOLDER = 0o700


class Layout:
    """Paths below a directory."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.description = directory / DESCRIPTION
        self.ca = directory / "ca"
        self.governance_folder = directory / "governance"
        self.participants = directory / "participants"
        self.identity_ca = self.ca / "identity_ca.pem"
        self.identity_ca_key = self.ca / "identity_ca.key"
        self.permissions_ca = self.ca / "permissions_ca.pem"
        self.permissions_ca_key = self.ca / "permissions_ca.key"
        self.curve_allowed = self.ca / "curve_allowed.txt"

    def governance(self, profile: str, ending: str = "p7s") -> Path:
        """Return the governance document of a profile."""
        return self.governance_folder / f"{profile}.{ending}"

    def participant(self, name: str) -> Path:
        """Return the folder of a participant."""
        return self.participants / name

    def certificate(self, name: str) -> Path:
        """Return the path of its certificate, which says who it is."""
        return self.participant(name) / "certificate.pem"

    def key(self, name: str) -> Path:
        """Return the private key of its certificate."""
        return self.participant(name) / "key.pem"

    def permissions(self, name: str, ending: str = "p7s") -> Path:
        """Return what it may do."""
        return self.participant(name) / f"permissions.{ending}"

    def curve_public(self, name: str) -> Path:
        """Return its public key of CURVE."""
        return self.participant(name) / "curve.public"

    def curve_secret(self, name: str) -> Path:
        """Return its secret key of CURVE."""
        return self.participant(name) / "curve.secret"


PERMISSIONS_SCHEMA = "http://www.omg.org/spec/DDS-SECURITY/20170901/omg_shared_ca_permissions.xsd"
TIME = "%Y-%m-%dT%H:%M:%S"
"""Format of times as the vendors read it: in UTC, without a zone."""


def permissions_document(
    name: str,
    subject: str,
    validity: Validity,
    domains: Sequence[Domains],
    publish: Sequence[str],
    subscribe: Sequence[str],
) -> str:
    """Return the document with the one grant of a participant: what is not allowed is denied."""
    allowed = (("publish", publish), ("subscribe", subscribe))
    rules = "\n".join(_criteria(what, topics) for what, topics in allowed if topics)
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<dds xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
     xsi:noNamespaceSchemaLocation="{PERMISSIONS_SCHEMA}">
  <permissions>
    <grant name={quoteattr(name)}>
      <subject_name>{escape(subject)}</subject_name>
      <validity>
        <not_before>{validity.not_before.strftime(TIME)}</not_before>
        <not_after>{validity.not_after.strftime(TIME)}</not_after>
      </validity>
      <allow_rule>
{numbers.xml(domains, "        ")}
{rules}
      </allow_rule>
      <default>DENY</default>
    </grant>
  </permissions>
</dds>
"""


def _criteria(name: str, topics: Sequence[str]) -> str:
    lines = "\n".join(f"            <topic>{escape(topic)}</topic>" for topic in topics)
    return f"""        <{name}>
          <topics>
{lines}
          </topics>
        </{name}>"""
