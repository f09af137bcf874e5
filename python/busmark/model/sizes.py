"""Distributions of sample sizes, as a scenario writes them.

A distribution is represented by `DISTINCT` equally likely sizes, its quantiles at (i + 1/2) /
DISTINCT, in an order drawn at random: native samples of that many sizes can be prepared before the
measurement.
"""

from __future__ import annotations

import random
import re
import stat
from collections.abc import Callable
from dataclasses import dataclass
from math import exp, log
from pathlib import Path
from statistics import NormalDist

from busmark.errors import UserError
from busmark.model import units
from busmark.model.parameter import LARGEST

ELEMENT_BYTES: dict[str, int] = {
    "empty": 1, "octet": 1, "char": 1, "short": 2, "float": 4, "long": 4, "struct": 16, "any": 1,
    "type": 1,
}  # fmt: skip
"""Bytes of one element of each payload kind; `size` is a whole number of them."""

FILE_SIZE = "file"
"""As many bytes as the body's file has."""

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
    """As written, evenly spaced."""
    quantile: Callable[[float], float]
    """Size in bytes by probability, 0 to 1 exclusive."""

    def values(self, element: int) -> list[int]:
        """The representing sizes in bytes, ascending, each a whole number of elements."""
        shares = ((i + 0.5) / DISTINCT for i in range(DISTINCT))
        return [max(0, round(self.quantile(p) / element)) * element for p in shares]

    def sequence(self, element: int, seed: int) -> list[int]:
        """`ORDER` sizes in random order, each of the representing ones equally often."""
        sizes = self.values(element) * (ORDER // DISTINCT)
        random.Random(seed).shuffle(sizes)
        return sizes


def parse_sizes(text: str) -> Sizes:
    """`uniform(a, b)`, `lognormal(median, sigma)` or `choice(a, b, …)`.

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
            float(part) if name == "lognormal" and place else units.read(part, "size")
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
    """Bytes of `measure.body_file`.

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
