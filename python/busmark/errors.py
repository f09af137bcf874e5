"""What ends a command, reported as one message without a traceback, and what ends a round."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType


class UserError(Exception):
    """A mistake that the user can correct: what is wrong, where, and what to do. Exit code 2.

    `where` names the file, line or key; `remedy` is a sentence in the imperative.
    """

    def __init__(self, message: str, *, where: str = "", remedy: str = "") -> None:
        self.message = message
        self.where = where
        self.remedy = remedy
        super().__init__(str(self))

    def __str__(self) -> str:
        text = f"{self.where}: {self.message}" if self.where else self.message
        return f"{text}\n  {self.remedy}" if self.remedy else text

    @property
    def line(self) -> str:
        """Return it on one line, without a full stop."""
        return ". ".join(part.strip() for part in str(self).split("\n")).rstrip(".")


@contextmanager
def refused(what: str, where: object, remedy: str = "") -> Iterator[None]:
    """Turn what the system refuses into one message, such as `cannot be read: Is a directory`."""
    try:
        yield
    except OSError as error:
        text = f"{what}: {error.strerror or error}"
        raise UserError(text, where=str(where), remedy=remedy) from error


MOST_SHOWN = 20
"""Errors of one file or line; more are counted."""


class Several(UserError):
    """Several mistakes that the user can correct, shown together: one run finds them all."""

    def __init__(self, errors: Sequence[UserError], what: str = "") -> None:
        self.errors = list(errors)
        shown = "\n".join(str(error) for error in self.errors[:MOST_SHOWN])
        rest = len(self.errors) - MOST_SHOWN
        more = f"\nand {rest} more" if rest > 0 else ""
        super().__init__(f"{len(self.errors)} errors\n{shown}{more}", where=what)


def together(errors: Sequence[UserError], what: str = "") -> UserError:
    """Return one error that shows all of these; `what` is what they are in, such as the file."""
    return errors[0] if len(errors) == 1 else Several(errors, what)


class RoundError(Exception):
    """A round cannot be finished; it is marked, tried again, and the campaign continues.

    `kind` is as in the control protocol (timeout, failed, …), or died, hung, garbage, unmatched,
    lab, load, companion, prepare, conclude, or node: one that it needs cannot be reached, so that
    nothing has begun.
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def nearest(
    name: str,
    known: Iterable[str],
    otherwise: str = "",
    *,
    always: str = "",
    most: int = 1,
    means: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Return a remedy for a name that is none of these: up to `most` names that look like it, or
    `otherwise`; then `always`. `means`: words that nothing is called, and the name to be shown."""
    import difflib  # nobody needs it where nothing is wrong

    words = [*known, *means]
    near = [name.casefold()] if name.casefold() in words else []
    near += difflib.get_close_matches(name, words, n=most)
    near = list(dict.fromkeys(means.get(word, word) for word in near))[:most]
    meant = f"Did you mean {' or '.join(near)}?" if near else otherwise
    return f"{meant} {always}".strip()
