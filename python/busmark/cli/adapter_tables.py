"""Adapters in the terminal: the list by family, one in full, and who supports what."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from busmark.adapters import Adapter, Compliance, compliance, known
from busmark.adapters.compliance import Cell, Row
from busmark.adapters.known import place
from busmark.analysis.text import size_text

FAMILIES = {
    "dds": "DDS",
    "corba": "CORBA",
    "shared memory": "Shared memory",
    "pub/sub": "Pub/sub",
    "baseline": "Baselines",
    "other": "Others",
}
"""Families of `known.toml`, in the order of the list."""

WIDE = 120
"""From so many characters on, words stand in full."""

GAP = 2
"""Between the columns of the table."""

LEAST, MOST = {"licence": 18}, {"transports": 10}
"""Widths of columns in a narrow terminal: of the longest words in them."""

STATES = {"yes": "yes", "no": "·", "unknown": "?"}
OUTCOMES = {
    "proved": "proved", "accepted": "accepted", "untested": "untested", "failed": "FAILED",
    "declared": "declared",
}  # fmt: skip
MEANINGS = {
    "yes": "declared; the conformance suite (--check) was not run over it",
    "proved": "seen by its effect",
    "accepted": "not refused; its effect cannot be seen on one host",
    "untested": "declared, and could not be tested here",
    "declared": "declared; no test shows it",
    "FAILED": "declared, and seen not to hold",
    "default": "the one that is taken unless another is named",
    "+": "can change while traffic flows",
    "·": "not supported, hence never imitated",
    "?": "not known",
}
STYLES = {"FAILED": "bold red", "·": "dim", "?": "dim", "untested": "yellow"}


def draw_families(found: Sequence[Adapter], console: Console) -> None:
    """Usable adapters by family, what they convert, and why others cannot be used."""
    wide = console.width >= WIDE
    usable = [a for a in found if a.usable and a.capabilities is not None]
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0) if wide else (0, 1, 0, 0))
    waits = "waits" if wide else "waits¹"
    for title in ("adapter", "middleware", "licence", "transports", waits, "largest"):
        table.add_column(
            title, overflow="fold", no_wrap=title in ("adapter", waits, "largest"),
            justify="right" if title == "largest" else "left",
            min_width=None if wide else LEAST.get(title),
            max_width=None if wide else MOST.get(title),
        )  # fmt: skip
    for title, members in _by_family(usable):
        table.add_row(Text(title, style="bold"))
        for adapter in members:
            table.add_row(*_listed(adapter, wide))
    if usable:
        console.print(table)
        if not wide:
            console.print("¹ l: listener, w: waitset, p: poll", style="dim", highlight=False)
    _draw_costs(usable, console)
    _draw_missing([a for a in found if not a.usable], console)
    if not found:
        console.print("No adapter found. Build them with `make build`.")
    hint = (
        "`busmark adapters NAME` shows one in full, `busmark adapters --table` who supports what."
    )
    console.print(f"\n{hint}", style="dim", highlight=False)


def _by_family(adapters: Sequence[Adapter]) -> Iterable[tuple[str, list[Adapter]]]:
    """In the order of families, and within one of `known.toml`."""
    for family, title in FAMILIES.items():
        members = [a for a in adapters if _family(a.name) == family]
        if members:
            yield title, sorted(members, key=lambda a: place(a.name))


def _family(name: str) -> str:
    family = known()[name].family if name in known() else "other"
    return family if family in FAMILIES else "other"


def _listed(adapter: Adapter, wide: bool) -> list[str | Text]:
    can = adapter.capabilities or {}
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
        _heading("What an adapter converts per sample", console)
        for name, cost in costs.items():
            if cost:
                _item(f"{name}: {cost}", console)


def _draw_missing(missing: Sequence[Adapter], console: Console) -> None:
    """One line each, as long as it is: it may be copied."""
    if missing:
        _heading("Not usable here", console)
    for adapter in missing:
        text = f"{adapter.name}: not usable: {adapter.reason}"
        console.print(text, markup=False, highlight=False, soft_wrap=True)


def _heading(text: str, console: Console) -> None:
    console.print()
    console.print(Text(text, style="bold"))


def _item(text: str, console: Console, indent: int = 2) -> None:
    console.print(Padding(Text(text), (0, 0, 0, indent)), highlight=False)


def draw_adapter(adapter: Adapter, console: Console) -> None:
    """Everything about one."""
    can = adapter.capabilities
    title = can["title"] if can else known()[adapter.name].title if adapter.name in known() else ""
    console.print(Text(f"{adapter.name}: {title}".removesuffix(": "), style="bold"))
    if not adapter.usable:
        text = f"{adapter.name}: not usable: {adapter.reason}"
        console.print(text, markup=False, highlight=False, soft_wrap=True)
    if can is not None:
        stored = adapter.stored()
        _draw_facts(stored, console)
        _draw_properties(compliance({adapter.name: stored}), console)
        _draw_options(adapter.name, can["options"], console)
    _draw_pointers(adapter, console)
    console.print()


def _draw_facts(stored: dict[str, Any], console: Console) -> None:
    report = stored.get("conformance")
    checked = "never run over this library: `busmark adapters --check` does"
    if report:
        counts = ", ".join(f"{report[kind]} {kind}" for kind in ("passed", "failed", "skipped"))
        checked = f"{counts} ({report['checked_utc']})"
    facts = {
        "middleware": stored["middleware_version"],
        "licence": stored["licence"],
        "install": stored["install"] or "built in",
        "adapter": f"version {stored['version']}",
        "largest body": size_text(stored["max_body_bytes"]),
        "converts": stored["cost"] or "nothing",
        **({"your type": stored["user_type"]} if stored.get("user_type") else {}),
        "conformance": checked,
        "library": stored["path"],
    }
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(no_wrap=True, style="dim")
    table.add_column(overflow="fold")
    for name, fact in facts.items():
        table.add_row(name, Text(fact))
    console.print(table)


def _draw_properties(whole: Compliance, console: Console) -> None:
    """What it supports, section by section; what it does not, in one line."""
    for section in whole.sections:
        if section.id == "facts":
            continue
        supported = [row for row in section.rows if row.cells[0].state in ("yes", "changeable")]
        lacking = [row.key for row in section.rows if row.cells[0].state == "no"]
        _heading(section.title, console)
        table = Table(box=None, show_header=False, pad_edge=False)
        table.add_column(no_wrap=True)
        table.add_column(overflow="fold")
        before = ""
        for row in supported:
            table.add_row(f"  {row.key}", _told(row, before))
            before = row.cells[0].told
        if supported:
            console.print(table)
        if lacking:
            _item(f"not supported: {', '.join(lacking)}", console)


def _told(row: Row, before: str) -> Text:
    """Meaning and evidence; evidence that the row before has too is not told again."""
    cell = row.cells[0]
    parts = [row.meaning] if row.meaning else []
    parts += ["the default"] if cell.text == "default" else []
    parts += ["can change while traffic flows"] if cell.state == "changeable" else []
    text = Text("; ".join(parts))
    if cell.outcome is not None:
        word = OUTCOMES[cell.outcome]
        told = word if cell.told == before else f"{word}: {cell.told}"
        text.append(f"{'; ' if parts else ''}{told}", style=STYLES.get(word, "dim"))
    return text


def _draw_options(name: str, options: Sequence[dict[str, str]], console: Console) -> None:
    _heading(f"Options ([matrix.option] {name}.KEY = VALUE)", console)
    if not options:
        _item("none", console)
    for option in options:
        default = f" = {option['value']}" if option["value"] else ""
        _item(f"{option['key']}{default}", console)
        _item(option["doc"], console, indent=6)


def _draw_pointers(adapter: Adapter, console: Console) -> None:
    entry = known().get(adapter.name)
    if entry is None:
        return
    notes = Path(__file__).resolve().parents[3] / entry.notes
    where = str(notes) if notes.is_file() else f"{entry.notes} of the source repository"
    _heading("More", console)
    _item("What is shipped, what the profiles change and why, what it does not do:", console)
    console.print(f"  {where}", markup=False, highlight=False, soft_wrap=True)


def draw_compliance(whole: Compliance, console: Console) -> None:
    """Properties against adapters; as many adapters side by side as there is room for."""
    shown = [section for section in whole.sections if section.id != "facts"]
    keys = [row.key for section in shown for row in section.rows]
    first = max(map(len, keys), default=0) + 2
    used: set[str] = set()
    for columns in _blocks(whole, console.width - first - GAP):
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), show_edge=False)
        table.add_column("", no_wrap=True, min_width=first)
        for column in columns:
            table.add_column(Text(_short(whole.columns[column].name)), no_wrap=True)
        for section in shown:
            table.add_row(Text(section.title, style="bold"))
            for row in section.rows:
                words = [word(row.cells[column]) for column in columns]
                if section.id == "transports" and set(words) == {STATES["no"]}:
                    continue
                used |= {part for text in words for part in (text.removesuffix("+"), text[-1:])}
                table.add_row("  " + row.key, *map(_styled, words))
        console.print(table)
        console.print()
    for mark, meaning in MEANINGS.items():
        if mark in used:
            console.print(Text(f"{mark:<10}{meaning}", style="dim"), soft_wrap=True)
    if whole.checked:
        last = max(whole.checked.values())
        told = f"conformance suite run over {', '.join(whole.checked)}; last {last}"
        console.print(Text(told, style="dim"))


def _blocks(whole: Compliance, room: int) -> Iterable[range]:
    """Runs of columns that fit; every column is as wide as its widest word."""
    widths = [
        GAP + max([len(_short(column.name)), *(len(word(cell)) for cell in cells)])
        for column, cells in zip(whole.columns, _cells(whole), strict=True)
    ]
    begin = 0
    while begin < len(widths):
        end, left = begin + 1, room - widths[begin]
        while end < len(widths) and widths[end] <= left:
            left -= widths[end]
            end += 1
        yield range(begin, end)
        begin = end


def _cells(whole: Compliance) -> list[list[Cell]]:
    """Column by column, without what is told in words."""
    rows = [row for section in whole.sections if section.id != "facts" for row in section.rows]
    return [[row.cells[index] for row in rows] for index in range(len(whole.columns))]


def _short(name: str) -> str:
    """A library's path by its name."""
    return Path(name).stem.removeprefix("libbusmark_") if "/" in name else name


def word(cell: Cell) -> str:
    """What the table says of one property."""
    if cell.state in STATES and cell.outcome is None:
        return cell.text or STATES[cell.state]
    told = OUTCOMES[cell.outcome] if cell.outcome else "yes"
    return f"{told}+" if cell.state == "changeable" else told


def _styled(text: str) -> Text:
    return Text(text, style=STYLES.get(text.removesuffix("+"), ""))
