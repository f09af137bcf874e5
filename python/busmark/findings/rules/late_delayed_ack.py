"""Late samples that waited for a delayed acknowledgement."""

from __future__ import annotations

from busmark.findings.late import late_rule

RULE = late_rule(
    "late-delayed-ack",
    ("delayed-ack",),
    title="Late samples waited for a delayed acknowledgement",
    cause="A segment of the message was held back by the sender's TCP (Nagle's algorithm) "
    "until the segment before it was acknowledged, and the receiver delayed that "
    "acknowledgement, by 40 ms or more on Linux, to send it along with data. The "
    "packets show both: the acknowledgement without data, and the segment right "
    "after it.",
    remedy="Set TCP_NODELAY on the sending side, in the middleware's configuration and in "
    "the broker's if there is one, or send each message with one call.",
    severity="warning",
    explains=("nagle-delayed-ack", "bimodal", "rate-not-held", "non-stationary", "rounds-disagree"),
)
