"""Samples of a stream whose latency was to be measured."""

from busmark.analysis.catalogue.entry import Explained, Number

FIGURE = Number(
    key="probes_sent",
    meaning="samples of a stream whose latency was to be measured: in one at a rate with one clock "
    "all, at each reader; null where that is not known",
    pick=lambda case: case.throughput.probes_sent if case.throughput else None,
    summary="Probes sent",
    explained=(
        Explained(
            "Lost probes", ("probes_sent", "probes_lost", "probes_hidden"),
            "Samples of the stream whose latency was to be measured, how many of them never "
            "arrived, and whether the median falls among these, so that there is no "
            "`probe_one_way`. They are later than any in the percentiles. In a stream at a rate "
            "with one clock these are all samples, at each of their readers.",
            "rows of role `reader` without a time of reading; without such rows, rows of the "
            "writer without a row of the reader and without an echo. None for what the readers' "
            "content filter leaves out",
            "samples, roles `reader`, `receiver` and `transmitter`",
            "Which samples another tool lost: null where it lost some and kept no record of its "
            "probes.",
            section="Throughput",
        ),
    ),
)  # fmt: skip
