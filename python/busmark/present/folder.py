"""Folders of a report. A result may come from somebody else, and links in it may lead anywhere: no
file is written through one that the user has not named."""

from __future__ import annotations

from pathlib import Path

from busmark.errors import UserError

OWN = "report"
"""Within the result directory."""


def own(directory: Path, named: Path | None = None) -> Path:
    """Where the reports of a result go: the folder that the user named, else `report` in it.

    Raises:
        UserError: `report` is a link.
    """
    if named is not None:
        named.mkdir(parents=True, exist_ok=True)
        return named
    return within(directory, OWN)


def within(folder: Path, name: str) -> Path:
    """The folder `name` in `folder`, made where it is not there.

    Raises:
        UserError: it is a link.
    """
    place = folder / name
    if place.is_symlink():
        raise UserError(
            "is a link, and a report writes into its own folder only",
            where=str(place),
            remedy="Remove the link, or name a folder with --out.",
        )
    place.mkdir(parents=True, exist_ok=True)
    return place
