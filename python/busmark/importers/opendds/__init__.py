"""OpenDDS Bench: the report of its test controller, and summaries of its report parser.

Sources for the formats: `performance-tests/bench/` of OpenDDS/OpenDDS (`idl/Bench.idl`,
`common/PropertyStatBlock.cpp`, `report_parser/`). Times are seconds, throughput octets per second.
"""

from __future__ import annotations

from busmark.importers.model import Imported
from busmark.importers.opendds import report, summary_json, summary_text
from busmark.importers.opendds.blocks import TITLE
from busmark.importers.opendds.flaws import FLAWS, observe
from busmark.importers.text import SourceText

__all__ = ["FLAWS", "read", "recognise"]

FORMS = {"report": report, "summary json": summary_json, "summary text": summary_text}


def recognise(text: str) -> bool:
    """Whether it is one of them."""
    return any(form.recognise(text) for form in FORMS.values())


def read(source: SourceText) -> Imported:
    """One run for round trips, and one for one-way samples."""
    name = next((n for n, form in FORMS.items() if form.recognise(source.text)), "report")
    imported = Imported("OpenDDS Bench", name, titles={"opendds": TITLE})
    blocks = FORMS[name].read(source, imported)
    imported.runs = blocks.runs()
    if not imported.runs:
        raise source.nothing("statistics of latency, round_trip_latency or throughput with samples")
    observe(imported, name)
    return imported
