"""Late samples that DDS-XRCE sent again."""

from __future__ import annotations

from busmark.findings.late import late_rule

RULE = late_rule(
    "late-xrce-retransmission",
    ("xrce-retransmission",),
    title="Late samples waited for a retransmission of DDS-XRCE",
    cause="Client or agent asked by ACKNACK for the message with the sample, for a fragment of it, "
    "or for a message before it in its reliable stream, and the other end sent it again: it was "
    "lost, or came too late. A reliable stream is read in order, so that later samples wait as "
    "well. The ACKNACK often answers a HEARTBEAT, and then waits for the next one.",
    remedy="Look for the loss: `udp-drops` has what the kernel dropped at sockets, `link-loss` "
    "what the network lost. A shorter heartbeat period of the stream shortens the wait where it "
    "can be set; a best-effort stream does not wait for what is lost.",
    severity="warning",
    explains=("bimodal", "rounds-disagree", "rate-not-held", "non-stationary"),
)
