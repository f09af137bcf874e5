"""RTI Perftest: its CSV, JSON and legacy output, and the file of `-latencyFile`.

Sources for the formats: `srcCppCommon/PerftestPrinter.cxx`, `srcJava/…/PerftestPrinter.java` and
`srcCpp/perftest_cpp.cxx` of rticommunity/rtiperftest 4.3. What was captured together with it from
the standard error stream (version, configuration) is read too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from busmark.plugins.imports.model import ImportedFile
from busmark.plugins.imports.perftest import forms
from busmark.plugins.imports.perftest.figures import ADAPTER, FLAWS, above, banners, observe
from busmark.plugins.imports.perftest.forms import combine
from busmark.plugins.imports.text import SourceText

__all__ = ["FLAWS", "combine", "read", "recognise"]

FORMS: dict[str, tuple[Callable[[str], bool], Callable[[SourceText, ImportedFile], None]]] = {
    "latency file": (forms.recognise_latencies, forms.read_latencies),
    "json": (forms.recognise_json, forms.read_json),
    "csv": (forms.recognise_csv, forms.read_csv),
    "legacy": (forms.recognise_legacy, forms.read_legacy),
}
"""Forms in which a file may be: the first that recognises it is read."""


def recognise(text: str) -> bool:
    """Return whether a text is an output of RTI Perftest."""
    return any(recognises(text) for recognises, _ in FORMS.values())


def read(source: SourceText) -> ImportedFile:
    """Return one file."""
    name = next((n for n, (recognises, _) in FORMS.items() if recognises(source.text)), "csv")
    configured = banners(source)
    imported = ImportedFile("RTI Perftest", name, titles={ADAPTER: "RTI Connext"})
    imported.version = _all(one.version for one in configured)
    if middleware := _all(one.middleware for one in configured):
        imported.versions[ADAPTER] = middleware
    if source.cut and name != "json":
        imported.left_out.append(source.cut)
    FORMS[name][1](source, imported)
    for run in imported.runs:
        for key, value in above(configured, run.line).params.declared().items():
            if key != "arrivals" or run.params.test == "latency":
                setattr(run.params, key, value)
    observe(imported)
    return imported


def _all(versions: Iterable[str | None]) -> str | None:
    """Return one as a rule: each that runs of the file name."""
    return ", ".join(dict.fromkeys(v for v in versions if v)) or None
