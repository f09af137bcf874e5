"""From files to a result directory: what is read, and how it is written."""

from __future__ import annotations

import hashlib
import itertools
import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, fields
from pathlib import Path, PurePath
from typing import Any

import polars as pl

from busmark import __version__
from busmark.errors import UserError
from busmark.files import replacing, sync_directory
from busmark.findings import campaign_findings, combine
from busmark.model.parameters import Parameters
from busmark.plugins.imports import assemble
from busmark.plugins.imports.assemble import ImportedCase
from busmark.plugins.imports.model import Flaw, FlawEvidence, ImportedFile, ReportedFigure, Run
from busmark.plugins.imports.possible import nothing_received, of_two_clocks, possible
from busmark.plugins.imports.registry import Importer, importer, recognised, the_one
from busmark.plugins.imports.sources import Refusal, sources
from busmark.plugins.imports.text import NoResult, SourceText
from busmark.store import Case, Finding, Manifest, Result, Source, SourceFile, checksum
from busmark.store.columns import polars_schema
from busmark.store.result import SUMMARIES
from busmark.store.writer import ResultWriter, storing
from busmark.temporary import made_beside

SHOWN = 3
"""Cases of a file, and files of a tool, that are named."""

FOLDERS = Flaw(
    "import-several-folders",
    "warning",
    "Rounds of one case come from different folders",
    "Runs whose files state the same parameters are rounds of one case. What else their folders "
    "stand for, such as an emulated loss, is in no file.",
    "Import the folders of each condition by themselves, with --set settings.NAME=VALUE.",
)
"""Flaw of files of any tool."""


@dataclass(slots=True)
class Collection:
    """All files that were read, before they become cases."""

    form: str | None = None
    imported: dict[str, ImportedFile] = field(default_factory=dict)
    """Imported files, by path."""
    formats: dict[str, list[str]] = field(default_factory=dict)
    """Files by name of their importer."""
    files: list[SourceFile] = field(default_factory=list)
    contents: dict[str, str] = field(default_factory=dict)
    """File by its content, however that is encoded."""
    refused: dict[str, UserError] = field(default_factory=dict)
    """Refused files, with the error that says why."""
    order: list[str] = field(default_factory=list)
    """All files, in the order in which they were named."""


def import_results(
    paths: Sequence[Path],
    out: Path,
    *,
    form: str | None = None,
    added: Sequence[str] = (),
    command: str = "busmark import",
    tell: Callable[[str], None] = lambda line: None,
) -> Result:
    """Read `paths`, which are files, folders, patterns and archives of files of one tool, and
    write the result directory `out`, which must not exist or be empty. `form` is one of the
    registry's names; None: recognised by content. `added` are parameters as KEY=VALUE. `tell` gets
    one line for each file: what became of it.

    Raises:
        UserError: no file could be imported, the files are of several tools, or `out` cannot be
            written. Nothing is left behind then.
    """
    extra = assemble.given(added)
    if form:
        importer(form)
    found = _collect(paths, form)
    if not found.imported:
        raise _nothing(found, paths, tell)
    _of_one_tool(found)
    every = [run for one in found.imported.values() for run in one.runs]
    runs, copies = assemble.without_copies(every)
    for name in found.formats:
        runs = importer(name).combine(runs)
    runs, text = assemble.without_repeats(runs)
    for run in runs:
        assemble.add(extra, run)
        if "placement" not in run.params.model_fields_set:
            run.params.placement = "unstated"
    cases = assemble.cases(runs)
    for case in cases:
        _of_several_folders(case)
    _rename(found, extra)
    left_out = [line for one in found.imported.values() for line in one.left_out]
    left_out += [_refusal(name, error) for name, error in found.refused.items()]
    source = Source(files=found.files, left_out=left_out, repeated=[*copies, *text])
    result = write(out, cases, list(found.imported.values()), source, command)
    became = _became(cases)
    for name in found.order:
        error = found.refused.get(name)
        tell(_refusal(name, error) if error else _fate(found, name, became))
    return result


