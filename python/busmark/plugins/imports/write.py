"""The result directory of imported runs: written beside its place, then renamed."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from busmark import __version__
from busmark.errors import UserError
from busmark.model.parameters import Parameters
from busmark.plugins.imports.assemble import ImportedCase
from busmark.plugins.imports.model import Imported, Observed, Run
from busmark.plugins.imports.possible import possible
from busmark.store import Case, Finding, Manifest, Result, Source, checksum
from busmark.store.atomic import SUFFIX, replacing, sync_directory
from busmark.store.columns import polars_schema
from busmark.store.result import SUMMARIES
from busmark.store.writer import ResultWriter, storing

SEEDLESS = 0
"""Nothing was drawn."""
EVIDENCE = 5
"""Files or runs whose evidence stands in a finding; more are counted."""


def write(
    out: Path,
    cases: Sequence[ImportedCase],
    imported: Sequence[Imported],
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
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        beside = Path(tempfile.mkdtemp(prefix=f".{out.name}.", suffix=SUFFIX, dir=out.parent))
    except OSError as error:
        raise UserError(
            f"cannot be written to ({error.strerror})",
            where=str(error.filename or out),
            remedy="Name another directory with --out.",
        ) from None
    try:
        _fill(beside, cases, _manifest(cases, imported, source, command))
        with storing(out):
            umask = os.umask(0)
            os.umask(umask)
            beside.chmod(0o777 & ~umask)
            beside.replace(out)
            sync_directory(out.parent)
    except BaseException:
        shutil.rmtree(beside, ignore_errors=True)
        raise
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
        {
            "case": case.id,
            "round": number,
            "quantity": s.quantity,
            "statistic": s.statistic,
            "percent": s.percent,
            "value_ns": s.value_ns,
            "count": s.count,
            "start_s": s.start_s,
            "duration_s": s.duration_s,
            "file": run.file,
            "line": s.line,
        }
        for case in cases
        for number, run in enumerate(case.runs)
        for s in run.reported
    ]
    return pl.DataFrame(rows, schema=polars_schema("summaries"))


def _table(table: str, case: str, number: int, frame: pl.DataFrame | None) -> pl.DataFrame:
    """In the columns of the format; what a source does not have is null, without rows if it has
    nothing of it."""
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
    row |= run.values
    if case.params.test == "latency":
        row["median_ns"] = _round_trip(run, 50.0)
        row["p99_ns"] = _round_trip(run, 99.0)
    if run.samples is not None:
        row["samples"] = run.samples.height
    return row


def _round_trip(run: Run, percent: float) -> float | None:
    """Return a percentile of the whole run's round trip, by its samples if they are there."""
    factors = {"half_round_trip": 2.0, "round_trip": 1.0}
    for s in run.reported:
        if s.percent == percent and s.start_s is None and s.quantity in factors:
            return s.value_ns * factors[s.quantity]
    return None


def _manifest(
    cases: Sequence[ImportedCase], imported: Sequence[Imported], source: Source, command: str
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


def _adapters(imported: Sequence[Imported]) -> dict[str, dict[str, Any]]:
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


def _findings(cases: Sequence[ImportedCase], imported: Sequence[Imported]) -> list[Finding]:
    """Flaws by identifier, with all cases they concern and the evidence of each file."""
    by_run = {id(run): case.id for case in cases for run in case.runs}
    merged: dict[str, Finding] = {}
    evidence: dict[str, list[str]] = {}
    own = [Observed(f, text, [r]) for case in cases for r in case.runs for f, text in r.observed]
    for observed_of in (*(one.observed for one in imported), own):
        for observed in observed_of:
            concerned = [by_run[id(run)] for run in observed.runs if id(run) in by_run]
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
