"""Values written with a unit where a scenario wants a plain number: what was probably meant."""

from __future__ import annotations

import re

SECONDS = {
    "ns": 1e-9,
    "us": 1e-6,
    "µs": 1e-6,
    "ms": 1e-3,
    "s": 1.0,
    "sec": 1.0,
    "min": 60.0,
    "h": 3600.0,
}
HERTZ = {"hz": 1.0, "/s": 1.0, "khz": 1e3, "k/s": 1e3, "mhz": 1e6, "k": 1e3}
BYTES = {
    "b": 1, "byte": 1, "bytes": 1, "k": 1000, "kb": 1000, "mb": 10**6, "m": 10**6, "gb": 10**9,
    "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30,
}  # fmt: skip
SHARE = {"%": 0.01}
SHARES = ("target", "min_rate", "min_load", "confidence")
"""Keys whose value is a share of 1."""

_WRITTEN = re.compile(r"\s*([0-9]+(?:\.[0-9]*)?(?:e[+-]?[0-9]+)?)\s*([a-zµ/%]*)\s*", re.IGNORECASE)


def plain(key: str, given: object) -> str | None:
    """The number as the key `key` wants it; None if `given` is not a number with a unit that
    fits."""
    found = _WRITTEN.fullmatch(given) if isinstance(given, str) and len(given) < 40 else None
    if found is None:
        return None
    unit = found[2].lower()
    table: dict[str, float] | dict[str, int]
    if key.endswith("_s"):
        table = SECONDS
    elif key.endswith("_hz"):
        table = HERTZ
    elif key == "size" or key.endswith("_bytes"):
        table = BYTES
    elif key in SHARES:
        table = SHARE
    else:
        table = {}
    factor = 1.0 if not unit else table.get(unit)
    return None if factor is None else f"{float(found[1]) * factor:.12g}"
