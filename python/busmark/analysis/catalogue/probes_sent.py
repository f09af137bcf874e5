"""Samples of a stream whose latency was to be measured."""

from busmark.analysis.catalogue.entry import Explained, Number

FIGURE = Number(
    key="probes_sent",
    meaning="samples of a stream whose latency was to be measured; null where that is not known",
    pick=lambda case: case.throughput.probes_sent if case.throughput else None,
    summary="Probes sent",
    explained=(
        Explained(
            "Lost probes", ("probes_sent", "probes_lost", "probes_hidden"),
            "Samples of the stream whose latency was to be measured, how many of them never "
            "arrived, and whether the median falls among these, so that there is no "
            "`probe_one_way`. They are later than any in the percentiles.",
            "rows of the writer without a row of the reader and without an echo; none for what the "
            "readers' content filter leaves out",
            "samples, roles `receiver` and `transmitter`",
            "Which samples another tool lost: null where it lost some and kept no record of its "
            "probes.",
            section="Throughput",
        ),
    ),
)  # fmt: skip
