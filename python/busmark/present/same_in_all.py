"""What is the same in all rows of a table: it stands once, above it, instead of in each of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from busmark.model import naming as dim
from busmark.model.case import CaseSummary
from busmark.model.naming import MIDDLEWARE, SIDES, described
from busmark.model.parameters import BY_NAME

ALWAYS = ("transport", "qos.reliability", "qos.history")
"""Parameters that are shown for every table: in a column where they vary, else above it."""

SECURITY = "security"
"""Shown wherever there is any."""

SEEN = frozenset(map(dim.title, ALWAYS[:2]))
"""Columns without which figures cannot be compared: they are shown wherever they vary."""

LOST = "Lost"
"""The column that says so in words where nothing was."""


def facts(cases: Sequence[CaseSummary]) -> list[str]:
    """Return what the compared cases of a table have in common: the middleware where no label has
    it, transport and QoS, what varies elsewhere in the campaign only, what is the same throughout
    the campaign, and how long rounds measure."""
    compared = [case for case in cases if not case.is_floor] or list(cases)
    found = [name] if (name := middleware(compared)) else []
    flats = dim.with_whole_history({case.id: dim.flatten(case.params) for case in compared})
    for name in ALWAYS:
        value = _shared([*flats.values()], name)
        if value is not None:
            found.append(_fact(name, value))
    lines = set(map(dim.title, ALWAYS))
    protected = _shared([*flats.values()], SECURITY)
    if protected not in (None, "none"):
        found.append(_fact(SECURITY, protected))
        lines.add(dim.title(SECURITY))
    for attribute in ("choices", "workload"):
        values = [getattr(case, attribute) for case in compared]
        names = dict.fromkeys(name for each in values for name in each if name not in lines)
        same = {name: value for name in names if (value := _shared(values, name)) is not None}
        found += [described({name: str(value)}) for name, value in same.items()]
        lines |= {*names}
    found += _settled([*flats.values()], lines)
    lengths = {dim.length_text(case.params) for case in compared if case.params.duration_s}
    found += lengths if len(lengths) == 1 else ()
    return [fact for fact in found if fact]


def _settled(flats: Sequence[dim.Flat], shown: Collection[str]) -> Iterator[str]:
    """Yield what is the same throughout the campaign and not what it is by default; and what the
    plan settles, as the names of cases do not say it."""
    for name in flats[0] if flats else ():
        known, value = BY_NAME.get(name), _shared(flats, name)
        if value is None or dim.title(name) in shown or name.startswith(dim.DERIVED):
            continue
        if known and (known.apart or not known.named or known.asked is None):
            continue
        if known and not known.settled and value in (known.default, known.initial):
            continue
        if dim.names_middleware(name):
            continue
        yield described({dim.title(name): dim.value_text(name, value)})


def middleware(cases: Sequence[CaseSummary]) -> str:
    """Return what all compared cases have in common and no label says; empty where labels do."""
    compared = [case for case in cases if not case.is_floor]
    for name in (MIDDLEWARE, SIDES):
        value = _shared([case.label_parts for case in compared], name)
        if value and not any(case.label.startswith(str(value)) for case in compared):
            return str(value)
    return ""


def _fact(name: str, value: object) -> str:
    shown = dim.value_text(name, value)
    return f"transport {shown}" if name == "transport" else dim.choice_text(name, value)


def _shared(values: Sequence[Mapping[str, object]], name: str) -> object | None:
    """Return the value that all have; None where they differ or none has one."""
    first = values[0].get(name) if values else None
    return first if all(each.get(name) == first for each in values) else None
