"""Where results are: a link to each in the user's state folder, so that those that were written
elsewhere than in the default folder have names, too.

A link is made at once or not at all, so that any number of runs may note theirs at a time. A result
that was removed, or whose disk is not there, is passed over. The folder may be deleted at any time:
then only the default folder of the working directory is known.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path

MOST = 2000
"""Links from which those that lead nowhere are removed."""


def folder() -> Path | None:
    """Folder of the links (`busmark/results` in XDG_STATE_HOME, or ~/.local/state); None for a user
    without a home."""
    named = os.environ.get("XDG_STATE_HOME", "")
    with suppress(RuntimeError):
        state = Path(named) if os.path.isabs(named) else Path.home() / ".local" / "state"
        return state / "busmark" / "results"
    return None


def note(directory: Path) -> str | None:
    """Notes that a result is in this directory; why that could not be done, if it could not."""
    where = folder()
    if where is None:
        return "there is no home directory"
    try:
        target = os.path.realpath(directory)
        link = where / hashlib.sha256(os.fsencode(target)).hexdigest()[:32]
        where.mkdir(parents=True, exist_ok=True)
        if not link.is_symlink():
            with suppress(FileExistsError):  # another process was quicker
                link.symlink_to(target)
        _limit(where)
    except OSError as error:
        return f"{where}: {error.strerror or error}"
    return None


def noted() -> list[Path]:
    """The directories that were noted, whether something is there or not."""
    where = folder()
    found: list[Path] = []
    if where is not None:
        with suppress(OSError), os.scandir(where) as entries:
            for entry in entries:
                with suppress(OSError):  # no link, or removed meanwhile
                    found.append(Path(os.readlink(entry.path)))
    return found


def _limit(where: Path) -> None:
    """Removes links that lead nowhere where there are very many."""
    links = list(where.iterdir())
    if len(links) > MOST:
        for link in links:
            if link.is_symlink() and not link.exists():
                link.unlink(missing_ok=True)
