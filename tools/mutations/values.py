"""How values, texts and bytes are changed."""

from __future__ import annotations

from copy import deepcopy
from random import Random
from typing import Any

ODD: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    1,
    -1,
    2,
    64,
    10**6,
    2**31,
    2**53,
    2**63 - 1,
    -(2**63),
    2**63,
    2**64,
    10**30,
    -(10**18),
    0.0,
    0.5,
    -0.5,
    1e-320,
    1e18,
    1e300,
    -1e300,
    float("nan"),
    float("inf"),
    -float("inf"),
    "",
    "0",
    "-1",
    "nan",
    "1e999",
    "ok",
    "same",
    "latency",
    "throughput",
    "capacity",
    "../../x",
    "/dev/zero",
    "=1+1",
    "\x1b]0;x\x07\x1b[2J",
    "a\nb",
    "\x00",
    "\ud800",
    "\u202ex",
    "<script>",
    "{{ x }}",
    "x" * 5000,
    [],
    [1],
    ["x"],
    [[[]]],
    [None],
    {},
    {"x": 1},
    {"": []},
)

ODD_TEXT = (
    "",
    "0",
    "-1",
    "-0.5",
    "100",
    "101",
    "1e18",
    "1e99999999999999999999",
    "-1e400",
    "nan",
    "inf",
    "9" * 40,
    "0x10",
    "1_000",
    "٣",
    "1,5",
    "x",
    "same",
    "null",
    "true",
    "[]",
    "{}",
    '"',
    "'",
    "\x00",
    "\x1b[2J",
    "\u2028",
    "%",
    "..",
    "é",
    "=1+1",
    "  ",
    "\t",
    ",",
    ";",
    ":",
    "/",
)


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the path of every place in a JSON document."""
    found = [at] if at else []
    if isinstance(value, dict | list):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            found += places(part, (*at, key))
    return found


def change(document: Any, rng: Random, where: list[tuple[Any, ...]]) -> None:
    """Change one to three places of a JSON document into something else, in place."""
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        place = rng.choice(where)
        try:
            holder = document
            for key in place[:-1]:
                holder = holder[key]
            _change(holder, place[-1], rng)
        except (KeyError, IndexError, TypeError):
            continue  # an earlier change took the place away


def _change(holder: Any, key: Any, rng: Random) -> None:
    old = holder[key]
    act = rng.randrange(8)
    if act == 0:
        del holder[key]
    elif act == 1 and isinstance(holder, list):
        holder.insert(key, old)
    elif act == 1:
        holder[str(rng.choice(ODD))] = old
    elif act == 2 and isinstance(old, int | float) and not isinstance(old, bool):
        holder[key] = rng.choice((-old, old * 1000, old * 10**15, old + 1, old / 3))
    elif act == 3 and isinstance(old, str):
        holder[key] = text(old, rng)
    else:
        # A copy: the next change may be within it.
        holder[key] = deepcopy(rng.choice(ODD))


def text(old: str, rng: Random) -> str:
    """Return a text with a few changes."""
    changed = old
    for _ in range(rng.choice((1, 1, 2, 4))):
        changed = _once(changed, rng)
    return changed


def _once(old: str, rng: Random) -> str:
    begin = rng.randrange(len(old) + 1)
    end = min(len(old), begin + rng.choice((0, 1, 1, 2, 5, 40)))
    act = rng.randrange(7)
    if act == 0:
        return old[:begin] + old[end:]
    if act == 1:
        return old[:end] + old[begin:end] * rng.choice((1, 2, 50)) + old[end:]
    if act == 2:
        return old[:begin]
    if act == 3:
        return _token(old, rng)
    if act == 4:
        lines = old.split("\n")
        line = rng.randrange(len(lines))
        other = rng.randrange(len(lines))
        lines[line], lines[other] = lines[other], lines[line]
        return "\n".join(lines)
    if act == 5:
        return old[:begin] + chr(rng.choice((0, 9, 10, 27, 34, 44, 127, 0x661, 0x2028))) + old[end:]
    return old[:begin] + rng.choice(ODD_TEXT) + old[end:]


def _token(old: str, rng: Random) -> str:
    """Replace a number or a word by another."""
    import re

    found = list(re.finditer(r"[\w.+-]+", old))
    if not found:
        return rng.choice(ODD_TEXT)
    token = rng.choice(found)
    return old[: token.start()] + rng.choice(ODD_TEXT) + old[token.end() :]


def octets(old: bytes, rng: Random) -> bytes:
    """Return bytes with a few changes."""
    data = bytearray(old)
    act = rng.randrange(4)
    if act == 0:
        return bytes(data[: rng.randrange(len(data) + 1)])
    if not data:
        return b"\x00"
    for _ in range(rng.choice((1, 2, 8))):
        data[rng.randrange(len(data))] = rng.randrange(256)
    if act == 1:
        begin = rng.randrange(len(data))
        del data[begin : begin + rng.randrange(1, 30)]
    return bytes(data)
