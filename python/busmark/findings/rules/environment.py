"""Variables of the environment that change participants, or that somebody set in vain."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from busmark.findings.rule import Capabilities, CheckedFact, Observation, Profile, Rule
from busmark.findings.text import listed
from busmark.host.variables import ACTING, OFFERED, is_one_of

if TYPE_CHECKING:
    from busmark.model.parameters import Parameters

CONFIG = "config"
"""The option that takes a file of the user's."""

ROS = (
    "RMW_*", "ROS_AUTOMATIC_DISCOVERY_RANGE", "ROS_STATIC_PEERS", "ROS_DISCOVERY_SERVER",
    "ROS_SUPER_CLIENT", "ROS_LOCALHOST_ONLY", "ROS_SECURITY_*", "FASTDDS_*", "FASTRTPS_*",
    "CYCLONEDDS_URI", "NDDS_QOS_PROFILES", "ZENOH_*",
)  # fmt: skip
"""What ROS and the implementations of rmw read; the domain is the case's."""

TAKEN: Mapping[str, tuple[str, ...]] = {
    "cyclonedds": ("CYCLONEDDS_URI",),
    "fastdds": ("FASTRTPS_DEFAULT_PROFILES_FILE",),
    "fastdds-jazzy": ("FASTRTPS_DEFAULT_PROFILES_FILE",),
    "fastdds3": ("FASTDDS_DEFAULT_PROFILES_FILE",),
    "rmw": ROS,
    "rmw-jazzy": ROS,
    "zenoh": ("ZENOH_CONFIG",),
}
"""By adapter, patterns of the variables that `option.config = "env"` takes."""

FASTDDS = ("FASTDDS_*", "FASTRTPS_*", "ROS_DISCOVERY_SERVER")

OF = {
    "cyclonedds": ("CYCLONEDDS_*",),
    "fastdds": FASTDDS,
    "fastdds-jazzy": FASTDDS,
    "fastdds3": FASTDDS,
    "rmw": (*ROS, "ROS_DOMAIN_ID"),
    "rmw-jazzy": (*ROS, "ROS_DOMAIN_ID"),
    "rti": ("NDDS_*",),
    "zenoh": ("ZENOH_*",),
}
"""Variables by which users configure the middleware of an adapter."""


def check_host(profile: Profile) -> Iterator[Observation]:
    acting = _named(profile.get("environment") or {}, ACTING)
    if acting:
        yield Observation("warning", listed(acting))


def check_plan(
    params: Parameters, profile: Profile, _capabilities: Capabilities
) -> Iterator[Observation]:
    around = profile.get("environment") or {}
    words = shlex.split(params.side_environment or "")
    own = dict(word.partition("=")[::2] for word in words)
    sides = ((params.adapter, params.settings), (params.peer or "", params.peer_settings))
    for adapter, settings in sides:
        taken = TAKEN.get(adapter, ()) if (settings or {}).get(CONFIG) == "env" else ()
        for variables, severity in ((around, "note"), (own, "warning")):
            ignored = {
                name: value
                for name, value in variables.items()
                if not is_one_of(name, (*taken, *ACTING))
            }
            if named := _named(ignored, OF.get(adapter, ())):
                yield Observation(
                    "warning" if severity == "warning" else "note",
                    listed(named),
                    group=f"{adapter} {severity}",
                    title=f"{adapter} does not read variables that are set",
                    cause="An adapter takes nothing from the environment unless it is asked to, so "
                    "that a campaign measures what its scenario says.",
                    remedy=_remedy(adapter),
                )
        if read := _named({**around, **own}, taken):
            yield Observation(
                "note",
                listed(read),
                group=f"{adapter} taken",
                title=f"{adapter} is configured by the user's environment",
                cause='The option config = "env" takes it; what the case and other options set '
                "goes before it.",
                remedy="Keep these values, and the files they name, with the results.",
            )


def _remedy(adapter: str) -> str:
    if adapter in TAKEN:
        return (
            f'Set `{adapter}.config = "env"` in [matrix.option] to have '
            f"{'them' if len(TAKEN[adapter]) > 1 else TAKEN[adapter][0]} read."
        )
    return "Unset them, or state the settings as options of the adapter."


def _named(variables: Mapping[str, str], patterns: tuple[str, ...]) -> list[str]:
    return [f"{name}={value}" for name, value in variables.items() if is_one_of(name, patterns)]


def fact(profile: Profile) -> CheckedFact:
    variables: Mapping[str, str] | None = profile.get("environment")
    if variables is None:
        return CheckedFact("environment", None, "")
    named = _named(variables, (*ACTING, *OFFERED))
    return CheckedFact(
        "environment", listed(named) if named else "nothing that acts on participants",
        "no variable acts on every participant",
    )  # fmt: skip


RULE = Rule(
    id="environment",
    title="Variables of the environment change every participant",
    cause="The loader and the C library take them by themselves: a library in front of others, or "
    "another allocator, is part of every figure.",
    remedy="Unset them, or state them in the environment of a side of an `ab` comparison.",
    check_host=check_host,
    check_plan=check_plan,
    fact=fact,
)
