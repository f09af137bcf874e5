"""Late samples that came after later ones."""

from __future__ import annotations

from busmark.findings.late import late_rule

RULE = late_rule(
    "late-reordering",
    ("reordering",),
    title="Late samples were overtaken on the way",
    cause="A packet with a later sample of the same writer, or a segment of TCP with "
    "later bytes, passed the interface before the packet of the sample, and nothing "
    "was sent again: the network changed the order. A reader that delivers in order "
    "holds the later ones back.",
    remedy="Look for several paths, or a queue with jitter; in a lab `link.jitter` "
    "changes the order.",
)
