"""Security documents: made, explained, checked. DDS Security, TLS, CURVE."""

from busmark.security.authority import (
    Signed,
    Validity,
    curve_pair,
    curve_public,
    identity,
)
from busmark.security.authority import (
    authority as certificate_authority,
)
from busmark.security.checks import check
from busmark.security.description import Wanted
from busmark.security.directory import (
    Documents,
    Layout,
    ParticipantDocuments,
    create,
    open_directory,
)
from busmark.security.domains import Domains, covered
from busmark.security.elements import parse
from busmark.security.profiles import DDS, PROFILES, Profile
from busmark.security.reading import grants
from busmark.security.rights import allowed, check_rights
from busmark.security.secret import passphrase
from busmark.security.use import Use, check_use

__all__ = [
    "DDS",
    "PROFILES",
    "Documents",
    "Domains",
    "Layout",
    "ParticipantDocuments",
    "Profile",
    "Signed",
    "Use",
    "Validity",
    "Wanted",
    "allowed",
    "certificate_authority",
    "check",
    "check_rights",
    "check_use",
    "covered",
    "create",
    "curve_pair",
    "curve_public",
    "grants",
    "identity",
    "open_directory",
    "parse",
    "passphrase",
]
