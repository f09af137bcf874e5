"""Why a round cannot be finished."""

from __future__ import annotations


class RoundError(Exception):
    """A round cannot be finished; it is marked, tried again, and the campaign goes on.

    `kind` is as in the control protocol (timeout, failed, …), or died, hung, garbage,
    unmatched, lab.
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind
