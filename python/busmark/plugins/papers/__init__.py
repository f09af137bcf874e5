"""Documents whose experiments ship as scenarios, and what their authors found.

A scenario that names one (`document`) gets a comparison with its report: what was found there,
what is found here, and whether the shape agrees.

- `document`: `Document`, `Statement`, `Table`: facts as data.
- `select`: cases of a campaign, and the values of their rounds. `checks`: ratios between them, also
  along sizes and rounds. `evidence`: claims, and ratios with intervals and verdicts.
- `repetition`: a campaign compared with its document. The documents: `middlemeasure_2010`,
  `openddsbench_2010`, `perftest_2023`, `pother_2008`, `secured_2023`, `xrce_2022`.
"""

from busmark.plugins.papers.repetition import DOCUMENTS, Repetition, repetition

__all__ = ["DOCUMENTS", "Repetition", "repetition"]
