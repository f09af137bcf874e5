"""performance_test of Apex.AI: its CSV and JSON.

Sources for the formats: `src/outputs/csv_output.cpp`,
`src/experiment_metrics/analysis_result.cpp`, `src/outputs/json_output.cpp` and what these were
before, of performance_test from 2018 to 2.3. Every row is of about a second and has moments only:
there is no percentile, and none can be computed.
"""

from __future__ import annotations

from busmark.errors import UserError
from busmark.plugins.imports.model import ImportedFile
from busmark.plugins.imports.performance_test.experiment import FLAWS, combine, observe
from busmark.plugins.imports.performance_test.forms import FORMS
from busmark.plugins.imports.possible import of_two_clocks
from busmark.plugins.imports.text import SourceText

__all__ = ["FLAWS", "combine", "read", "recognise"]


def recognise(text: str) -> bool:
    """Return whether it is one of them, or what the build farm of ROS 2 makes of them."""
    return any(recognises(text) for recognises, _ in FORMS.values())


def read(source: SourceText) -> ImportedFile:
    """Return one run."""
    name = next((n for n, (recognises, _) in FORMS.items() if recognises(source.text)), "csv")
    imported = ImportedFile("performance_test", name)
    experiment = FORMS[name][1](source, imported)
    imported.version = experiment.version
    if experiment.roundtrip.lower() == "relay":
        raise UserError(
            "the log of a relay (Roundtrip Mode: Relay), which sends back and measures nothing",
            where=f"{source.name}, line 1",
            remedy="Import the log of the process whose mode is Main.",
        )
    run = experiment.run()
    imported.titles[run.params.adapter] = experiment.title
    imported.runs.append(run)
    of_two_clocks(run)
    observe(imported, run, name, experiment)
    return imported
