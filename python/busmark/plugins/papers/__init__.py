"""Documents whose experiments ship as scenarios, and what their authors found.

A scenario that names one (`document`) gets a comparison with its report: what was found there,
what is found here, and whether the shape agrees.

- `document`: what a `Document` is, its statements, and tables in its own columns.
- `select`: cases of a campaign, and the values of their rounds. `checks`: ratios between them, also
  along sizes and rounds. `evidence`: claims, and ratios with intervals and verdicts.
- `rounds`: what documents need of single rounds, a part of each case's record.
- `repetition`: a campaign beside its document. The documents: `middlemeasure_2010`,
  `openddsbench_2010`, `perftest_2023`, `pother_2008`, `secured_2023`, `xrce_2022`.
- `published`: what is data beside the module of each document: a TOML file of what it states and
  of what stands for its middleware, and CSV files of the numbers that it prints.
- `scenarios`: a folder for each document, the pack that repeats its experiments.
- `data_sets`: tests of a publisher and a subscriber, value by value.
- `blocks`: the comparison as a document. `command`: `busmark papers`.
"""

from busmark.plugin import CasePart, Command, DocumentKind, Plugin, ScenarioKey

NAMES = (
    "middlemeasure-2010",
    "openddsbench-2010",
    "perftest-2023",
    "pother-2008",
    "secured-2023",
    "xrce-2022",
)
"""Values of a scenario's key `document`."""

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
            f"Packs that repeat one: {', '.join(NAMES)}. For an imported result or any other: "
            "`busmark papers show DIR --paper NAME`.",
            key="document",
        ),
    ),
    keys=(
        ScenarioKey(
            "document",
            "a document whose experiments this repeats: the report then compares what it found "
            "with what is found here",
            words=NAMES,
        ),
    ),
    scenarios="busmark.plugins.papers:scenarios",
    part=CasePart(
        "busmark.plugins.papers.rounds:PaperCase",
        "busmark.plugins.papers.rounds:part",
        key="document",
    ),
)
