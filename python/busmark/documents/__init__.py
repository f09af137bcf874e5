"""Documents whose experiments ship as scenarios, and what their authors found.

A scenario that names one (`document`) gets a comparison beside its report: what was found there,
what is found here, and whether the shape agrees.

- `document`: `Document`, `Statement`: facts as data. `claim`: what a ratio must be.
- `select`: cases of a campaign. `values`: what each of their rounds gave. `checks`, `along`: ratios
  between them. `evidence`: their intervals and verdicts.
- `table`: a table in a document's own columns.
- `repetition`: a campaign beside its document. The documents: `middlemeasure_2010`,
  `openddsbench_2010`, `perftest_2023`, `pother_2008`, `secured_2023`, `xrce_2022`.
"""

from busmark.documents.repetition import DOCUMENTS, Repetition, repetition

__all__ = ["DOCUMENTS", "Repetition", "repetition"]
