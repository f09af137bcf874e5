"""The analysis of a result, kept so that it need not be made again.

It lies in the user's cache (`busmark/shown` in XDG_CACHE_HOME, or ~/.cache), never in the result,
and may be deleted at any time. It is found again by what it was made of: the manifest, the names,
sizes and times of change of all tables, Busmark's version and its own code. So a file that somebody
touches is read anew, with its checksum; what is kept and damaged is left aside.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import TypeAdapter

from busmark import __version__, files

if TYPE_CHECKING:
    from busmark.compare.campaign import Campaign

FORM = b"busmark show 1\n"

MOST_BYTES = 1 << 26
"""Limit of everything that is kept; beyond it, what has not been used for longest goes."""

MOST_FILES = 200

SETTLED_S = 2.0
"""What changed so shortly before may change again within the same tick of the clock: of that
nothing is kept."""

CODE = ("capture", "compare", "estimate", "findings", "model", "scenario", "stats", "store")
"""Packages that the figures come from."""

FIGURES, POINTS = ".json", ".points.json"
"""Endings of what is kept: the figures, and the points of plots, which not all need."""


class Cache:
    """The analysis of one result. Nothing here is an error: where it does not work, there is
    none."""

    def __init__(self, directory: Path) -> None:
        self._newest = 0.0
        self._directory = directory
        self._key = self._digest()
        self._folder = folder()

    def campaign(self, *, with_series: bool = False) -> Campaign | None:
        """As it was kept; with the points of plots, None too where these are not kept."""
        if (text := self._read(FIGURES)) is None:
            return None
        from busmark.compare.campaign import Campaign

        with suppress(ValueError):
            found = Campaign.model_validate_json(text)
            return self._drawn(found) if with_series else found
        return None

    def _drawn(self, campaign: Campaign) -> Campaign | None:
        """With the points of plots."""
        if (text := self._read(POINTS)) is None:
            return None
        from busmark.estimate.curves import CaseSeries

        series = TypeAdapter(dict[str, CaseSeries]).validate_json(text)
        cases = [c.model_copy(update={"series": series.get(c.id)}) for c in campaign.cases]
        return campaign.model_copy(update={"cases": cases})

    def store(self, campaign: Campaign) -> None:
        """For the next time, the points of plots by themselves, if the result has not changed
        meanwhile."""
        path = self._path(FIGURES)
        if path is None or self._digest() != self._key or self._newest > time.time() - SETTLED_S:
            return
        from busmark.compare.campaign import Campaign

        series = {c.id: c.series.model_dump(mode="json") for c in campaign.cases if c.series}
        bare = [case.model_copy(update={"series": None}) for case in campaign.cases]
        campaign = campaign.model_copy(update={"cases": bare})
        text = campaign.model_dump_json().encode()
        with suppress(OSError, ValueError):
            # What JSON cannot say is not kept, rather than changed by it.
            if Campaign.model_validate_json(text) != campaign:
                return
            self._write(FIGURES, text)
            if series:
                self._write(POINTS, json.dumps(series, allow_nan=False).encode())
            _limit(path.parent)

    def _read(self, what: str) -> bytes | None:
        """The text of a file that is whole; it is not the one that goes first."""
        if (path := self._path(what)) is None:
            return None
        with suppress(OSError):
            content = files.content(path)
            begin = len(FORM) + 32
            text = content[begin:]
            if content[:begin] == FORM + hashlib.sha256(text).digest():
                with suppress(OSError):
                    os.utime(path)
                return text
        return None

    def _write(self, what: str, text: bytes) -> None:
        from busmark.store.atomic import replacing

        path = self._path(what)
        if path is None or len(text) > MOST_BYTES:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as partial:
            partial.write_bytes(FORM + hashlib.sha256(text).digest() + text)

    def _path(self, what: str) -> Path | None:
        return self._folder / f"{self._key}{what}" if self._key and self._folder else None

    def _digest(self) -> str | None:
        """Digest of all that the figures depend on; None if something cannot be read."""
        try:
            known = hashlib.sha256(f"{__version__}\0{self._directory}\0".encode())
            known.update(files.content(self._directory / "manifest.json"))
            for text, changed in self._files():
                known.update(text.encode(errors="surrogateescape"))
                self._newest = max(self._newest, changed)
            for place in _code():
                for text, _ in _entries(place, ".py"):
                    known.update(text.encode())
        except OSError:
            return None
        return known.hexdigest()

    def _files(self) -> Iterator[tuple[str, float]]:
        """Files of the result: what is in it and in its folders, except reports."""
        from busmark.store.columns import ESTIMATES_FILE, SERIES_FILE

        # They are made from all others, whenever somebody asks for them, and change no figure.
        made = tuple(f"{self._directory.name}/{name}\0" for name in (ESTIMATES_FILE, SERIES_FILE))
        yield from (e for e in _entries(self._directory, "") if not e[0].startswith(made))
        with os.scandir(self._directory) as entries:
            folders = sorted(e.name for e in entries if e.is_dir() and e.name != "report")
        for name in folders:
            yield from _entries(self._directory / name, ".parquet")


def _code() -> list[Path]:
    """Folders of the code that the figures come from."""
    package = Path(__file__).resolve().parent.parent
    walks = (os.walk(package / part) for part in CODE)
    return sorted(Path(place) for walk in walks for place, _, _ in walk)


def _entries(folder: Path, ending: str) -> Iterator[tuple[str, float]]:
    """Name, size and times of change of each file in a folder with this ending, in their order; and
    when it was changed last."""
    with os.scandir(folder) as entries:
        found = sorted((e for e in entries if e.name.endswith(ending)), key=lambda e: e.name)
    for entry in found:
        if not entry.is_dir():
            seen = entry.stat()
            yield (
                f"{folder.name}/{entry.name}\0{seen.st_size}\0{seen.st_mtime_ns}\0"
                f"{seen.st_ctime_ns}\0{seen.st_ino}\n",
                max(seen.st_mtime, seen.st_ctime),
            )


def folder() -> Path | None:
    """Folder of what is kept; None for a user without a home."""
    named = os.environ.get("XDG_CACHE_HOME")
    with suppress(RuntimeError):
        return (Path(named) if named else Path.home() / ".cache") / "busmark" / "shown"
    return None


def _limit(where: Path) -> None:
    """Deletes what was not used for longest, until there is room."""
    with os.scandir(where) as entries:
        found = sorted(((e.stat().st_mtime, e.stat().st_size, e.path) for e in entries),
                       reverse=True)  # fmt: skip
    total = 0
    for number, (_, size, path) in enumerate(found, start=1):
        total += size
        if total > MOST_BYTES or number > MOST_FILES:
            with suppress(OSError):
                os.unlink(path)
