"""Documents whose experiments ship as scenarios, and what their authors found.

A scenario that names one (`document`) gets a comparison beside its report: what was found there,
what is found here, and whether the shape agrees.

- `document`: `Document`, `Statement`: facts as data. `claim`: what a ratio must be.
- `select`: cases of a campaign. `values`: what each of their rounds gave. `checks`, `along`: ratios
  between them. `evidence`: their intervals and verdicts.
- `table`: a table in a document's own columns.
- `repetition`: a campaign beside its document. The documents: `middlemeasure_2010`,
  `openddsbench_2010`, `perftest_2023`, `pother_2008`, `secured_2023`, `xrce_2022`.
- `blocks`: the comparison as a document.
"""

from busmark.plugin import Command, DocumentKind, Plugin

PLUGIN = Plugin(
    "papers",
    "What papers found, beside a campaign that repeats their experiments.",
    commands=(
        Command(
            "papers",
            "Repeat published experiments, and compare.",
            "busmark.plugins.papers.command:command",
        ),
    ),
    documents=(
        DocumentKind(
            "comparison",
            "busmark.plugins.papers.blocks:comparison",
            "Packs that repeat one: middlemeasure-2010, openddsbench-2010, perftest-2023, "
            "pother-2008, secured-2023, xrce-2022.",
        ),
    ),
)
