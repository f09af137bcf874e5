"""Results of other tools, as results of Busmark.

- `registry`: the tools, one module (or package) each, with `recognise(text)` and `read(text)`.
- `model`: `Imported`, what a file says; `Flaw`, what is known to be wrong with a tool's figures.
- `text`, `numbers`, `documents`: lines, numbers with units, and JSON, with the line of every error.
- `assemble`: runs of several files become cases and rounds. `write`: these become a directory.
"""

from busmark.importers.read import import_results

__all__ = ["import_results"]
