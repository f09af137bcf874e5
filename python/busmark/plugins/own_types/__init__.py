"""A type of the user's: its IDL compiled into adapters, a value of it as CDR, and a scenario.

- `source`: the IDL. `tools`: its compilers. `libraries`: adapters with it.
- `value`, `codec`: values as CDR, samples as JSON.
- `compare`: the scenario that compares the type with Busmark's own.
"""

from busmark.plugin import Command, Plugin

PLUGIN = Plugin(
    "own_types",
    "Types of the user's, compiled into adapters and shown as JSON.",
    commands=(
        Command(
            "type",
            "Compile a type of your own into the DDS adapters.",
            "busmark.plugins.own_types.command:command",
        ),
    ),
)
