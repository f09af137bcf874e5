"""`busmark adapters`."""

from __future__ import annotations

import json

import click


@click.command(epilog="Example: busmark adapters --json")
@click.option("--json", "as_json", is_flag=True, help="Print all capabilities as JSON.")
def command(as_json: bool) -> None:
    """List the adapters here, what each can do, and why one cannot be used."""
    from rich.console import Console
    from rich.table import Table

    from busmark.adapters import available

    found = available()
    if as_json:
        rows = [
            {"name": a.name, "usable": a.usable, "reason": a.reason, **a.stored()} for a in found
        ]
        click.echo(json.dumps(rows, indent=2))
        return
    console = Console()
    table = Table(box=None, pad_edge=False)
    for column in ("adapter", "middleware", "transports", "waits", "payloads", "QoS"):
        table.add_column(column, overflow="fold")
    for adapter in found:
        can = adapter.capabilities
        if can is None or not adapter.usable:
            continue
        table.add_row(
            adapter.name, can["middleware_version"], " ".join(can["transports"]),
            " ".join(can["waits"]), " ".join(can["payloads"]), " ".join(can["qos"]),
        )  # fmt: skip
    console.print(table)
    for adapter in found:
        if not adapter.usable:
            text = f"{adapter.name}: not usable: {adapter.reason}"
            console.print(text, markup=False, highlight=False, soft_wrap=True)
    if not found:
        console.print("No adapter found. Build them with `make build`.")
