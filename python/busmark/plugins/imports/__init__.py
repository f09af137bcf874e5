"""Results of other tools, as results of Busmark.

- `registry`: the tools, one module (or package) each, with `recognise(text)` and `read(source)`.
- `model`: `ImportedFile`, what a file says; `Flaw`, what is known to be wrong with a tool's data.
- `sources`: files, folders and archives. `text`: lines, numbers with units, and JSON, with the line
  of every error.
- `assemble`: runs of several files become cases and rounds. `possible`: whether they can be.
  `write`: they become a directory. `read`: all of this, in order.
"""

from busmark.plugin import Command, Plugin

PLUGIN = Plugin(
    "imports",
    "Results of other tools, as results of Busmark.",
    commands=(
        Command(
            "import",
            "Import results of Perftest, ddsperf and others.",
            "busmark.plugins.imports.command:command",
        ),
    ),
)
