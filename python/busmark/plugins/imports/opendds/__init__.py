"""OpenDDS Bench: the report of its test controller, and summaries of its report parser.

Sources for the formats: `performance-tests/bench/` of OpenDDS/OpenDDS (`idl/Bench.idl`,
`common/PropertyStatBlock.cpp`, `report_parser/`). Times are seconds, throughput octets per second.
"""

from __future__ import annotations

from busmark.plugins.imports.model import ImportedFile
from busmark.plugins.imports.opendds.figures import FLAWS, observe
from busmark.plugins.imports.opendds.forms import FORMS
from busmark.plugins.imports.text import SourceText

__all__ = ["FLAWS", "read", "recognise"]


def recognise(text: str) -> bool:
    """Return whether a text is a result of OpenDDS Bench."""
    return any(recognises(text) for recognises, _ in FORMS.values())


def read(source: SourceText) -> ImportedFile:
    """Return one run for round trips, and one for one-way samples."""
    name = next((n for n, (recognises, _) in FORMS.items() if recognises(source.text)), "report")
    imported = ImportedFile("OpenDDS Bench", name, titles={"opendds": "OpenDDS"})
    imported.runs = FORMS[name][1](source, imported).runs()
    if not imported.runs:
        raise source.nothing("statistics of latency, round_trip_latency or throughput with samples")
    observe(imported, name)
    return imported
