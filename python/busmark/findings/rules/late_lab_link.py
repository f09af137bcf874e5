"""Lost samples whose packet the lab's links dropped behind the capture."""

from __future__ import annotations

from busmark.findings.late import late_rule

RULE = late_rule(
    "late-lab-link",
    ("lab-link",),
    title="Packets of lost samples were captured before a link that loses packets",
    cause="The packet was captured where it enters its reader's node, behind which "
    "`link.loss` drops packets at random, as the scenario asks for; the reader "
    "never had it.",
    remedy="Read loss as a property of this link; compare with a case whose `link.loss` is empty.",
)
