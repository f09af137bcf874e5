"""Cases against each other, with intervals and verdicts: in a campaign, and across results.

- The engine: `measured` has all figures of a case as they are compared, `change` the ratio or
  difference of two sides, `verdict` what it amounts to over all comparisons.
- Within a campaign, by rounds that were run in turn (`rounds`): `ranking` and `effects`; besides
  `matrix`, `fits`, `answers`. `campaign` makes the document `Campaign` of all, `stored` keeps it
  beside the raw tables.
- Across results: `sides` are compared, `matching` says which case stands beside which,
  `environment` in what machines and programs differ. `comparison` makes the document of `model`.
- Limits: `requirements` of a scenario; `criterion` and `gate` for `--fail-if`. Both read `samples`.
"""

from busmark.compare.comparison import compare
from busmark.compare.criterion import Criterion
from busmark.compare.gate import Gate
from busmark.compare.model import Comparison
from busmark.compare.sides import Side, further, select

__all__ = ["Comparison", "Criterion", "Gate", "Side", "compare", "further", "select"]
