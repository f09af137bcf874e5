"""Names of cases: what tells each apart from the others of its scenario.

A name is all that plan, progress, findings, file names and `DIR#CASE` show of a case. So it carries
every parameter that varies, QoS and options included.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from typing import Any

from busmark.model.parameters import BY_NAME, PARAMETERS
from busmark.scenario.security import UNSECURED

Point = dict[str, Any]

NESTED = {"qos": ("adapter", "peer", "test"), "settings": ("adapter",),
          "peer_settings": ("peer",)}  # fmt: skip
"""Parameters that are tables themselves, and what their values are compared within: that another
adapter has no such QoS or option is said by its name."""

ORDER = (
    "peer", "transport", "peer_transport", "payload", "size", "size_distribution", "wait",
    "placement", "profile", "security",
    "rate_hz", "arrivals", "applications", "topics", "writers", "readers", "publishers",
    "subscribers", "topology",
    "batch", "batch_ack", "stream_hz", "instances", "filter_below", "new", "creates", "existing",
    "writer_on", "reader_on",
    "link_rate", "link_loss", "link_delay", "link_jitter", "link_burst", "link_reassembly",
    "load", "load_on",
)  # fmt: skip
"""Parameters in the order in which names have them; all others follow, as the points state them."""

LAST = ("settings", "peer_settings", "qos", "chosen_flows", "side")
"""Parameters that follow all others in a name."""

UNSET = {"None", "none"}

LONGEST = 160
"""Characters of a name: file names have 255 bytes, and something is added to them."""


def identifiers(points: Sequence[Point]) -> list[str]:
    """The name of each case of a scenario, with its number first."""
    flat = [_flat(point) for point in points]
    shown = _varying(flat)
    return [_identifier(index, point, shown) for index, point in enumerate(flat)]


def alike(points: Sequence[Point]) -> dict[str, Any]:
    """What the plan settles in the same way for all cases because the scenario does not; their
    names do not say it."""
    flat = [_flat(point) for point in points]
    settled = [each.name for each in PARAMETERS if each.settled]
    values = {name: {str(point.get(name)) for point in flat} for name in settled}
    same = [name for name, found in values.items() if len(found) == 1 and not found <= UNSET]
    return {name: flat[0][name] for name in same}


def _flat(point: Point) -> Point:
    flat: Point = {}
    for name in sorted(point, key=lambda name: LAST.index(name) + 1 if name in LAST else 0):
        value = point[name]
        if name in NESTED:
            flat |= {f"{name}.{key}": of for key, of in (value or {}).items()}
        else:
            flat[name] = value
    return flat


def _varying(points: Sequence[Point]) -> list[str]:
    """Parameters with more than one value, in the order of the name; and the size."""
    names = dict.fromkeys((*ORDER, *(name for point in points for name in point)))
    return [name for name in names if name == "size" or (_is_named(name) and _varies(name, points))]


def _is_named(name: str) -> bool:
    return name not in BY_NAME or BY_NAME[name].named


def _varies(name: str, points: Sequence[Point]) -> bool:
    follows = BY_NAME[name].follows if name in BY_NAME else ()
    within = (*NESTED.get(name.partition(".")[0], ()), *follows)
    values: dict[tuple[str, ...], set[str]] = {}
    for point in points:
        of = tuple(str(point.get(key)) for key in within)
        values.setdefault(of, set()).add(str(point.get(name)))
    return any(len(of) > 1 for of in values.values())


def _identifier(index: int, point: Point, shown: Iterable[str]) -> str:
    adapter = point["adapter"].rsplit("/", 1)[-1].removeprefix("libbusmark_").removesuffix(".so")
    parts = [point["test"], adapter]
    for name in shown:
        value = point.get(name)
        if value is None or (name == "transport" and value == adapter):
            continue
        if name == "security" and value == UNSECURED:
            continue
        if name == "size" and point["size_distribution"]:
            continue
        parts.append(_part(name, value))
    name = "-".join(filter(None, (_for_file_names(part) for part in parts)))
    if len(name) > LONGEST:
        digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:8]
        name = f"{name[: LONGEST - 9]}-{digest}"
    return f"{index:03d}-{name}"


def _part(name: str, value: Any) -> str:
    if isinstance(value, float):
        # All of its digits: two rates that differ have two names.
        value = f"{value:.0f}" if value.is_integer() else repr(value)
    if name == "security":
        return f"secured{value}"
    known = BY_NAME.get(name)
    group, _, key = name.partition(".")
    if group not in NESTED:
        return f"{value}{known.suffix if known else ''}"
    if known and known.alone:
        return str(value)
    if key.endswith("_s"):
        return f"{key.removesuffix('_s')}{value}s"
    return f"peer{key}{value}" if group == "peer_settings" else f"{key}{value}"


def _for_file_names(text: str) -> str:
    for sign, word in (("+", "and"), (",", "to"), ("%", "pct")):
        text = text.replace(sign, word)
    return re.sub(r"[^A-Za-z0-9.]+", "", text)
