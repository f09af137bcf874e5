"""Late samples that RTPS sent again."""

from __future__ import annotations

from busmark.findings.late import late_rule

RULE = late_rule(
    "late-rtps-retransmission",
    ("rtps-retransmission", "fragment-resent"),
    title="Late samples waited for a retransmission of RTPS",
    cause="A reader asked for the sample, for a fragment of it, or for one before it, by "
    "ACKNACK or NACK_FRAG, and the writer sent it again: it was lost, or came too "
    "late. A reliable reader delivers in order, so that later samples wait as well.",
    remedy="Look for the loss: `udp-drops` has what the kernel dropped at sockets, "
    "`fragments-lost` and `link-loss` what the network lost. Best effort does not "
    "wait for what is lost.",
    severity="warning",
    explains=("bimodal", "rounds-disagree", "rate-not-held", "non-stationary"),
)
