"""The tables of estimates and of series: all that is known of a result, one row each.

A figure is a quantity and a statistic of it (`busmark.model`), of a case or of a part of it: its
scope. `rows` has the estimates of a case, `series` the points of its curves, `columns` says what
each column is, `kept` stores both tables with the result.
"""

from busmark.estimate.columns import ESTIMATES, SERIES
from busmark.estimate.rows import Estimated, of_case
from busmark.estimate.stored import ESTIMATES_TABLE, SERIES_TABLE, store

__all__ = [
    "ESTIMATES", "ESTIMATES_TABLE", "SERIES", "SERIES_TABLE", "Estimated", "of_case", "store",
]  # fmt: skip
