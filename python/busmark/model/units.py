"""Sizes, rates, times and shares as people type them: `64k`, `1MiB`, `100Hz`, `2ms`, `1m30s`, `5%`.

One table of units, read by options, values of scenarios, `--set` and requirements alike.

Behind a size `k`, `M` and `G` are powers of 1024, as in iperf3 and ddsperf: `64k` are 65,536 bytes.
`kB`, `MB` and `GB` are powers of 1000 (SI), `KiB`, `MiB` and `GiB` of 1024 (IEC 80000-13). Behind
everything that is not a number of bytes a prefix is a power of 1000.
"""

from __future__ import annotations

import random
import re
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import exp, log
from pathlib import Path
from statistics import NormalDist

from busmark.errors import UserError
from busmark.model.parameter import LARGEST


@dataclass(frozen=True)
class UnitKind:
    """A kind of amount."""

    words: str
    """The kind with its article, for sentences."""
    units: Mapping[str, float]
    """Units that may follow a number, and the size of each in the first unit; "" where a number may
    stand alone."""
    example: str


KINDS: dict[str, UnitKind] = {
    "size": UnitKind("a size", {
        "B": 1, "": 1, "byte": 1, "bytes": 1, "k": 1 << 10, "Ki": 1 << 10, "KiB": 1 << 10,
        "kB": 1e3, "M": 1 << 20, "Mi": 1 << 20, "MiB": 1 << 20, "MB": 1e6, "G": 1 << 30,
        "Gi": 1 << 30, "GiB": 1 << 30, "GB": 1e9,
    }, "64k"),
    "rate": UnitKind("a rate", {
        "Hz": 1, "": 1, "/s": 1, "1/s": 1, "k": 1e3, "kHz": 1e3, "k/s": 1e3, "M": 1e6, "MHz": 1e6,
        "M/s": 1e6, "mHz": 1e-3,
    }, "100Hz"),
    "time": UnitKind("a time", {
        "s": 1, "": 1, "sec": 1, "ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3,
        "m": 60, "min": 60, "h": 3600,
    }, "2ms"),
    "share": UnitKind("a share", {"": 1, "%": 0.01, "ppm": 1e-6}, "5%"),
    "bandwidth": UnitKind("a bandwidth", {
        "bit/s": 1, "bit": 1, "kbit/s": 1e3, "kbit": 1e3, "Mbit/s": 1e6, "Mbit": 1e6,
        "Gbit/s": 1e9, "Gbit": 1e9,
    }, "100mbit"),
    "disk": UnitKind("a rate of bytes", {
        "B/s": 1, "kB": 1e3, "kB/s": 1e3, "MB": 1e6, "MB/s": 1e6, "GB": 1e9, "GB/s": 1e9,
    }, "10MB"),
    "CPU": UnitKind("a number of CPUs", {"CPU": 1, "": 1, "CPUs": 1, "%": 0.01}, "0.5"),
    "count": UnitKind("a number", {"": 1, "k": 1e3, "M": 1e6}, "50k"),
}  # fmt: skip

TYPED = ("size", "rate", "time", "bandwidth", "share")
"""Kinds that a unit of another kind is recognised as."""

KEYS: tuple[tuple[re.Pattern[str], str, float], ...] = (
    (re.compile(r".*_s"), "time", 1.0),
    (re.compile(r".*_us"), "time", 1e6),
    (re.compile(r".*_hz"), "rate", 1.0),
    (re.compile(r".*_bytes|size|snap_length"), "size", 1.0),
    (re.compile(r"target|min_rate|min_load|max_loss|keeps_up|precision|confidence|trust"), "share",
     1.0),
)  # fmt: skip
"""Keys of a scenario, the kind of their values, and how many of the key's unit one of the kind's
first is."""

_PART = re.compile(r"\s*((?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[+-]?[0-9]+)?)\s*([^\s0-9.]*)", re.I)


def begins_with_number(text: str) -> bool:
    """Return whether the text may be an amount."""
    return _PART.match(text) is not None


def read(text: str, kind: str, *, bare: bool = True) -> float:
    """Return the amount in the first unit of its kind; without `bare` a number needs a unit. A time
    may have several parts, as in `1m30s`.

    Raises:
        ValueError: it is not an amount of this kind: what is wrong and, behind a line break, what
            to write.
    """
    of = KINDS[kind]
    remedy = f"Write {of.words}, such as {of.example}."
    parts = _parts(text)
    if not parts or (len(parts) > 1 and (kind != "time" or not all(unit for _, unit in parts))):
        raise ValueError(f"{text!r} is not {of.words}\n{remedy}")
    if not bare and not parts[0][1]:
        raise ValueError(f"{text!r} has no unit\n{remedy}")
    total = 0.0
    for number, unit in parts:
        factor = factor_of(unit, of.units)
        if factor is None:
            others = [KINDS[name].words for name in TYPED if factor_of(unit, KINDS[name].units)]
            what = f"is {others[0]}, not {of.words}" if others else f"is not {of.words}"
            raise ValueError(f"{text!r} {what}\n{remedy}")
        total += float(number) * factor
    # As written, without the last bit of a multiplication.
    return float(f"{total:.15g}")


def read_size(text: str) -> int:
    """Return a number of bytes.

    Raises:
        ValueError: as `read`, or it is not a whole number.
    """
    size = read(text, "size")
    if size != int(size):
        raise ValueError(f"{text!r} is not a whole number of bytes\nWrite a size, such as 64k.")
    return int(size)


def factor_of(unit: str, units: Mapping[str, float]) -> float | None:
    """Return what the unit stands for: as it is spelt or, where none is spelt so, in other case."""
    if unit in units:
        return units[unit]
    # `mhz` may be either of two, and the larger one is what people type.
    folded = {name.casefold(): value for name, value in reversed([*units.items()]) if name != "mHz"}
    return folded.get(unit.casefold())