def _collect(paths: Sequence[Path], form: str | None) -> Collection:
    found = Collection(form)
    for source in sources(paths):
        if source.name in found.imported or source.name in found.refused:
            continue
        found.order.append(source.name)
        try:
            _read(found, source)
        except UserError as error:
            found.refused[source.name] = error
    return found


def _read(found: Collection, source: SourceText | Refusal) -> None:
    if isinstance(source, Refusal):
        raise NoResult(source.reason, where=source.name)
    if first := found.contents.get(source.content):
        raise NoResult(f"the same file again as {first}", where=source.name)
    reader = _reader(source, found.form)
    imported = reader.read(source)
    for run in imported.runs:
        run.file, run.form = source.name, imported.form
        of_two_clocks(run)
        nothing_received(run)
    found.imported[source.name] = imported
    found.contents[source.content] = source.name
    found.formats.setdefault(reader.name, []).append(source.name)
    found.files.append(
        SourceFile(
            name=source.name,
            sha256=source.sha256,
            size_bytes=source.size_bytes,
            tool=imported.tool,
            version=imported.version,
            form=imported.form,
        )
    )


def _of_several_folders(case: ImportedCase) -> None:
    """Note a flaw where the case's files are in folders which are no neighbours."""
    folders = list(dict.fromkeys(PurePath(run.file).parent for run in case.runs))
    if len({folder.parent for folder in folders}) > 1:
        text = f"{len(case.runs)} rounds from {len(folders)} folders: {folders[0]} to {folders[-1]}"
        case.runs[0].observed.append((FOLDERS, text))


def _reader(source: SourceText, form: str | None) -> Importer:
    """Return the one named, unless the file is plainly of another tool."""
    if not form:
        return the_one(source)
    others = [one.name for one in recognised(source.text)]
    if others and form not in others:
        raise UserError(f"of {' or '.join(others)}, not of {form} (--format)", where=source.name)
    return importer(form)


def _nothing(found: Collection, paths: Sequence[Path], tell: Callable[[str], None]) -> UserError:
    """Return the error that nothing was imported: of a single file its own."""
    if len(found.refused) == 1:
        return next(iter(found.refused.values()))
    for name, error in found.refused.items():
        tell(_refusal(name, error))
    return UserError(
        f"none of {len(found.refused)} files could be imported",
        where=", ".join(map(str, paths)),
        remedy="`busmark import --help` lists what can be read.",
    )


def _of_one_tool(found: Collection) -> None:
    """Check that no two tools' figures become one result: each measures in its own way."""
    if len(found.formats) == 1:
        return
    text = "; ".join(
        f"{name}: {', '.join(files[:SHOWN])}"
        + (f" and {len(files) - SHOWN} more" if len(files) > SHOWN else "")
        for name, files in found.formats.items()
    )
    each = ", ".join(f"--format {name}" for name in found.formats)
    raise UserError(
        f"files of {len(found.formats)} tools, which do not measure alike ({text})",
        where=found.files[0].name,
        remedy=f"Import the files of each tool into a result of its own ({each}), and hold the "
        "results against each other with `busmark compare`.",
    )


def _refusal(name: str, error: UserError) -> str:
    where = error.where if error.where and error.where.startswith(name) else name
    what = "skipped" if isinstance(error, NoResult) else "refused"
    line = f"{where}: {what}: {error.message}"
    return f"{line}. {error.remedy}" if error.remedy and "Can be read" not in error.remedy else line


def _became(cases: Sequence[ImportedCase]) -> dict[str, list[str]]:
    """Return, by file, what its runs became."""
    found: dict[str, list[str]] = {}
    for case in cases:
        for run in case.runs:
            text = f"imported as case {case.id}"
            others = " and ".join(_beside(run.file, other) for other in run.joined)
            found.setdefault(run.file, []).append(text + (f", joined with {others}" * bool(others)))
            for other in run.joined:
                what = "its other half " if run.half else ""
                text = f"joined with {what}{_beside(other, run.file)}: case {case.id}"
                found.setdefault(other, []).append(text)
    return found


def _beside(name: str, other: str) -> str:
    """Return the other's name, short where both are in one folder."""
    one, two = PurePath(name), PurePath(other)
    return two.name if one.parent == two.parent else other


