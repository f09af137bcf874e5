"""Variables of the environment that bear on a measurement."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase

ACTING = (
    "LD_PRELOAD",
    "LD_AUDIT",
    "LD_BIND_NOW",
    "LD_PROFILE",
    "GLIBC_TUNABLES",
    "MALLOC_*",
    "ZENOH_RUNTIME",
)
"""Patterns of those that the loader, the C library or a middleware takes by itself: a participant
has no say in it."""

OFFERED = (
    "CYCLONEDDS_URI", "FASTDDS_*", "FASTRTPS_*", "NDDS_*", "RMW_*", "ROS_*", "ZENOH_*",
)  # fmt: skip
"""Patterns of those by which users configure a middleware."""


def variables(environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """Those that are set and not empty, by name; of this process unless others are given."""
    found = os.environ if environment is None else environment
    return {
        name: found[name]
        for name in sorted(found)
        if found[name] and (is_one_of(name, ACTING) or is_one_of(name, OFFERED))
    }


def is_one_of(name: str, patterns: Iterable[str]) -> bool:
    """Whether a variable is meant by one of these patterns."""
    return any(fnmatchcase(name, pattern) for pattern in patterns)