def of_key(key: str) -> tuple[str, float] | None:
    """Return the kind of a scenario's key, and its scale; None: its values are no amounts."""
    return next(((kind, scale) for form, kind, scale in KEYS if form.fullmatch(key)), None)


def short(value: float, kind: str) -> str:
    """Return the amount as people type it: 1024 bytes are `1k`, 0.002 s are `2ms`."""
    shown = {"size": ("G", "M", "k", ""), "rate": ("MHz", "kHz", "Hz"),
             "time": ("s", "ms", "us", "ns")}[kind]  # fmt: skip
    units = KINDS[kind].units
    for unit in shown:
        if value >= units[unit] and (value / units[unit]).is_integer():
            return f"{value / units[unit]:g}{unit}"
    return f"{value:g}{next(iter(units))}"


def _parts(text: str) -> list[tuple[str, str]]:
    """Return numbers with their units; none where the text is something else."""
    found, place = [], 0
    while place < len(text.rstrip()):
        part = _PART.match(text, place)
        if part is None:
            return []
        found.append((part[1], part[2]))
        place = part.end()
    return found


# Distributions of sample sizes, as a scenario writes them.
#
# A distribution is represented by `DISTINCT` equally likely sizes, its quantiles at (i + 1/2) /
# DISTINCT, in an order drawn at random: native samples of that many sizes can be prepared before
# the measurement.

ELEMENT_BYTES: dict[str, int] = {
    "empty": 1,
    "octet": 1,
    "char": 1,
    "short": 2,
    "float": 4,
    "long": 4,
    "struct": 16,
    "any": 1,
    "type": 1,
}
"""Bytes of one element of each payload kind; `size` is a whole number of them."""

FILE_SIZE = "file"
"""Size that stands for the number of bytes in the file of the body."""

DISTINCT = 64
"""Sizes by which a distribution is represented."""
ORDER = 1024
"""Samples after which the order of sizes repeats; a power of two and a multiple of `DISTINCT`."""

LARGEST_BODY = 1 << 30
"""Bytes of `measure.body_file`: each participant holds all of it in memory."""

_CALL = re.compile(r"\s*([a-z]+)\s*\(([^()]*)\)\s*")


@dataclass(frozen=True)
class Sizes:
    """A distribution of sizes."""

    text: str
    """The distribution as it was written, with even spaces."""
    quantile: Callable[[float], float]
    """Size in bytes by probability, 0 to 1 exclusive."""

    def values(self, element: int) -> list[int]:
        """Return the representing sizes in bytes, ascending, each a whole number of elements."""
        shares = ((i + 0.5) / DISTINCT for i in range(DISTINCT))
        return [max(0, round(self.quantile(p) / element)) * element for p in shares]

    def sequence(self, element: int, seed: int) -> list[int]:
        """Return `ORDER` sizes in random order, each of the representing ones equally often."""
        sizes = self.values(element) * (ORDER // DISTINCT)
        random.Random(seed).shuffle(sizes)
        return sizes


def parse_sizes(text: str) -> Sizes:
    """Parse `uniform(a, b)`, `lognormal(median, sigma)` or `choice(a, b, …)`.

    Raises `ValueError` that says what is wrong.
    """
    match = _CALL.fullmatch(text)
    if not match:
        raise ValueError(
            f"{text!r} is neither a number of bytes nor uniform(a, b), lognormal(median, sigma), "
            "choice(a, b, …) or file"
        )
    name, inside = match[1], match[2]
    try:
        numbers = [
            float(part) if name == "lognormal" and place else read(part, "size")
            for place, part in enumerate(inside.split(","))
        ]
    except ValueError as wrong:
        why = str(wrong).partition("\n")[0]
        raise ValueError(f"{text!r}: {inside!r} is not a list of numbers: {why}") from None
    if any(not 0 <= n <= LARGEST for n in numbers):
        raise ValueError(f"{text!r}: a number is out of range")
    shown = f"{name}({', '.join(f'{n:g}' for n in numbers)})"
    match name, numbers:
        case "uniform", [low, high] if low <= high:
            return Sizes(shown, lambda p: low + p * (high - low))
        case "lognormal", [median, sigma] if median > 0 and sigma <= 10:
            return Sizes(shown, lambda p: exp(log(median) + sigma * NormalDist().inv_cdf(p)))
        case "choice", [_, *_]:
            ordered = sorted(numbers)
            return Sizes(shown, lambda p: ordered[int(p * len(ordered))])
    raise ValueError(
        f"{text!r}: it should be uniform(a, b) with a <= b, lognormal(median, sigma) with a median "
        "above 0 and sigma up to 10, or choice(a, b, …)"
    )


def file_size(path: str) -> int:
    """Return the size in bytes of `measure.body_file`.

    Raises:
        UserError: it cannot be read, or has no size: a device, a pipe, a folder.
    """
    try:
        found = Path(path).stat()
        if not stat.S_ISREG(found.st_mode):
            raise UserError(
                f"{path}: not an ordinary file",
                where="measure.body_file",
                remedy="Name a file: a device or a pipe has no end.",
            )
        if found.st_size > LARGEST_BODY:
            raise UserError(
                f"{path}: {found.st_size} bytes, at most {LARGEST_BODY}",
                where="measure.body_file",
                remedy="Name a smaller file: each participant holds all of it.",
            )
        return found.st_size
    except (OSError, ValueError) as error:
        # ValueError: a NUL, which no path has.
        raise UserError(
            f"{path}: {error.strerror if isinstance(error, OSError) else error}",
            where="measure.body_file",
            remedy="Name a file that can be read; a relative path begins at the current folder.",
        ) from None
