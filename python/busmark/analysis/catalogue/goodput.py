"""Goodput at the readers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from busmark.analysis.catalogue.entry import (
    STUDENT,
    Compared,
    Estimate,
    Explained,
    Heading,
    Row,
)


def _of_round(row: Row, params: Mapping[str, Any]) -> float | None:
    value: float | None = row["mbit_per_s" if params.get("size") else "samples_per_s"]
    return value


COMPARED = Compared(
    name="goodput.throughput",
    word="goodput",
    tests=("throughput",),
    more="faster",
    less="slower",
    otherwise="no round has a goodput",
    of_round=_of_round,
    # In samples/s where bodies are empty. The ratio is the same.
    unit=lambda params: "Mbit/s" if params.get("size") else "1/s",
    counted="received",
)

FIGURE = Estimate(
    key="goodput_mbit_per_s",
    unit="Mbit/s",
    meaning="goodput of bodies at the readers; of the test capacity at the sustained rate",
    pick=lambda case: case.goodput,
    tables={
        "throughput": Heading("Goodput", when="always"),
        "capacity": Heading("Goodput", when="always"),
    },
    details="goodput",
    summary="Goodput",
    sheets={"throughput": "Goodput", "capacity": "Sustained goodput"},
    compared=COMPARED,
    explained=(
        Explained(
            "Goodput", ("mbit_per_s", "samples_per_s"),
            "Distinct samples and their bodies, counted at the reader. Mbit/s is 10⁶ bit/s.",
            "(n − 1) / t for n samples of a flow, t = t_last − t_first but no less than "
            "was written; × size × 8 / 10⁶. Flows at a rate are added; at full speed t "
            "is the time in which at least one ran. For batches: received / time in "
            "which at least one was under way. " + STUDENT,
            "interval counters of the receiver; `batches`",
            "Bytes on the wire: the 64-byte header, protocol headers and repeats are not in it.",
            section="Throughput",
        ),
    ),
)  # fmt: skip
