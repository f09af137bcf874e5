"""Folders of a report. A result may come from somebody else, and links in it may lead anywhere: no
file is written through one that the user has not named. It may hold files of a user's, too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from busmark import files
from busmark.errors import UserError, refused
from busmark.temporary import made_beside

OWN = "report"
"""Within the result directory."""

LIST = ".busmark-files"
"""Names, in the folder, of the files that reports have made there, a line for each."""


def report_folder(directory: Path, named: Path | None = None) -> Path:
    """Return where the reports of a result go: the folder that the user named, else `report` in it.

    Raises:
        UserError: `report` is a link.
    """
    if named is not None:
        with refused("no folder can be made here", named, "Name another with --out."):
            named.mkdir(parents=True, exist_ok=True)
        return named
    return within(directory, OWN)


def within(folder: Path, name: str) -> Path:
    """Return the folder `name` in `folder`, made where it is not there.

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


@contextmanager
def replaced(folder: Path) -> Iterator[Path]:
    """Yield a place to make files in; when all are made, move them into `folder`, and remove what
    is left of an earlier report there. A failure to make them leaves `folder` unchanged.

    Raises:
        UserError: a file that no report has made stands where one is to be; nothing is changed.
        OSError: the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with made_beside(folder) as place:
        place.mkdir()
        yield place
        new = sorted(
            path.relative_to(place).as_posix() for path in place.rglob("*") if not path.is_dir()
        )
        old = _earlier(folder)
        for name in new:
            _check(folder, name, old)
        # Both before and after: if it ends in between, the next report knows what is whose.
        _list(folder, {*new, *old})
        for name in new:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            files.move(place / name, folder / name)
        for name in old.difference(new):
            (folder / name).unlink(missing_ok=True)
        _list(folder, new)


def _earlier(folder: Path) -> set[str]:
    """Return the files of earlier reports that are still there; nothing outside the folder."""
    try:
        names = files.content(folder / LIST).decode(errors="replace").splitlines()
    except FileNotFoundError:
        return set()
    inside = folder.resolve()
    return {
        name
        for name in names
        if name
        and ".." not in PurePosixPath(name).parts
        and (folder / name).parent.resolve().is_relative_to(inside)
        and (folder / name).is_file()
    }


def _check(folder: Path, name: str, old: set[str]) -> None:
    """Refuse a file's place that is taken, unless by a file of an earlier report."""
    above = [folder / parent for parent in PurePosixPath(name).parents]
    taken = [path for path in above if path.exists() and not path.is_dir()]
    taken += [path for path in above if path != folder and path.is_symlink()]
    if name not in old and ((folder / name).exists() or (folder / name).is_symlink()):
        taken.append(folder / name)
    if taken:
        raise UserError(
            "is in the way, and no report has made it",
            where=str(taken[0]),
            remedy="Move it elsewhere, or name another folder with --out.",
        )


def _list(folder: Path, names: Iterable[str]) -> None:
    files.write(folder / LIST, "".join(f"{name}\n" for name in sorted(names)))
