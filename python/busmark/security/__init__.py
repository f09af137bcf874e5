"""Security documents: made, explained, checked. DDS Security, TLS, CURVE."""

from busmark.security.description import Wanted
from busmark.security.directory import Documents, ParticipantDocuments, create, open_directory
from busmark.security.profiles import DDS, PROFILES, Profile
from busmark.security.secret import passphrase

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
