"""`busmark completion`."""

from __future__ import annotations

import click
from click.shell_completion import BashComplete, add_completion_class, get_completion_class

from busmark.cli.output import echo


@add_completion_class
class Bash(BashComplete):
    """Completion for bash. Words are quoted where they have to be: names of folders may hold spaces
    and commands, which the other shells quote by themselves."""

    source_template = BashComplete.source_template.replace(" read type", " read -r type").replace(
        "COMPREPLY+=($value)",
        """[[ $value != *[!A-Za-z0-9_.,:=+@%%/~-]* ]] || value=$(printf %%q "$value")
            COMPREPLY+=("$value")""",
    )


@click.command(epilog='Example: eval "$(busmark completion bash)"')
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the completion script of SHELL."""
    from busmark.cli.main import busmark

    maker = get_completion_class(shell)
    assert maker is not None
    echo(maker(busmark, {}, "busmark", "_BUSMARK_COMPLETE").source())
