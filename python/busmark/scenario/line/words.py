"""What stands behind the options of a line: the words of scenario files, joined by commas.

Each function takes the text of one option, and raises `Mistaken` with all that is wrong: for each
mistake what it is and, behind a line break, what to write instead.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

from busmark.errors import nearest
from busmark.model import units
from busmark.model.settling import ROS_PROFILES
from busmark.model.units import FILE_SIZE, parse_sizes
from busmark.scenario.matrix import QosMatrix

Value = TypeVar("Value")

PLACEMENTS = ("same", "different", "free")

POLICIES = {
    "reliable": "reliability",
    "best_effort": "reliability",
    "keep_last": "history",
    "keep_all": "history",
    "volatile": "durability",
    "transient_local": "durability",
    "reception": "destination_order",
    "source": "destination_order",
    **{name: "profile" for name in ROS_PROFILES if name != "default"},
}
"""Words of QoS that stand alone, and the key of `[matrix.qos]` whose values they are."""


class Mistaken(ValueError):
    """A mistake in the text of an option."""

    def __init__(self, *mistakes: str) -> None:
        self.mistakes = mistakes
        super().__init__("\n".join(mistakes))


def _read_parts(text: str, read: Callable[[str], Value]) -> list[Value]:
    """Read every part; raise the mistakes of all parts together."""
    values, mistakes = list[Value](), list[str]()
    for part in several(text):
        try:
            values.append(read(part))
        except Mistaken as wrong:
            mistakes += wrong.mistakes
        except ValueError as wrong:
            mistakes.append(str(wrong))
    if mistakes:
        raise Mistaken(*mistakes)
    return values


def several(text: str) -> list[str]:
    """Split at commas, but not at commas within parentheses: `uniform(64, 4096)`."""
    parts = [part.strip() for part in re.split(r",(?![^()]*\))", text)]
    if not all(parts):
        raise Mistaken(f"{text!r} has an empty part\nWrite values joined by commas: a,b.")
    return parts


def sizes(text: str) -> list[int | str]:
    """Read sizes in bytes, `64,1k`, or distributions as in `[matrix] size`."""
    return _read_parts(text, _size)


def _size(part: str) -> int | str:
    if "(" in part or part == FILE_SIZE:
        if part != FILE_SIZE:
            parse_sizes(part)
        return part
    return units.read_size(part)


def rates(text: str) -> list[float]:
    """Read rates, `0,100Hz,10kHz`: samples per second."""
    return _read_parts(text, lambda part: units.read(part, "rate"))


def counts(text: str) -> list[int]:
    """Read whole numbers from 1: `1,10`."""
    return _read_parts(text, _count)


def _count(part: str) -> int:
    if not part.isdecimal() or not int(part):
        raise Mistaken(f"{part!r} is not a whole number above 0\nWrite for example 1,10.")
    return int(part)


def times(text: str) -> list[float]:
    """Read times, `0,500us,2ms`, in seconds."""
    return _read_parts(text, lambda part: units.read(part, "time"))


def seconds(text: str) -> float:
    """Read a time above 0, `0.5`, `500ms` or `1m30s`, in seconds."""
    try:
        value = units.read(text, "time")
    except ValueError as wrong:
        raise Mistaken(str(wrong)) from None
    if value == 0:
        raise Mistaken("0 s measures nothing\nWrite a time above 0: --duration 0.5s.")
    return value


def rounds(text: str) -> int:
    """Read a number of rounds, 1 to 1000: `10`."""
    if not text.strip().isdecimal() or not 1 <= int(text) <= 1000:
        raise Mistaken(f"{text!r} is not a number of rounds\nWrite 1 to 1000: --rounds 10.")
    return int(text)


def share(text: str) -> float:
    """Read `+-2%`, `±2%`, `2%` or `0.02`: half of the interval's width, relative."""
    plain = text.strip().removeprefix("+-").removeprefix("±").strip()
    try:
        value = units.read(plain, "share")
    except ValueError:
        value = 0.0
    if not 0 < value < 1:
        raise Mistaken(f"{text!r} is no share between 0 and 100 %\nWrite --to +-2%.")
    return value


def placements(text: str) -> list[str]:
    """Read placements: `same,different,free`, or CPUs such as `0+1`."""
    return _read_parts(text, _placement)


def _placement(part: str) -> str:
    if part not in PLACEMENTS and not all(cpu.isdecimal() for cpu in part.split("+")):
        raise Mistaken(
            f"{part!r} is not same, different, free or CPU numbers joined by +\n"
            + nearest(part, PLACEMENTS, "Write for example --placement same,different.")
        )
    return part


def qos(text: str) -> dict[str, list[Any]]:
    """Read policies, `reliable,keep_last:8`: return a list of values by key of `[matrix.qos]`. A
    policy that has no words of its own is `KEY:VALUE`, as `deadline_s:0.1`."""
    found: dict[str, list[Any]] = {}
    depths: list[int] = []
    for key, value, depth in _read_parts(text, _policy):
        values = found.setdefault(key, [])
        if value not in values:
            values.append(value)
        if value == "keep_last":
            depths.append(depth)
    if depths and depths != [1]:
        found["depth"] = [*dict.fromkeys(depths)]
    return found


def _policy(part: str) -> tuple[str, Any, int]:
    """Return key and value of a policy, and the depth of keep-last, 1 for all others."""
    word, given, value = (piece.strip() for piece in part.replace("=", ":").partition(":"))
    word = word.replace("-", "_")
    if word == "keep_last":
        return POLICIES[word], word, _depth(part, value) if given else 1
    if word in POLICIES and given:
        raise Mistaken(f"{part!r}: {word} has no value\nWrite {word} alone.")
    if word in POLICIES:
        return POLICIES[word], word, 1
    if given and word in QosMatrix.model_fields:
        return word, _value(value), 1
    raise _unknown(part, word)


def _depth(part: str, value: str) -> int:
    if not value.isdecimal() or not int(value):
        raise Mistaken(f"{part!r}: {value!r} is no depth\nWrite for example keep_last:8.")
    return int(value)


def _value(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _unknown(part: str, word: str) -> Mistaken:
    known = [*POLICIES, *(f"{key}:VALUE" for key in QosMatrix.model_fields)]
    if word in QosMatrix.model_fields:
        return Mistaken(f"{part!r}: {word} needs a value\nWrite for example {word}:1.")
    near = nearest(word, [*POLICIES, *QosMatrix.model_fields], f"Known: {', '.join(known)}.")
    return Mistaken(f"{part!r} is no policy\n{near}")
