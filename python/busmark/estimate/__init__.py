"""From raw tables to estimates: all that is known of a case without looking at another one.

A figure is a quantity and a statistic of it (`busmark.model`), of a case or of a part of it: its
scope. `one_case` reads the tables of a case: `rounds`, `samples` and `distribution` prepare them,
and there is a module for each quantity, such as `latency` or `route`. What they find is a
`CaseSummary` (`busmark.model.case`), whose figures are its rows of the table of estimates. `series`
has the points of its curves, `columns` says what each column is. `frames` has the tables that
`busmark.open` gives.
"""

from busmark.estimate.columns import ESTIMATES, SERIES
from busmark.estimate.stream import pairs

__all__ = ["ESTIMATES", "SERIES", "pairs"]
