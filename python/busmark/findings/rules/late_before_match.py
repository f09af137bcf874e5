"""Samples that were written before a reader was announced."""

from __future__ import annotations

from busmark.findings.late import late_rule

RULE = late_rule(
    "late-before-match",
    ("before-match",),
    title="Samples were written before any reader was known",
    cause="No other participant had announced a reader on the wire when the sample was "
    "written. A volatile writer does not keep such a sample; a durable one delivers "
    "it when the reader is there.",
    remedy="Wait for the match before writing, or ask for durability transient local.",
    severity="warning",
    explains=("loss-in-latency", "loss-under-reliable"),
)
