"""The plan: cases, what is unsupported and why, the order of rounds, the time it will take."""

from busmark.plan.counts import CHOSEN_S
from busmark.plan.duration import Pace, assumed, expected_s, is_chosen
from busmark.plan.expand import expand, order
from busmark.plan.flows import (
    ANY_RUN,
    End,
    Flows,
    PlannedFlow,
    PlannedParticipant,
    flows,
    of_run,
    run_identity,
    topics,
)
from busmark.plan.lacking import largest_size
from busmark.plan.placement import cpus_of, load_names, shares_cpu, spare_cpus
from busmark.plan.unsupported import links_of, unsupported

__all__ = [
    "ANY_RUN",
    "CHOSEN_S",
    "End",
    "Flows",
    "Pace",
    "PlannedFlow",
    "PlannedParticipant",
    "assumed",
    "cpus_of",
    "expand",
    "expected_s",
    "flows",
    "is_chosen",
    "largest_size",
    "links_of",
    "load_names",
    "of_run",
    "order",
    "run_identity",
    "shares_cpu",
    "spare_cpus",
    "topics",
    "unsupported",
]
