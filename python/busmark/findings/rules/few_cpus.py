"""Too few CPUs to keep the participants apart from everything else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import ceil, inf
from typing import TYPE_CHECKING

from busmark.findings.rule import CheckedFact, Observation, Profile, Rule
from busmark.findings.text import count

if TYPE_CHECKING:
    from busmark.model.parameters import Parameters

ENOUGH = 3
"""One for each of two participants and one for the controller, interrupts and everything else."""


def usable(profile: Profile) -> int | None:
    """CPUs that this process may use."""
    allowed = profile.get("cpus_allowed")
    number: int | None = len(allowed) if allowed is not None else profile.get("cpus_online")
    return number


def on_one_node(params: Parameters) -> int:
    """Participants that share a machine at most."""
    publishers, subscribers = params.publishers or 1, params.subscribers or 1
    if params.applications:
        nodes = 1 if params.network == "nodes" else len(str(params.writer_on).split("+"))
        return int(params.applications) * nodes
    if params.network != "nodes":
        return publishers + subscribers
    writing, reading = (
        str(getattr(params, side)).split("+") for side in ("writer_on", "reader_on")
    )
    # Taken in turn, where there are more of them than nodes.
    each = (ceil(publishers / len(writing)), ceil(subscribers / len(reading)))
    return sum(each) if set(writing) & set(reading) else max(each)


def can_differ(params: Parameters, profiles: Iterable[Profile]) -> bool:
    """Return whether placement "different" is possible: a CPU for each participant."""
    cpus = [known for profile in profiles if (known := usable(profile)) is not None]
    return params.deployment != "one" and min(cpus, default=inf) >= on_one_node(params)


def check_host(profile: Profile) -> Iterator[Observation]:
    cpus = usable(profile)
    if cpus is None or cpus >= ENOUGH:
        return
    online = profile.get("cpus_online")
    evidence = f"{count(cpus, 'CPU')} may be used" + (f" of {online} online" if online else "")
    if cpus == 1:
        yield Observation(
            "warning",
            evidence,
            title="Only one CPU",
            cause="Participants, controller and kernel take turns on it: latency includes the "
            "others' work, and one CPU limits the throughput of both sides.",
            remedy='Measure with placement "same" only, or on a machine with more CPUs.',
        )
    else:
        yield Observation("note", evidence)


def fact(profile: Profile) -> CheckedFact:
    cpus = usable(profile)
    return CheckedFact(
        "usable CPUs", str(cpus) if cpus is not None else None, "enough to keep participants apart"
    )


RULE = Rule(
    id="few-cpus",
    title="Only two CPUs",
    cause="Placed on different CPUs, the participants leave none for the controller, interrupts "
    "and other tasks.",
    remedy="Let nothing else run; compare figures of this machine only with each other.",
    check_host=check_host,
    fact=fact,
)
