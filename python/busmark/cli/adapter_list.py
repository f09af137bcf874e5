"""The list of adapters in the terminal, by family: a line each, or with licences and costs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from busmark.adapters import Adapter, known
from busmark.adapters.known import place
from busmark.analysis.words.text import ABSENT, size_text
from busmark.cli.console import Console
from busmark.cli.output import wrapped
from busmark.report.roomy import room

FAMILIES = {
    "dds": "DDS",
    "dds-xrce": "DDS-XRCE",
    "corba": "CORBA",
    "shared memory": "Shared memory",
    "pub/sub": "Pub/sub",
    "baseline": "Baselines",
    "other": "Others",
}
"""Families of `known.toml`, in the order of the list."""

WIDE = 120
"""From so many characters on, words of the long list stand in full."""

LONGEST = 20
"""Title that stands in full in the short list."""

LEAST, MOST = {"licence": 18}, {"transports": 10}
"""Widths of columns of the long list in a narrow terminal: of the longest words in them."""

VERSION = re.compile(r"\b\d[\w.+-]*")
HINT = (
    "Transports: the first is the default. `busmark adapters NAME` shows one in full, "
    "`busmark adapters --long` licences and costs, `busmark adapters --table` who supports what."
)


def draw_families(found: Sequence[Adapter], console: Console, *, long: bool = False) -> None:
    """All adapters by family, and why some cannot be used; `long`: licences, and what a sample
    costs beside the middleware, too."""
    table = _long_table(room(console) >= WIDE) if long else _table()
    for title, members in _by_family(found):
        table.add_row(Text(title, style="bold"))
        for adapter in members:
            cells = _in_long(adapter, room(console) >= WIDE) if long else _listed(adapter)
            table.add_row(*cells)
    if found:
        console.print(table)
    else:
        console.print("No adapter found. Build them with `make build`.")
    if long and room(console) < WIDE:
        console.print("¹ l: listener, w: waitset, p: poll", style="dim", highlight=False)
    if long:
        _draw_costs([a for a in found if a.usable], console)
    _draw_missing([a for a in found if not a.usable], console)
    console.print()
    whole(HINT, console, style="dim")


def _table() -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for title in ("adapter", "usable", "middleware", "version", "transports"):
        table.add_column(title, overflow="fold", no_wrap=title != "transports")
    return table


def _long_table(wide: bool) -> Table:
    waits = "waits" if wide else "waits¹"
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0) if wide else (0, 1, 0, 0))
    for title in ("adapter", "middleware", "licence", "transports", waits, "largest"):
        table.add_column(
            title, overflow="fold", no_wrap=title in ("adapter", waits, "largest"),
            justify="right" if title == "largest" else "left",
            min_width=None if wide else LEAST.get(title),
            max_width=None if wide else MOST.get(title),
        )  # fmt: skip
    return table


def _by_family(adapters: Sequence[Adapter]) -> Iterable[tuple[str, list[Adapter]]]:
    """In the order of families, and within one of `known.toml`."""
    for family, title in FAMILIES.items():
        members = [a for a in adapters if _family(a.name) == family]
        if members:
            yield title, sorted(members, key=lambda a: place(a.name))


def _family(name: str) -> str:
    family = known()[name].family if name in known() else "other"
    return family if family in FAMILIES else "other"


def _listed(adapter: Adapter) -> list[str | Text]:
    can = adapter.capabilities or {}
    title = known()[adapter.name].title if adapter.name in known() else can.get("title", "")
    version = VERSION.search(can.get("middleware_version", ""))
    return [
        Text("  " + adapter.name),
        "yes" if adapter.usable else Text("no", style="yellow"),
        Text(title if len(title) <= LONGEST else title.partition(" (")[0]),
        Text(version[0] if version else ABSENT),
        Text(" ".join(can.get("transports", [])) or ABSENT),
    ]


def _in_long(adapter: Adapter, wide: bool) -> list[str | Text]:
    can = adapter.capabilities
    if can is None or not adapter.usable:
        return [Text("  " + adapter.name), Text("not usable", style="yellow")]
    waits = " ".join(can["waits"]) if wide else "".join(wait[0] for wait in can["waits"])
    title = can["middleware_version"]
    return [
        Text("  " + adapter.name), Text(can["title"] if title == "none" else title),
        Text(can["licence"]), Text(" ".join(can["transports"])), Text(waits),
        Text(size_text(can["max_body_bytes"])),
    ]  # fmt: skip


def _draw_costs(usable: Sequence[Adapter], console: Console) -> None:
    costs = {a.name: a.capabilities["cost"] for a in usable if a.capabilities}
    if any(costs.values()):
        heading("What a sample costs beside the middleware", console)
        for name, cost in costs.items():
            if cost:
                item(f"{name}: {cost}", console)


def _draw_missing(missing: Sequence[Adapter], console: Console) -> None:
    if missing:
        heading("Not usable here", console)
    for adapter in missing:
        whole(f"{adapter.name}: {reason_of(adapter)}", console)


def reason_of(adapter: Adapter) -> str:
    """Why it cannot be used, to stand beside its name."""
    return str(adapter.reason).removeprefix(f"{adapter.name} is ")


def whole(text: str, console: Console, style: str = "") -> None:
    """A line that is not broken where it is searched, and between words where it is read."""
    console.print(
        wrapped(text, err=False), markup=False, highlight=False, soft_wrap=True, style=style
    )


def heading(text: str, console: Console) -> None:
    """Above what follows."""
    console.print()
    console.print(Text(text, style="bold"))


def item(text: str, console: Console, indent: int = 2) -> None:
    """A line of its own, indented."""
    console.print(Padding(Text(text), (0, 0, 0, indent)), highlight=False)
