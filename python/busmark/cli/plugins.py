"""`busmark plugins`."""

from __future__ import annotations

import json

import click

from busmark.cli.output import echo


@click.command(epilog="Example: BUSMARK_PLUGINS=-bus,-lab busmark plugins")
@click.option("--json", "as_json", is_flag=True, help="Print the plug-ins as JSON.")
def command(as_json: bool) -> None:
    """List the plug-ins here: what they add, their versions, and whether they are used.

    BUSMARK_PLUGINS=-NAME,-NAME switches some off. Other distributions add plug-ins by the entry
    point group busmark.plugins.
    """
    from busmark.plugin import installed

    found = installed()
    if as_json:
        echo(json.dumps([each.summary() for each in found], indent=2))
        return
    from busmark.cli.documents import show
    from busmark.present.blocks.doctor import plugins
    from busmark.present.document import Document, Section

    show(Document("Plug-ins", [], [Section("", [plugins(found)])]))
