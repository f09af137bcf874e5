"""Samples that were written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from busmark.analysis.catalogue.entry import STUDENT, Explained, Number

if TYPE_CHECKING:
    from busmark.analysis.model import CaseSummary


def _sent(case: CaseSummary) -> int | None:
    counted = case.latency or case.throughput
    return counted.sent if counted else None


FIGURE = Number(
    key="sent",
    meaning="samples written in those that count, after warm-up",
    pick=_sent,
    details="sent",
    summary="Sent",
    account=True,
    explained=(
        Explained(
            "Sent and lost pings", ("sent", "lost"),
            "Pings written in the measured time; how many of them got no pong.",
            "count of rows; count of rows without `read_ns`",
            "samples, role `pinger`",
            "Which way a sample was lost. In a closed loop a lost ping also costs `timeout_s` of "
            "silence.",
            section="Latency",
        ),
        Explained(
            "Sent, received, lost", ("sent", "received", "lost", "loss_share"),
            "Samples written in the measured time; distinct ones of them received; the rest.",
            "lost = sent − received, counted when all have come or nothing new has for a while. "
            "Share: " + STUDENT,
            "the reader's sequence ledger",
            "Why. Losses under best effort are the protocol's right; under reliable see the "
            "finding `loss-under-reliable`.",
            section="Throughput",
        ),
    ),
)  # fmt: skip
