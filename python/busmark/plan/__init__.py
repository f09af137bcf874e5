"""The plan: cases, what is unsupported and why, the order of rounds, the time it will take."""

from busmark.plan.expand import expand
from busmark.plan.loads import load_names
from busmark.plan.order import expected_s, order
from busmark.plan.placement import cpus_of, shares_cpu, spare_cpus
from busmark.plan.unsupported import largest_size, links_of, unsupported

__all__ = [
    "cpus_of",
    "expand",
    "expected_s",
    "largest_size",
    "links_of",
    "load_names",
    "order",
    "shares_cpu",
    "spare_cpus",
    "unsupported",
]
