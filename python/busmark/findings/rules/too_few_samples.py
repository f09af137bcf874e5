"""Too few samples for the figures that are usually asked for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from busmark.findings.rule import Observation, Rule
from busmark.findings.text import count, whole

if TYPE_CHECKING:
    from busmark.findings.view import CaseView

TAIL = 99.0
NEEDED_FOR_MEDIAN, NEEDED_FOR_TAIL = 20, 1000
"""Ten samples on either side of the percentile, as `busmark.stats.supported` asks."""


def check_case(view: CaseView) -> Iterator[Observation]:
    from busmark.stats import Round, supported, tail_support

    counts = {number: int(series.size) for number, series in view.latencies.items()}
    if not counts or any(view.values("recorded_every").values()):
        # Where readers time every sample of a stream, echoed probes are by the way.
        return
    fewest = min(counts.values())
    evidence = f"{count(fewest, 'sample')} in the shortest of {count(len(counts), 'round')}"
    if not supported(50.0, fewest):
        # In a throughput test the probes are by the way: the goodput stands without them.
        probes = view.params.test == "throughput"
        yield Observation(
            "note" if probes else "error",
            f"{evidence}; the median needs {NEEDED_FOR_MEDIAN}",
            weight=-fewest,
            title="Too few samples even for the median",
            concerns=("latency",),
        )
    elif not supported(TAIL, fewest):
        yield Observation(
            "note",
            f"{evidence}; the 99th percentile needs {whole(NEEDED_FOR_TAIL)}",
            weight=-fewest,
        )
    else:
        known = tail_support([Round.of(each) for each in view.latencies.values()], TAIL)
        if not supported(TAIL, known):
            yield Observation(
                "note",
                f"{evidence}, of which the tail is known as of {whole(int(known))} independent "
                f"ones; the 99th percentile needs {whole(NEEDED_FOR_TAIL)}",
                weight=-known,
                title="Neighbouring samples are too alike for the 99th percentile of a round",
                cause="What slows one sample slows those after it as well, so fewer than ten "
                "independent ones are beyond the percentile, and chance decides it; it is left "
                "out.",
                remedy="Lengthen `duration_s`; where samples are sent close upon each other, lower "
                "`rate_hz`.",
            )


RULE = Rule(
    id="too-few-samples",
    title="Too few samples for the 99th percentile of a round",
    cause="A percentile with fewer than ten samples beyond it depends on chance; it is left out.",
    remedy="Lengthen `duration_s`, raise `rate_hz`, or ask for more `samples`.",
    check_case=check_case,
    concerns=("p99",),
)
