"""Results over commits: a history that only grows, and the changes in it.

- `history`: the file, and its entries, one for each result. `result`: from a result to an entry.
- `steps`: series of one figure of one case on one machine, by commit, and their steps.
- `model`: the document, also the JSON of `busmark history show --json`. `tracked`: makes it.
"""

from busmark.track.history import Commit, HistoryEntry, Machine, TrackedCase, add, read
from busmark.track.model import TrackedHistory
from busmark.track.result import entry_of
from busmark.track.steps import CONFIRMATIONS
from busmark.track.tracked import DEFAULT_FIGURES, track

__all__ = [
    "CONFIRMATIONS",
    "DEFAULT_FIGURES",
    "Commit",
    "HistoryEntry",
    "Machine",
    "TrackedCase",
    "TrackedHistory",
    "add",
    "entry_of",
    "read",
    "track",
]
