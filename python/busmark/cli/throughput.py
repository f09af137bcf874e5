"""`busmark throughput`."""

from __future__ import annotations

from busmark.cli.one_line import of_one_line

HELP = """\
Measure how much each ADAPTER carries, and say which carries more and by how much.

The others are compared with the best, by goodput. Rounds are interleaved. With a single
ADAPTER, the values of --placement, --transport or --qos are compared. Baselines, such as tcp, have
no QoS: beside a middleware, --qos does not apply to them. Exit code 1 if a round failed.
"""

command = of_one_line(
    "throughput", HELP,
    "cyclonedds tcp --size 1024,16384",
    "cyclonedds --qos reliable,best_effort",
)  # fmt: skip
