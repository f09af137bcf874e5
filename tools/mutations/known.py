"""What is not damaged is read and analysed once, and then known.

One file of an input is damaged, often in one place. Whatever Busmark makes of the other files is
the same each time: it is kept by the identity of what it was made of, so that nothing which depends
on the damage is ever taken from here.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl

from busmark.estimate import latency, resources, throughput
from busmark.estimate import samples as pools
from busmark.store import result, tables

MOST = 500
"""Outcomes of one function that are kept: no memory of all damaged inputs before."""

PURE: tuple[tuple[Any, str], ...] = (
    (tables, "_unsound"), (tables, "_is_whole"),
    (latency, "ping_round"), (latency, "latency"), (latency, "series"), (pools.Pools, "of"),
    (throughput, "probe_round"), (throughput.Probes, "of"),
    (resources, "by_participant"), (resources, "resources"), (resources, "series"),
)  # fmt: skip
"""Functions of their arguments, which they do not change."""


class Known:
    """Tables of whole results, and what was made of them."""

    def __init__(self) -> None:
        self._damaged: Path | None = None
        for name in ("read", "load_table"):
            setattr(result, name, self._remembering(getattr(result, name)))
        for owner, name in PURE:
            once = Once(getattr(owner, name))
            setattr(owner, name, staticmethod(once) if isinstance(owner, type) else once)

    def whole(self, path: Path) -> pl.DataFrame:
        """A table that nobody damages."""
        found: pl.DataFrame = vars(result)["read"](path)
        return found

    def forget(self, damaged: Path | None = None) -> None:
        """From now on this one is read each time."""
        self._damaged = damaged

    def _remembering(self, read: Callable[..., pl.DataFrame]) -> Callable[..., pl.DataFrame]:
        found: dict[Any, pl.DataFrame] = {}

        def remembered(path: Path, *how: Any) -> pl.DataFrame:
            if path == self._damaged or not path.exists():
                return read(path, *how)
            key = repr((path, *how))
            if key not in found:
                found[key] = read(path, *how)
            return found[key]

        return remembered


class Once:
    """A function that is called once for the same objects."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._found: OrderedDict[Any, tuple[Any, Any]] = OrderedDict()

    def __call__(self, *args: Any, **named: Any) -> Any:
        """As the function; an error is not kept."""
        key = identity((args, named))
        if key in self._found:
            return self._found[key][1]
        made = self._function(*args, **named)
        # With what it was made of: as long as that is kept, nothing else has its identity.
        self._found[key] = (args, named), made
        if len(self._found) > MOST:
            self._found.popitem(last=False)
        return made


def identity(value: Any) -> Any:
    """The same for the same objects, in whatever lists and tuples, and for no others."""
    if isinstance(value, list | tuple):
        return type(value), tuple(map(identity, value))
    if isinstance(value, dict):
        return tuple((key, identity(inner)) for key, inner in value.items())
    if value is None or isinstance(value, bool | int | float | str):
        return type(value), repr(value)
    return type(value), id(value)
