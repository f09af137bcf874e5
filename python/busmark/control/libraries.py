"""A check that the library that is measured is the one whose checksum is stored."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from busmark.adapters import Adapter
from busmark.adapters.conformance import digest
from busmark.errors import UserError

Signature = tuple[int, int, int, int]


def check_same(name: str, path: Path, sha256: str | None) -> None:
    """Check that a library is the one with this checksum.

    Raises:
        UserError: it is another.
    """
    if digest(path) != sha256:
        raise UserError(
            f"the adapter {name} is not the one that the finished rounds were run with",
            where=str(path),
            remedy="Rounds of different builds are not mixed: begin a new campaign.",
        )


class Libraries:
    """The libraries of a campaign, each loaded anew in every round."""

    def __init__(self, adapters: Mapping[str, Adapter], stored: Mapping[str, str | None]) -> None:
        """Take `stored`, the checksums of the manifest, by name."""
        self._stored = {adapters[name].path: (name, stored.get(name)) for name in adapters}
        self._seen: dict[Path, Signature] = {}

    def check(self) -> None:
        """Check that none has been replaced since its checksum was taken, by a build for example.
        Only one whose file looks different is read again.

        Raises:
            UserError: one has been.
        """
        for path, (name, sha256) in self._stored.items():
            now = _signature(path)
            if now is not None and now != self._seen.get(path):
                check_same(name, path, sha256)
                self._seen[path] = now


def _signature(path: Path) -> Signature | None:
    try:
        found = path.stat()
    except OSError:
        return None  # the round says so
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
