"""Results over commits: a history that only grows, and the changes in it.

- `entry`: one result as a line of the history. `history`: the file.
- `commit`: the commit that a result is of. `machine`: what tells machines apart.
- `adding`: from a result directory to an entry.
- `series`: what belongs together: one figure of one case on one machine, by commit.
- `detect`: steps of the series, and which of them are regressions, and new.
- `model`: the document, also the JSON of `busmark history show --json`. `tracked`: makes it.
"""

from busmark.track.adding import entry_of
from busmark.track.history import add, read
from busmark.track.model import Tracked
from busmark.track.tracked import DEFAULT_FIGURES, track

__all__ = ["DEFAULT_FIGURES", "Tracked", "add", "entry_of", "read", "track"]
