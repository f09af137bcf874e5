"""Late or lost samples whose packet was captured and then dropped."""

from __future__ import annotations

from busmark.findings.late import late_rule

RULE = late_rule(
    "late-kernel-drop",
    ("kernel-drop",),
    title="The kernel dropped packets of late or lost samples",
    cause="The packet is in the capture of its reader's host, but the reader never had "
    "it, or asked for it again; and the kernel counted datagrams in this round that "
    "found the receive buffer of their socket full.",
    remedy="Raise the receive buffer: by the adapter's option where it has one, else by "
    "`sudo sysctl -w net.core.rmem_max=… net.core.rmem_default=…`; or lower rate, "
    "batch or size.",
    severity="warning",
    explains=("loss-under-reliable", "loss-in-latency", "rounds-lost", "bimodal"),
)
