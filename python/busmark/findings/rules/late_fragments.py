"""Late samples whose fragments came far apart, or not all."""

from __future__ import annotations

from busmark.findings.late import late_rule

RULE = late_rule(
    "late-fragments",
    ("fragments",),
    title="Late samples waited for their last fragment",
    cause="The sample is larger than a packet. The time from its first fragment to its "
    "last, of RTPS or of IP, is at least half of the delay; or fragments completed "
    "no datagram, and the sample was lost.",
    remedy="A faster link, a larger MTU or smaller samples; middleware that sends "
    "fragments of RTPS need not repeat a whole datagram for a fragment of IP.",
    severity="warning",
    explains=("bimodal",),
)
