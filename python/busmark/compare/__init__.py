"""Comparison: two or more sets of measured cases become a `Contrast`, with intervals and verdicts.

- `sides`: what is compared: result directories, cases of them, values of a parameter in one.
- `matching`: which case stands beside which, and what is left out and why.
- `measured`, `measure`, `stated`: what a case's rounds say, by its samples or by its source.
- `change`: ratio or difference of two cases, figure by figure.
- `verdict`: faster, slower, equivalent or cannot tell, over all comparisons together.
- `environment`: in what machines and programs differ.
- `criterion`, `gate`: `--fail-if`, read and held against the figures.
- `model`: the document, also the JSON of `busmark compare --json`. `contrast`: makes it.
"""

from busmark.compare.contrast import contrast
from busmark.compare.criterion import Criterion
from busmark.compare.model import Contrast
from busmark.compare.sides import Side, select

__all__ = ["Contrast", "Criterion", "Side", "contrast", "select"]
