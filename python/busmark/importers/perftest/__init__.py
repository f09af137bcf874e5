"""RTI Perftest: its CSV, JSON and legacy output, and the file of `-latencyFile`.

Sources for the formats: `srcCppCommon/PerftestPrinter.cxx`, `srcJava/…/PerftestPrinter.java` and
`srcCpp/perftest_cpp.cxx` of rticommunity/rtiperftest 4.3. What was captured together with it from
the standard error stream (version, configuration) is read too.
"""

from __future__ import annotations

from collections.abc import Iterable

from busmark.importers.model import Imported, Run
from busmark.importers.perftest import columns, json_form, latency_file, legacy, report
from busmark.importers.perftest.banner import above, banners
from busmark.importers.perftest.flaws import FLAWS, observe
from busmark.importers.text import SourceText

__all__ = ["FLAWS", "combine", "read", "recognise"]

TOOL = "RTI Perftest"

FORMS = {
    "latency file": latency_file,
    "json": json_form,
    "csv": columns,
    "legacy": legacy,
}
"""In which a file may be: the first that recognises it."""


def recognise(text: str) -> bool:
    """Whether it is one of them."""
    return any(form.recognise(text) for form in FORMS.values())


def read(source: SourceText) -> Imported:
    """One file."""
    name = next((n for n, form in FORMS.items() if form.recognise(source.text)), "csv")
    told = banners(source)
    imported = Imported(TOOL, name, titles={report.ADAPTER: report.TITLE})
    imported.version = _all(one.version for one in told)
    if middleware := _all(one.middleware for one in told):
        imported.versions[report.ADAPTER] = middleware
    if source.cut and name != "json":
        imported.left_out.append(source.cut)
    FORMS[name].read(source, imported)
    for run in imported.runs:
        known = above(told, run.line)
        run.params |= {k: v for k, v in known.params.items() if k != "arrivals"}
        if run.params["test"] == "latency" and "arrivals" in known.params:
            run.params["arrivals"] = known.params["arrivals"]
    observe(imported)
    return imported


def _all(versions: Iterable[str | None]) -> str | None:
    """One as a rule: each that runs of the file name."""
    return ", ".join(dict.fromkeys(v for v in versions if v)) or None


def combine(runs: list[Run]) -> list[Run]:
    """Samples of latency files join the runs whose figures they are."""
    return latency_file.joined(runs)
