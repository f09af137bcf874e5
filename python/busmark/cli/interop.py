"""`busmark interop`."""

from __future__ import annotations

from busmark.cli.one_line import of_one_line

HELP = """\
See whether writers of each ADAPTER reach readers of every other, and at what cost.

Every pair is measured, including each ADAPTER with itself: latency, and throughput at full speed.
Received bodies are checked against what was written. The other pairs are compared with the best.
Exit code 1 if a pair does not work.
"""

command = of_one_line(
    "interop", HELP,
    "cyclonedds fastdds",
    "cyclonedds dustdds --size 64,65536 --rounds 5",
)  # fmt: skip
