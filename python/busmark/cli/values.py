"""Values of options that several commands have."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    ParamType = click.ParamType[Any]
else:  # older versions of click have no parameters of the type
    ParamType = click.ParamType


class Amount(ParamType):
    """A size, rate, time or share with a unit, from `least` to `most`; without `zero`, above 0. A
    number alone has the unit `bare`."""

    def __init__(
        self, kind: str, least: float = 0.0, most: float = inf, *, zero: bool = True, bare: str = ""
    ) -> None:
        self.name, self._least, self._most, self._zero = kind, least, most, zero
        self._bare = bare

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float | int:
        """Return it in bytes, Hz, seconds, or as a share of 1."""
        from busmark.model import units

        if not isinstance(value, str):
            return float(value) if self.name != "size" else int(value)
        if self._bare and value.strip().replace(".", "", 1).isdecimal():
            value += self._bare
        try:
            found = units.read_size(value) if self.name == "size" else units.read(value, self.name)
        except ValueError as wrong:
            self.fail(str(wrong).replace("\n", ". "), param, ctx)
        if not self._least <= found <= self._most or (found == 0 and not self._zero):
            least = "above 0" if not self._zero and not self._least else f"from {self._least:g}"
            most = "" if self._most == inf else f" to {self._most:g}"
            unit = {"size": " B", "rate": " Hz", "time": " s"}.get(self.name, "")
            self.fail(f"{value!r} is out of range: {least}{most}{unit}", param, ctx)
        return found


TIME = Amount("time", zero=False)


def names(_: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> list[str]:
    """Return the names joined by commas, of an option that can be repeated."""
    return [name.strip() for value in values for name in value.split(",") if name.strip()]
