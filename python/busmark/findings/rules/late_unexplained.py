"""Late or lost samples that packets do not explain."""

from __future__ import annotations

from busmark.findings.late import late_rule

RULE = late_rule(
    "late-unexplained",
    ("unexplained",),
    title="Late or lost samples without an explanation in the packets",
    cause="Their packets are not in the capture, belong to several readers, or show no "
    "wait that covers half of the delay.",
    remedy="See `busmark capture explain` for the packets of the worst.",
)
