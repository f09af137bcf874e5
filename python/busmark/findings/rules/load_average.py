"""Other work ran in the minute before; `other_load` reports work during the rounds."""

from __future__ import annotations

from collections.abc import Iterator

from busmark.findings.rule import CheckedFact, Observation, Profile, Rule
from busmark.findings.text import share

MAX_LOAD_PER_CPU = 0.25
"""Mean share of a CPU that other work may take. A participant woken at a random moment finds its
CPU taken in that share of cases: above a quarter, the upper quartile is other work's."""


def check_host(profile: Profile) -> Iterator[Observation]:
    load, cpus = profile.get("load_average"), profile.get("cpus_online")
    if not load or not cpus or load[0] / cpus <= MAX_LOAD_PER_CPU:
        return
    yield Observation(
        "note",
        f"load average {load[0]:.2f} over the last minute on {cpus} CPUs, "
        f"{share(load[0] / cpus)} of a CPU each",
    )


def fact(profile: Profile) -> CheckedFact:
    load = profile.get("load_average")
    value = " ".join(f"{part:.2f}" for part in load) if load else None
    return CheckedFact("load average", value, "little else is running")


RULE = Rule(
    id="load-average",
    title="Machine was busy in the last minute",
    cause="Other tasks take turns with the participants on their CPUs, and fill the caches. The "
    "load average includes work that ended minutes ago, such as an earlier campaign; work "
    "of other processes during the rounds is reported as `other-load`.",
    remedy="End it, or wait a minute if it has just ended. See what it is: "
    "`ps -eo pcpu,pid,args --sort=-pcpu | head`.",
    check_host=check_host,
    fact=fact,
)
