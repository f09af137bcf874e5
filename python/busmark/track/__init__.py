"""Results over commits: a history that only grows, and the changes in it.

- `entry`: one result as a line of the history. `history`: the file.
- `commit`: the commit that a result is of. `machine`: what tells machines apart.
- `adding`: from a result directory to an entry.
- `series`: what belongs together: one figure of one case on one machine, by commit.
- `detect`: steps of the series, and which of them are regressions, and new.
- `model`: the document, also the JSON of `busmark track show --json`. `tracked`: makes it.
"""

from busmark.track.adding import entry_of
from busmark.track.detect import CONFIRMATIONS
from busmark.track.entry import Commit, Entry, Machine, TrackedCase
from busmark.track.history import add, read
from busmark.track.model import Tracked
from busmark.track.tracked import DEFAULT_FIGURES, track

__all__ = [
    "CONFIRMATIONS",
    "DEFAULT_FIGURES",
    "Commit",
    "Entry",
    "Machine",
    "Tracked",
    "TrackedCase",
    "add",
    "entry_of",
    "read",
    "track",
]
