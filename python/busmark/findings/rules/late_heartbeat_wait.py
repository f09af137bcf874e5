"""Late samples whose loss was noticed only by a heartbeat."""

from __future__ import annotations

from busmark.findings.late import late_rule

RULE = late_rule(
    "late-heartbeat-wait",
    ("heartbeat-wait",),
    title="Late samples were recovered only after a heartbeat",
    cause="The sample, or one before it, was lost or came too late, and its reader learned of it "
    "by a later HEARTBEAT of the writer: more than half of the wait was for this heartbeat. The "
    "rest is the reader's ACKNACK and the writer's second copy.",
    remedy="Look for the loss first. A shorter heartbeat period, or a heartbeat with "
    "every sample, shortens the wait, at the cost of packets; the adapter's "
    "options name them where the middleware has such.",
    severity="warning",
    explains=("bimodal", "rounds-disagree", "rate-not-held", "non-stationary"),
)
