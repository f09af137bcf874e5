"""What the user adds with `--set key=value`: parameters that a source does not state."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from busmark.errors import UserError, nearest

KEYS = (
    "adapter", "transport", "profile", "payload", "size", "wait", "placement", "arrivals",
    "rate_hz", "peer", "topics", "writers", "readers", "publishers", "subscribers", "instances",
    "load", "writer_on", "reader_on", "link_rate", "link_loss", "link_delay", "link_jitter",
)  # fmt: skip
"""Parameters of a case; with `qos.` and `settings.` before it any name."""

PREFIXES = ("qos.", "settings.")

WHOLE = {"size", "topics", "writers", "readers", "publishers", "subscribers", "instances"}
NUMBERS = {"rate_hz"}
ASSUMED = {"placement": "unstated", "arrivals": "unstated"}
"""Parameters that say that the source does not state them."""

ARRIVALS = ("closed", "constant", "poisson", "paced", "unstated")
FLOOR = "null"


def given(settings: Sequence[str]) -> dict[str, Any]:
    """By key. Raises `UserError` for what is no parameter, or no value of it."""
    found: dict[str, Any] = {}
    for setting in settings:
        key, equals, text = setting.partition("=")
        key = key.strip()
        if not equals or not text.strip():
            raise UserError(f"{setting!r} is not KEY=VALUE", where="--set")
        if key not in KEYS and not (key.startswith(PREFIXES) and key.partition(".")[2]):
            there = f"There are {', '.join(KEYS)}, qos.NAME and settings.NAME."
            raise UserError(
                f"no parameter {key!r}",
                where="--set",
                remedy=nearest(key, [*KEYS, *PREFIXES], always=there),
            )
        found[key] = _value(key, text.strip())
    return found


def _value(key: str, text: str) -> Any:
    try:
        value = json.loads(text, parse_constant=lambda _: text)
    except ValueError:
        value = text
    if not isinstance(value, str | int | float | bool):
        value = text
    if key in WHOLE and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
        raise UserError(f"{key} is a whole number, not {text!r}", where="--set")
    if key in NUMBERS and (isinstance(value, bool) or not isinstance(value, int | float)):
        raise UserError(f"{key} is a number, not {text!r}", where="--set")
    if key == "arrivals" and value not in ARRIVALS:
        raise UserError(f"arrivals are {', '.join(ARRIVALS)}, not {text!r}", where="--set")
    if key in KEYS and key not in WHOLE | NUMBERS:
        value = text
    if (key, value) == ("adapter", FLOOR):
        raise UserError("the adapter null is Busmark's own", where="--set")
    return value


def apply(settings: dict[str, Any], params: dict[str, Any], where: str) -> dict[str, Any]:
    """The parameters with what was added. What the source states stays: another value is refused,
    except for the adapter's name."""
    made = {**params}
    for key, value in settings.items():
        group, dot, name = key.partition(".")
        place = made.setdefault(group, {}) if dot else made
        if dot:
            place = made[group] = dict(place)
        key = name if dot else key
        stated = place.get(key)
        free = stated is None or stated == ASSUMED.get(key) or key == "adapter"
        if not free and stated != value:
            raise UserError(
                f"the file states {group + dot + name}: {stated}, not {value}",
                where=where,
                remedy="Leave this --set out, or import the file by itself.",
            )
        place[key] = value
    return made
