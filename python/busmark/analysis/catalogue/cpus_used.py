"""What all participants together cost the machine."""

from busmark.analysis.catalogue.entry import Estimate, Heading

_HEADING = Heading("CPUs busy", minor=True, last=True, interval=False)

FIGURE = Estimate(
    key="cpus_used",
    unit="CPU",
    meaning="CPUs that all participants together kept busy",
    pick=lambda case: case.cpus_used,
    tables={"latency": _HEADING, "throughput": _HEADING, "capacity": _HEADING},
    summary="CPUs busy",
    summary_interval=False,
)