def _fate(found: Collection, name: str, became: dict[str, list[str]]) -> str:
    one = found.imported[name]
    tool = f"{one.tool} {one.version}" if one.version else one.tool
    lines = list(dict.fromkeys(became.get(name, ["counted with another file of the same run"])))
    more = f"; and {len(lines) - SHOWN} more" if len(lines) > SHOWN else ""
    return f"{name}: {tool}, {one.form}: {'; '.join(lines[:SHOWN])}{more}"


def _rename(found: Collection, extra: dict[str, object]) -> None:
    """Give the adapter's title the name that the user gives to the adapter."""
    name = extra.get("adapter")
    for imported in found.imported.values() if name else ():
        titles, versions = list(imported.titles.values()), list(imported.versions.values())
        imported.titles = {str(name): titles[0] if titles else str(name)}
        imported.versions = {str(name): versions[0]} if versions else {}


SEEDLESS = 0
"""Nothing was drawn."""
EVIDENCE = 5
"""Files or runs whose evidence stands in a finding; more are counted."""


def write(
    out: Path,
    cases: Sequence[ImportedCase],
    imported: Sequence[ImportedFile],
    source: Source,
    command: str,
) -> Result:
    """Write all of it, or nothing. Raises `UserError` where `out` is not free or cannot be
    written."""
    possible(cases)
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UserError(
            "the output directory exists and is not empty",
            where=str(out),
            remedy="Name another with --out.",
        )
    with ExitStack() as stack:
        try:
            out.parent.mkdir(parents=True, exist_ok=True)
            beside = stack.enter_context(made_beside(out.parent))
            beside.mkdir()
        except OSError as error:
            raise UserError(
                f"cannot be written to ({error.strerror or error})",
                where=str(error.filename or out),
                remedy="Name another directory with --out.",
            ) from None
        _fill(beside, cases, _manifest(cases, imported, source, command))
        with storing(out):
            beside.replace(out)
            sync_directory(out.parent)
    return Result(out)


def _fill(directory: Path, cases: Sequence[ImportedCase], manifest: Manifest) -> None:
    writer = ResultWriter.create(directory, manifest)
    try:
        for case in cases:
            for number, run in enumerate(case.runs):
                writer.event("imported", case=case.id, round=number, file=run.file, line=run.line)
        writer.save_rounds(_rounds(cases))
        path = directory / SUMMARIES
        with storing(path), replacing(path) as partial:
            checksum.write(summaries(cases), partial)
        found = campaign_findings(Result(directory))
        writer.manifest.findings = combine(writer.manifest.findings, found)
        writer.save_manifest()
    finally:
        writer.close()


def _rounds(
    cases: Sequence[ImportedCase],
) -> Iterator[tuple[dict[str, Any], dict[str, pl.DataFrame]]]:
    order = itertools.count()
    for case in cases:
        for number, run in enumerate(case.runs):
            frames = {
                "samples": _table("samples", case.id, number, run.samples),
                "intervals": _table("intervals", case.id, number, run.intervals),
            }
            yield _row(case, number, next(order), run), frames


def summaries(cases: Sequence[ImportedCase]) -> pl.DataFrame:
    """Return the table of what the sources state."""
    rows = [
        {"case": case.id, "round": number, "file": run.file}
        | {each.name: getattr(s, each.name) for each in fields(ReportedFigure)}
        for case in cases
        for number, run in enumerate(case.runs)
        for s in run.reported
    ]
    return pl.DataFrame(rows, schema=polars_schema("summaries"))


def _table(table: str, case: str, number: int, frame: pl.DataFrame | None) -> pl.DataFrame:
    """Return a frame in the columns of the format: null where a source has no such column, without
    rows where it has no frame."""
    schema = polars_schema(table)
    if frame is None:
        return pl.DataFrame(schema=schema)
    frame = frame.with_columns(pl.lit(case).alias("case"), pl.lit(number).alias("round"))
    absent = [pl.lit(None, dtype=t).alias(n) for n, t in schema.items() if n not in frame.columns]
    return frame.with_columns(absent).select(pl.col(n).cast(t) for n, t in schema.items())


