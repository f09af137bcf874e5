"""Two or more sets of measured cases become a `Comparison`, with intervals and verdicts.

- `sides`: what is compared: result directories, cases of them, values of a parameter in one.
- `matching`: which case stands beside which, and what is left out and why.
- `measure`, `stated`: what a case's rounds say, by its samples or by its source, as
  `analysis.pairwise` compares it: ratio or difference, and the verdict over all comparisons.
- `environment`: in what machines and programs differ.
- `criterion`, `gate`: `--fail-if`, read and held against the figures.
- `model`: the document, also the JSON of `busmark compare --json`. `comparison`: makes it.
"""

from busmark.compare.comparison import compare
from busmark.compare.criterion import Criterion
from busmark.compare.gate import Gate
from busmark.compare.model import Comparison
from busmark.compare.sides import Side, further, select

__all__ = ["Comparison", "Criterion", "Gate", "Side", "compare", "further", "select"]
