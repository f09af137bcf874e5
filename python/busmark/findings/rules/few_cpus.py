"""Too few CPUs to keep the participants apart from everything else."""

from __future__ import annotations

from collections.abc import Iterator

from busmark.findings.rule import CheckedFact, Observation, Profile, Rule
from busmark.findings.text import count

ENOUGH = 3
"""One for each of two participants and one for the controller, interrupts and everything else."""


def usable(profile: Profile) -> int | None:
    """CPUs that this process may use."""
    allowed = profile.get("cpus_allowed")
    number: int | None = len(allowed) if allowed is not None else profile.get("cpus_online")
    return number


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
