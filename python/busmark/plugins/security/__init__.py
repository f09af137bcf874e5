"""Security documents: made, explained, checked. DDS Security, TLS, CURVE."""

from busmark.plugins.security.description import Wanted
from busmark.plugins.security.directory import (
    Documents,
    ParticipantDocuments,
    create,
    open_directory,
)
from busmark.plugins.security.profiles import DDS, PROFILES, Profile
from busmark.plugins.security.secret import passphrase

__all__ = [
    "DDS",
    "PROFILES",
    "Documents",
    "ParticipantDocuments",
    "Profile",
    "Wanted",
    "create",
    "open_directory",
    "passphrase",
]
