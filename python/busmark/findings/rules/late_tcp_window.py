"""Late samples that TCP held back behind earlier bytes."""

from __future__ import annotations

from busmark.findings.late import late_rule

RULE = late_rule(
    "late-tcp-window",
    ("tcp-window",),
    title="Late samples waited in TCP behind earlier bytes",
    cause="When the sample was written, bytes before it had not been sent, or were not "
    "acknowledged: it left behind them, or right after an acknowledgement. TCP sends no more "
    "than the window of the receiver and of the network allow; after a loss the latter is small.",
    remedy="Lower rate or size; look for retransmissions; raise the receive buffer of the reader.",
    severity="warning",
    explains=("bimodal", "rate-not-held"),
)
