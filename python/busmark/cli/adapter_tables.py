"""Adapters in the terminal: one in full, and who supports what."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from rich import box
from rich.table import Table
from rich.text import Text

from busmark.adapters import Adapter, Compliance, compliance, known
from busmark.adapters.compliance import Cell, Row
from busmark.analysis.words.text import size_text
from busmark.cli.adapter_list import heading, item, reason_of, whole
from busmark.cli.console import Console
from busmark.report.roomy import room

GAP = 2
"""Between the columns of the table."""

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
    "·": "not supported, hence never imitated",
    "?": "not known",
}
STYLES = {"FAILED": "bold red", "·": "dim", "?": "dim", "untested": "yellow"}


def draw_adapter(adapter: Adapter, console: Console) -> None:
    """Everything about one."""
    can = adapter.capabilities
    title = can["title"] if can else known()[adapter.name].title if adapter.name in known() else ""
    console.print(Text(f"{adapter.name}: {title}".removesuffix(": "), style="bold"))
    if not adapter.usable:
        whole(f"not usable: {reason_of(adapter)}", console)
    if can is not None:
        stored = adapter.stored()
        _draw_facts(adapter, stored, console)
        _draw_properties(compliance({adapter.name: stored}), console)
        _draw_options(adapter.name, can["options"], console)
    _draw_pointers(adapter, console)
    console.print()


def _tuned(said: str | None) -> str:
    return "the adapter does not say" if said is None else said or "the same as default"


def _draw_facts(adapter: Adapter, stored: dict[str, Any], console: Console) -> None:
    report = stored.get("conformance")
    checked = "never run over this library: `busmark adapters --check` does"
    if report:
        counts = ", ".join(f"{report[kind]} {kind}" for kind in ("passed", "failed", "skipped"))
        checked = f"{counts} ({report['checked_utc']})"
    ending = [
        f"{transport}: {fault.what} ({', '.join(fault.signals)})"
        for transport in stored["transports"] for fault in adapter.faults(transport)
    ]  # fmt: skip
    facts = {
        "middleware": stored["middleware_version"],
        "licence": stored["licence"],
        "install": stored["install"] or "built in",
        "adapter": f"version {stored['version']}",
        "largest body": size_text(stored["max_body_bytes"]),
        "cost of a sample": stored["cost"] or "none beside the middleware",
        "profile tuned": _tuned(stored.get("tuned")),
        **({"your type": stored["user_type"]} if stored.get("user_type") else {}),
        **({"ends workers": "; ".join(ending)} if ending else {}),
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
        supported = [row for row in section.rows if row.cells[0].state == "yes"]
        lacking = [row.key for row in section.rows if row.cells[0].state == "no"]
        heading(section.title, console)
        table = Table(box=None, show_header=False, pad_edge=False)
        table.add_column(no_wrap=True)
        table.add_column(overflow="fold")
        before = ""
        for row in supported:
            table.add_row(f"  {row.key}", _told(row, before))
            before = row.cells[0].told
        if supported:
            console.print(table)
        if section.id == "disclosures":
            if not supported:
                unknown = any(row.cells[0].state == "unknown" for row in section.rows)
                item("not known" if unknown else "none", console)
        elif lacking:
            item(f"not supported: {', '.join(lacking)}", console)


def _told(row: Row, before: str) -> Text:
    """Meaning and evidence; evidence that the row before has too is not told again."""
    cell = row.cells[0]
    parts = [row.meaning] if row.meaning else []
    parts += ["the default"] if cell.text == "default" else []
    text = Text("; ".join(parts))
    if cell.outcome is not None:
        word = OUTCOMES[cell.outcome]
        told = word if cell.told == before else f"{word}: {cell.told}"
        text.append(f"{'; ' if parts else ''}{told}", style=STYLES.get(word, "dim"))
    return text


def _draw_options(name: str, options: Sequence[dict[str, str]], console: Console) -> None:
    heading(f"Options ([matrix.option] {name}.KEY = VALUE)", console)
    if not options:
        item("none", console)
    for option in options:
        default = f" = {option['value']}" if option["value"] else ""
        item(f"{option['key']}{default}", console)
        item(option["doc"], console, indent=6)


def _draw_pointers(adapter: Adapter, console: Console) -> None:
    entry = known().get(adapter.name)
    if entry is None:
        return
    notes = Path(__file__).resolve().parents[3] / entry.notes
    where = str(notes) if notes.is_file() else f"{entry.notes} of the source repository"
    heading("More", console)
    item("What is shipped, what the profiles change and why, what it does not do:", console)
    console.print(f"  {where}", markup=False, highlight=False, soft_wrap=True)


def draw_compliance(whole: Compliance, console: Console) -> None:
    """Properties against adapters; as many adapters side by side as there is room for."""
    shown = [section for section in whole.sections if section.id != "facts"]
    keys = [row.key for section in shown for row in section.rows]
    first = max(map(len, keys), default=0) + 2
    used: set[str] = set()
    for columns in _blocks(whole, room(console) - first - GAP):
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
    """Column by column, without remarks in words."""
    rows = [row for section in whole.sections if section.id != "facts" for row in section.rows]
    return [[row.cells[index] for row in rows] for index in range(len(whole.columns))]


def _short(name: str) -> str:
    """A library's path by its name."""
    return Path(name).stem.removeprefix("libbusmark_") if "/" in name else name


def word(cell: Cell) -> str:
    """What the table says of one property."""
    if cell.state in STATES and cell.outcome is None:
        return cell.text or STATES[cell.state]
    return OUTCOMES[cell.outcome] if cell.outcome else "yes"


def _styled(text: str) -> Text:
    return Text(text, style=STYLES.get(text, ""))
