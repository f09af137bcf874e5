"""The table of estimates: every figure of a result, one row each.

A figure is a quantity and a statistic of it (`busmark.model`), of a case or of a part of it: its
scope. `rows` has the rows of a case, `columns` says what each column is, `kept` keeps the table
with the result.
"""

from busmark.estimate.columns import ESTIMATES
from busmark.estimate.kept import estimates, store
from busmark.estimate.rows import Estimated, of_case, table

__all__ = ["ESTIMATES", "Estimated", "estimates", "of_case", "store", "table"]
