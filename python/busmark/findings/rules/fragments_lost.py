"""Samples that were lost because one of the IP fragments that they travelled in was."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from busmark.findings.rule import Observation, Rule
from busmark.findings.text import count, whole

if TYPE_CHECKING:
    from busmark.findings.view import CaseView


def check_case(view: CaseView) -> Iterator[Observation]:
    sent = view.values("ip_fragmented", only_ok=False)
    whole_again = view.values("ip_reassembled", only_ok=False)
    fails, lost = view.total("ip_reassembly_fails"), view.total("lost")
    # A group has several receivers of one datagram: there more are put together than were sent.
    short = sum(max(n - whole_again.get(number, 0), 0) for number, n in sent.items())
    if not lost or short + fails <= 0:
        return
    refused = f"; {whole(fails)} times one was given up or refused" if fails else ""
    yield Observation(
        "warning",
        f"{count(view.total('ip_fragmented'), 'datagram')} sent in fragments, "
        f"{whole(view.total('ip_reassembled'))} put together{refused}; {whole(lost)} samples lost",
        weight=short + fails,
    )


RULE = Rule(
    id="fragments-lost",
    title="Samples were lost in IP fragments",
    cause="A datagram that is larger than a packet of the link travels in several, and is lost "
    "whole when one of them is. The receiver keeps what is incomplete for up to 30 s "
    "(net.ipv4.ipfrag_time), and when that fills the memory for it (net.ipv4.ipfrag_high_thresh, "
    "4 MiB unless set) it refuses all further fragments: then everything is lost, in rounds that "
    "follow as well.",
    remedy="Use samples smaller than a packet of the link, or a middleware that cuts and repeats "
    "them itself; or on the receiver, in its network namespace, raise net.ipv4.ipfrag_high_thresh "
    "and lower net.ipv4.ipfrag_time by sysctl.",
    check_case=check_case,
    explains=(
        "rounds-lost", "loss-under-reliable", "loss-in-latency", "rounds-disagree",
        "non-stationary", "too-few-samples",
    ),
    concerns=("lost",),
)  # fmt: skip
