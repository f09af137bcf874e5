"""Jitter as a share of latency."""

from __future__ import annotations

from typing import TYPE_CHECKING

from busmark.analysis.catalogue.entry import STUDENT, Estimate, Explained

if TYPE_CHECKING:
    from busmark.analysis.figures import Figure
    from busmark.analysis.model import CaseSummary


def _share(case: CaseSummary) -> Figure | None:
    found = case.latency or case.throughput
    return found.jitter_share if found else None


FIGURE = Estimate(
    key="jitter_share",
    unit="1",
    meaning="median jitter over median latency, of each round",
    pick=_share,
    summary="Jitter of latency",
    summary_interval=False,
    explained=(
        Explained(
            "Jitter", ("jitter", "jitter_share"),
            "How much RTT/2 changes from a ping to the next of the same writer, as a magnitude: a "
            "distribution like the latency's. As a share: relative to each round's median latency.",
            "|x(s+1) − x(s)| for sequence numbers that both came back (RFC 3393, consecutive "
            "packets); share: median jitter / median latency of each round. " + STUDENT,
            "samples, role `pinger`, in order of intended sending",
            "Slow changes: it is made of neighbours. Pairs across a lost ping are left out.",
            section="Latency",
        ),
        Explained(
            "Jitter of probes", ("jitter", "jitter_share"),
            "How much the latency of probes changes from one to the next of the same writer, as a "
            "magnitude, and as a share of their median latency: one way, or of round trips where "
            "there is no one-way time.",
            "as the jitter of pings; two probes follow each other if none was lost between them",
            "samples, roles `receiver` and `transmitter`",
            "What happens between two samples in a row: most of them are no probes.",
            section="Throughput",
        ),
    ),
)  # fmt: skip
