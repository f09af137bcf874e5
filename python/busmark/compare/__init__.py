"""Two or more sets of measured cases become a `Comparison`, with intervals and verdicts.

- `sides`: what is compared: result directories, cases of them, values of a parameter in one.
- `matching`: pairs of cases, and cases that are left out, with the reason.
- `environment`: differences between machines and programs.
- `criterion`, `gate`: `--fail-if`, parsed and compared with the figures. `requirements`: limits of
  a scenario. Both read samples by `samples`.
- `model`: the document, also the JSON of `busmark compare --json`. `comparison`, `document`,
  `naming`: make it.
"""

from busmark.compare.comparison import compare
from busmark.compare.criterion import Criterion
from busmark.compare.gate import Gate
from busmark.compare.model import Comparison
from busmark.compare.sides import Side, further, select

__all__ = ["Comparison", "Criterion", "Gate", "Side", "compare", "further", "select"]
