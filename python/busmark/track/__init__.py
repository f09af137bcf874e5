"""Results over commits: a history that only grows, and the changes in it.

- `history`: the file, and its entries, one for each result. `result`: from a result to an entry.
- `steps`: series of one figure of one case on one machine, by commit, and their steps.
- `model`: the document, also the JSON of `busmark history show --json`. `tracked`: makes it.
"""

from busmark.track.history import add
from busmark.track.history import read
from busmark.track.model import Tracked
from busmark.track.result import entry_of
from busmark.track.tracked import DEFAULT_FIGURES
from busmark.track.tracked import track


__all__ = ["DEFAULT_FIGURES", "Tracked", "add", "entry_of", "read", "track"]
