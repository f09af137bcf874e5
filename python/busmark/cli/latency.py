"""`busmark latency`."""

from __future__ import annotations

from busmark.cli.one_line import of_one_line

HELP = """\
Measure the latency of each ADAPTER, and say which is faster and by how much.

The others are compared with the best, by the median of half the round trip. Rounds are
interleaved. With a single ADAPTER, the values of --placement, --transport or --qos are compared.
Baselines, such as tcp, have no QoS: beside a middleware, --qos does not apply to them. Exit code 1
if a round failed.
"""

command = of_one_line(
    "latency", HELP,
    "cyclonedds tcp --size 64,1024",
    "udp --placement same,different --rate 1000",
    "cyclonedds --qos reliable,best_effort --to +-2%",
)  # fmt: skip
