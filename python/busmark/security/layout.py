"""Where each document is in a directory of security documents."""

from __future__ import annotations

from pathlib import Path

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
        """The governance document of a profile."""
        return self.governance_folder / f"{profile}.{ending}"

    def participant(self, name: str) -> Path:
        """The folder of a participant."""
        return self.participants / name

    def certificate(self, name: str) -> Path:
        """Who the participant is."""
        return self.participant(name) / "certificate.pem"

    def key(self, name: str) -> Path:
        """The private key of its certificate."""
        return self.participant(name) / "key.pem"

    def permissions(self, name: str, ending: str = "p7s") -> Path:
        """What it may do."""
        return self.participant(name) / f"permissions.{ending}"

    def curve_public(self, name: str) -> Path:
        """Its public key of CURVE."""
        return self.participant(name) / "curve.public"

    def curve_secret(self, name: str) -> Path:
        """Its secret key of CURVE."""
        return self.participant(name) / "curve.secret"
