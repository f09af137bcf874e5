"""Why a round cannot be finished."""

from __future__ import annotations

from busmark.nodes import NodeDown


class RoundError(Exception):
    """A round cannot be finished; it is marked, tried again, and the campaign goes on.

    `kind` is as in the control protocol (timeout, failed, …), or died, hung, garbage, unmatched,
    lab, or node: one that it needs cannot be reached, so that nothing has begun.
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def gone(error: NodeDown) -> RoundError:
    """The same for a node."""
    return RoundError("node", f"{error.where}: {error.message}")
