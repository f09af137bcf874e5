"""Late samples that stayed in an agent or a broker."""

from __future__ import annotations

from busmark.findings.late import late_rule

RULE = late_rule(
    "late-in-relay",
    ("in-relay",),
    title="Late samples stayed in an agent or broker",
    cause="The sample went into a process between writer and reader with one packet and "
    "left it with another: at least half of the delay lies between the two. It "
    "waited in a queue there, or the process had no CPU.",
    remedy="Give the agent or broker a CPU of its own; look at its options for batches, "
    "intervals and threads.",
    severity="warning",
    explains=("bimodal", "saturated-core"),
)
