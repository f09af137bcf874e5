"""Links from the page to the raw data beside it."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from busmark.store import Result
from busmark.store.result import file_stem

TABLES = ("samples", "intervals", "participants", "flows", "batches", "system")
"""Folders of the result with one file per round."""


@dataclass(frozen=True)
class RawFiles:
    """Where the result directory is, seen from the page's folder, and which files it has."""

    base: str
    """Relative, as a URL."""
    known: dict[str, frozenset[str]] = field(default_factory=dict)
    """Names of files by folder."""

    @classmethod
    def of(cls, result: Result, folder: Path) -> RawFiles:
        """Files of this result, for a page in `folder`."""
        base = os.path.relpath(result.directory.resolve(), folder.resolve())
        known = {}
        for name in TABLES:
            where = result.directory / name
            known[name] = frozenset(os.listdir(where)) if where.is_dir() else frozenset()
        return cls(quote(Path(base).as_posix()), known)

    def link(self, name: str) -> str:
        """To a file of the result."""
        return f"{self.base}/{quote(name)}"

    def of_round(self, case: str, number: int) -> list[tuple[str, str]]:
        """Name and link of each file of a round that is there."""
        name = f"{file_stem(case, number)}.parquet"
        return [
            (f"{folder}/{name}", self.link(f"{folder}/{name}"))
            for folder in TABLES
            if name in self.known.get(folder, ())
        ]
