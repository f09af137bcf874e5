"""Lost samples for which a stream of DDS-XRCE still asks."""

from __future__ import annotations

from busmark.findings.late import late_rule

RULE = late_rule(
    "late-xrce-unrepeated",
    ("xrce-unrepeated",),
    title="Lost samples of DDS-XRCE were asked for and not sent again",
    cause="Client or agent asked by ACKNACK for the message with the sample, or for one before it "
    "in its reliable stream, and the capture has no second copy. The stream is read in order: what "
    "comes after that message waits for it.",
    remedy="Look for the loss: `udp-drops` has what the kernel dropped at sockets, `link-loss` "
    "what the network lost. `busmark capture explain` has the packets of the worst: with them ask "
    "those who make the client or the agent that did not send it again.",
    severity="warning",
    explains=("loss-under-reliable", "loss-in-latency"),
)
