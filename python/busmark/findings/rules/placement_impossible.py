"""A placement that this machine cannot give."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from busmark.findings.rule import Capabilities, Observation, Profile, Rule
from busmark.findings.rules.few_cpus import on_one_node, usable
from busmark.findings.text import listed
from busmark.host.read import cpu_list

if TYPE_CHECKING:
    from busmark.model.parameters import Parameters


def check_plan(
    params: Parameters, profile: Profile, _capabilities: Capabilities
) -> Iterator[Observation]:
    placement = str(params.placement or "")
    cpus = usable(profile)
    if placement == "different":
        if cpus == 1 and on_one_node(params) > 1:
            yield Observation("error", 'placement "different" with one usable CPU')
        return
    allowed = profile.get("cpus_allowed")
    named = cpu_list(placement.replace("+", ",")) if placement[:1].isdigit() else None
    absent = sorted(set(named or ()) - set(allowed or named or ()))
    # On nodes each has its own: which of the CPUs is wanted where is known when the round begins.
    if absent and (params.network != "nodes" or len(absent) == len(set(named or ()))):
        yield Observation("error", f"CPU {listed(absent)} may not be used; asked for: {placement}")


RULE = Rule(
    id="placement-impossible",
    title="The machine does not have the CPUs that the placement asks for",
    cause="Participants cannot be pinned where the scenario puts them.",
    remedy='Use placement "same" or other CPUs, or lift the limit that `taskset -p $$` shows.',
    check_plan=check_plan,
)
