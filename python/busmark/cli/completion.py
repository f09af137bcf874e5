"""`busmark completion`."""

from __future__ import annotations

import click

from busmark.cli.output import echo


@click.command(epilog='Example: eval "$(busmark completion bash)"')
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the completion script of SHELL."""
    from click.shell_completion import get_completion_class

    from busmark.cli.main import busmark

    maker = get_completion_class(shell)
    assert maker is not None
    echo(maker(busmark, {}, "busmark", "_BUSMARK_COMPLETE").source())
