"""The machines it was measured on, and the software."""

from __future__ import annotations

from busmark.analysis.model import Campaign
from busmark.analysis.words.text import ABSENT
from busmark.present.blocks.environment import flat_facts
from busmark.report.workbook import table
from busmark.report.workbook.book import FIRST_ROW, Book
from busmark.report.workbook.configuration import Fact, facts_at
from busmark.report.workbook.table import Column

Adapter = tuple[str, dict[str, object]]


def sheets(book: Book, campaign: Campaign) -> None:
    """One sheet for machines, one for software."""
    _machines(book, campaign)
    _software(book, campaign)


def _machines(book: Book, campaign: Campaign) -> None:
    sheet = book.sheet(
        "Machine", "Machine specification", "hardware, operating system, kernel settings of every "
        "node",
    )  # fmt: skip
    hosts = [(name or "this machine", profile) for name, profile in campaign.hosts.items()]
    for again in campaign.resumptions:
        hosts.append((f"this machine, from {again.utc}", again.host))
        hosts += [(f"{node}, from {again.utc}", host) for node, host in again.nodes.items()]
    row = FIRST_ROW
    for name, profile in hosts:
        sheet.text(row, 0, f"Node: {name}", book.styles.heading)
        facts: list[Fact] = list(flat_facts(profile))
        row = facts_at(sheet, row + 1, facts) + 1
    if not hosts:
        sheet.text(row, 0, "No profile of a machine is stored.")


def _software(book: Book, campaign: Campaign) -> None:
    sheet = book.sheet(
        "Software", "Software specification", "versions of Busmark, middleware and adapters",
        note=f"Imported with Busmark {campaign.busmark_version}."
        if campaign.source
        else f"Measured with Busmark {campaign.busmark_version}. The hash is of the adapter's "
        "library.",
    )  # fmt: skip
    adapters: list[Adapter] = list(campaign.adapters.items())
    columns: list[Column[Adapter]] = [
        Column("Adapter", "text", lambda a: a[0], width=16, keep=True),
        Column("Middleware", "text", lambda a: _text(a, "title"), width=28),
        Column("Version", "text", lambda a: _text(a, "middleware_version"), width=34),
        Column("Licence", "text", lambda a: _text(a, "licence"), width=26),
        Column("Version of adapter", "text", lambda a: _text(a, "version"), width=12),
        Column("Transports", "text", lambda a: _text(a, "transports"), width=24),
        Column("SHA-256 of its library", "wrapped", lambda a: _text(a, "sha256"), width=36),
    ]
    table.write(sheet, FIRST_ROW, columns, adapters, frozen=1)
    row = FIRST_ROW + len(adapters) + 3
    if campaign.missing_adapters:
        sheet.text(row, 0, "Asked for and not usable", book.styles.heading)
        for offset, (name, reason) in enumerate(campaign.missing_adapters.items(), 1):
            sheet.text(row + offset, 0, name)
            sheet.text(row + offset, 1, reason)


def _text(adapter: Adapter, key: str) -> str | None:
    value = adapter[1].get(key)
    if isinstance(value, list):
        return ", ".join(map(str, value)) or ABSENT
    return None if value in (None, "") else str(value)
