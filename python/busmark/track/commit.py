"""The commit that a result is of, as git tells it."""

from __future__ import annotations

import re
import subprocess
from datetime import UTC, datetime

from busmark.errors import UserError
from busmark.track.entry import Commit

PLAIN = re.compile(r"[\w][\w./:+@^~-]{0,199}")
"""What can name a commit; it cannot be taken for an option."""

SHORT = 10
"""Characters of a commit's identifier that people are shown."""

HEX = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


def commit_of(named: str | None, date: str | None = None) -> Commit:
    """The commit of this name, or the one that is checked out in the working directory.

    Raises:
        UserError: nothing says which commit it is, or a name or date is none.
    """
    if named is not None and not PLAIN.fullmatch(named):
        raise UserError(f"{named!r} names no commit", where="--commit")
    utc = _date(date) if date is not None else None
    found = _git("show", "-s", "--format=%H%n%ct%n%s", f"{named or 'HEAD'}^{{commit}}", "--")
    if found is None:
        if named is None:
            raise UserError(
                "there is no commit here to add the result for: this is no git repository, or it "
                "has none yet",
                remedy="Run it in the repository that was measured, or name the commit: "
                "--commit ID.",
            )
        return Commit(id=named, utc=utc)
    whole, seconds, subject = (*found.split("\n", 2), "", "")[:3]
    modified = named is None and _git("diff", "--quiet", "HEAD", "--") is None
    return Commit(id=whole, utc=utc or _utc(int(seconds)), subject=subject.strip()[:200],
                  modified=modified)  # fmt: skip


def short(commit: str) -> str:
    """As people are shown it."""
    return commit[:SHORT] if HEX.fullmatch(commit) else commit


def _git(*words: str) -> str | None:
    """What git says; None where it refuses, or is not there."""
    try:
        done = subprocess.run(
            ["git", *words], capture_output=True, text=True, check=False, errors="replace",
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None


def _date(text: str) -> str:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise UserError(f"{text!r} is no date", where="--date",
                        remedy="Such as 2026-03-01 or 2026-03-01T12:00:00Z.") from None  # fmt: skip
    return _utc(int((found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()))


def _utc(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
