"""Late samples with nothing remarkable on the wire: where their time passed."""

from __future__ import annotations

from busmark.findings.late import late_rule

RULE = late_rule(
    "late-elsewhere",
    ("on-link", "written-late", "in-writer", "in-answerer", "in-reader"),
    title="Late samples spent their time outside the protocols",
    cause="No retransmission, no fragment and no acknowledgement explains these samples. "
    "Their packets only divide the delay: before the write, from the write to the "
    "wire, between two hosts, in the answering process, or from the wire to the "
    "reading. What passes within a host is its processes and their scheduling; "
    "packets do not distinguish the two.",
    remedy="Read which part it is in the evidence, then look at that process: `busmark "
    "show DIRECTORY --findings` names CPUs that others used, page faults and "
    "throttling; `busmark capture explain` shows the packets.",
)
