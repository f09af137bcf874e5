"""Late samples that waited for TCP to send a segment again."""

from __future__ import annotations

from busmark.findings.late import late_rule

RULE = late_rule(
    "late-tcp-retransmission",
    ("tcp-retransmission",),
    title="Late samples waited for a retransmission of TCP",
    cause="A segment with bytes of the sample, or with bytes before it in the stream, had "
    "not been acknowledged and was sent again. TCP delivers in order: everything "
    "behind a lost segment waits for it.",
    remedy="Look for the loss: the link, its queue, the receiver's buffer "
    "(`late-kernel-drop`, `udp-drops` and `tcp-retransmits` have the kernel's "
    "counters). Over links that lose packets prefer a transport by datagrams, "
    "where old samples need not be waited for.",
    severity="warning",
    explains=("bimodal", "rounds-disagree", "rate-not-held", "non-stationary"),
)