def _row(case: ImportedCase, number: int, order: int, run: Run) -> dict[str, Any]:
    """Return row of the table `cases`: what the parameters and the source state; the rest is
    null."""
    columns = polars_schema("cases")
    row: dict[str, Any] = dict.fromkeys(columns)
    reported = case.params.declared().items()
    row |= {k: v for k, v in reported if k in columns and not isinstance(v, dict)}
    row |= {"case": case.id, "round": number, "attempt": 0, "order": order, "status": "ok"}
    if case.params.qos:
        row["qos"] = json.dumps(case.params.qos)
    row["senders"] = case.params.declared().get("publishers")
    row |= run.values
    if case.params.test == "latency":
        row["median_ns"] = _round_trip(run, 50.0)
        row["p99_ns"] = _round_trip(run, 99.0)
    if run.samples is not None:
        row["samples"] = run.samples.height
    return row


def _round_trip(run: Run, percent: float) -> float | None:
    """Return a percentile of the whole run's round trip, as the source states it; or None."""
    factors = {"half_round_trip": 2.0, "round_trip": 1.0}
    for s in run.reported:
        if s.percent == percent and s.start_s is None and s.quantity in factors:
            return s.value_ns * factors[s.quantity]
    return None


def _manifest(
    cases: Sequence[ImportedCase], imported: Sequence[ImportedFile], source: Source, command: str
) -> Manifest:
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    tools = list(dict.fromkeys(f.tool for f in source.files))
    together = "".join(sorted(file.sha256 for file in source.files))
    return Manifest(
        busmark_version=__version__,
        created_utc=now,
        finished_utc=now,
        command=command,
        seed=SEEDLESS,
        # One for each set of files, as a campaign has one of its own.
        cookie=hashlib.sha256(together.encode()).hexdigest()[:16],
        scenario={"name": f"Imported from {', '.join(tools)}"},
        scenario_text="",
        cases=[
            Case(
                id=case.id,
                params=Parameters.model_validate(case.params.declared()),
                status="planned",
            )
            for case in cases
        ],
        hosts={},
        adapters=_adapters(imported),
        findings=_findings(cases, imported),
        source=source,
    )


def _adapters(imported: Sequence[ImportedFile]) -> dict[str, dict[str, Any]]:
    """Return what was measured, and with what."""
    found: dict[str, dict[str, Any]] = {}
    for one in imported:
        for name, title in one.titles.items():
            known = found.setdefault(name, {"name": name, "tools": []})
            if one.tool not in known["tools"]:
                known["tools"].append(one.tool)
            known["title"] = f"{title} ({', '.join(known['tools'])})"
            if name in one.versions:
                known["middleware_version"] = one.versions[name]
            known["imported"] = True
    return found


def _findings(cases: Sequence[ImportedCase], imported: Sequence[ImportedFile]) -> list[Finding]:
    """Return a finding for each flaw, with all cases it concerns and the evidence of each file."""
    by_run = {id(run): case.id for case in cases for run in case.runs}
    merged: dict[str, Finding] = {}
    evidence: dict[str, list[str]] = {}
    own = [
        FlawEvidence(f, text, [r]) for case in cases for r in case.runs for f, text in r.observed
    ]
    for observed_of in (*(one.observed for one in imported), own):
        for observed in observed_of:
            runs = [r for r in observed.runs if not observed.flaw.of_summaries or r.samples is None]
            concerned = [by_run[id(run)] for run in runs if id(run) in by_run]
            if observed.runs and not concerned:
                continue
            finding = observed.finding(list(dict.fromkeys(concerned)))
            before = merged.setdefault(finding.id, finding)
            before.cases = list(dict.fromkeys([*before.cases, *finding.cases]))
            evidence.setdefault(finding.id, []).append(finding.evidence)
    for name, every in evidence.items():
        each = list(dict.fromkeys(every))
        more = [f"and {len(each) - EVIDENCE} more"] if len(each) > EVIDENCE else []
        merged[name].evidence = "; ".join([*each[:EVIDENCE], *more])
    ranks = ("error", "warning", "note")
    return sorted(merged.values(), key=lambda finding: ranks.index(finding.severity))
