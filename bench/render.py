"""The report: `RESULTS.md` from `results.json`, and nothing else."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from catalogue import OURS
from compare import ABSENT, CANNOT_TELL, FAILED, MET, NO_TARGET, NOT_MET
from remarks import DIFFERENCES, METHOD, SERIALISATION

NONE = "—"
UNEXPLAINED = "not explained yet"
ORDER = (MET, NOT_MET, CANNOT_TELL, ABSENT, FAILED, NO_TARGET)

FORMATS: dict[str, Callable[[float], str]] = {
    "ns": lambda v: f"{v / 1e3:.2f} µs" if v >= 1000 else f"{v:.1f} ns",
    "samples/s": lambda v: f"{v / 1e3:,.1f} k/s",
    "s": lambda v: f"{v:.3f} s",
}


def load_notes(path: Path) -> dict[str, str]:
    """Load the explanations, by identifier or pattern."""
    notes = tomllib.loads(path.read_text(encoding="utf-8")).get("notes", {})
    return {str(key): str(text) for key, text in notes.items()}


def annotate(results: Mapping[str, Any], notes: Mapping[str, str]) -> None:
    """Put its note into every row that misses its target; other rows have none."""
    for row in results["rows"]:
        row["note"] = None
        if row["met"] is False:
            found = (text for key, text in notes.items() if fnmatchcase(row["id"], key))
            row["note"] = next(found, UNEXPLAINED)


def render(results: Mapping[str, Any]) -> str:
    """Return the whole page."""
    lines = [*_head(results), *_machine(results)]
    for section in dict.fromkeys(row["section"] for row in results["rows"]):
        lines += ["", f"## {section}", ""]
        lines += _table([row for row in results["rows"] if row["section"] == section])
    lines += [*_misses(results["rows"]), *_failures(results["rows"]), *_remarks()]
    return "\n".join(lines) + "\n"


def _head(results: Mapping[str, Any]) -> Iterator[str]:
    rows = results["rows"]
    counts = {verdict: sum(row["verdict"] == verdict for row in rows) for verdict in ORDER}
    counted = ", ".join(f"{n} {verdict}" for verdict, n in counts.items() if n)
    yield "# Busmark against bare loops and peers"
    yield ""
    yield f"**{len(rows)} comparisons: {counted}.**"
    if results["only"]:
        yield ""
        yield f"Not the whole bench: only what matches `{results['only']}`."
    yield ""
    yield (
        f"{results['rounds']} interleaved rounds of {results['seconds']:g} s each after "
        f"{results['warmup_s']:g} s of warm-up, seed {results['seed']}, on {results['begun_utc']}, "
        f"{results['length_s'] / 60:.0f} minutes in all. What these could not decide had up to "
        f"{results['further']} more. Repeat with `make bench`."
    )
    if results.get("awake"):
        yield ""
        yield "A loop of the idle class ran on each CPU, so that none halted (`--awake`)."


def _machine(results: Mapping[str, Any]) -> Iterator[str]:
    host, software = results["machine"], results["software"]
    yield from ("", "| machine | |", "|---|---|")
    for key, value in host.items():
        yield f"| {key.replace('_', ' ')} | {_plain(value)} |"
    for key, value in software.items():
        yield f"| {key} | {_plain(value, missing='not here')} |"


def _plain(value: Any, missing: str = NONE) -> str:
    if value is None:
        return missing
    if isinstance(value, dict):
        return ", ".join(f"{k}: {v}" for k, v in value.items())
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return str(value)


def _table(rows: list[dict[str, Any]]) -> Iterator[str]:
    mine = rows[0].get("mine_name", OURS)
    mine = "Busmark" if mine == OURS else mine
    yield f"| what | CPUs | {mine} | other | | ratio | 95 % interval | rounds | target | verdict |"
    yield "|---|---|--:|--:|---|--:|--:|--:|--:|---|"
    for row in rows:
        show = FORMATS[row["unit"]]
        of_ratio = row["judged"] == "ratio"
        ours, other, ratio = row["ours"], row["other"], row["ratio"]
        other_name = row["other_name"] or NONE
        if row["other_name"] is None and row.get("worst") is not None:
            other, other_name = row["worst"], "our worst round"
        cells = [
            row["name"] + "".join(f", {k} = {v}" for k, v in row["settings"].items()),
            row["placement"] or NONE,
            NONE if ours is None else show(ours),
            NONE if other is None else show(other),
            other_name,
            NONE if ratio is None else f"{ratio:.3f}",
            _interval(row["interval"], (lambda v: f"{v:.3f}") if of_ratio else show),
            str(row["rounds"]),
            _bound(row, (lambda v: f"{v:.2f}") if of_ratio else show),
            row["verdict"] if row["met"] is not False else f"**{row['verdict']}**",
        ]
        yield "| " + " | ".join(cells) + " |"


def _bound(row: Mapping[str, Any], show: Callable[[float], str]) -> str:
    if row["target"] is None:
        return NONE
    return f"{'≤' if row['bound'] == 'at most' else '≥'} {show(row['target'])}"


def _interval(limits: list[float] | None, show: Callable[[float], str]) -> str:
    return NONE if limits is None else f"{show(limits[0])} … {show(limits[1])}"


def _misses(rows: list[dict[str, Any]]) -> Iterator[str]:
    missed = [row for row in rows if row["met"] is False]
    if missed:
        yield from ("", "## What is missed, by how much and why", "")
    for row in missed:
        name = f"{row['name']}, {row['placement'] or 'free'}, {row['other_name'] or 'by itself'}"
        lacking = "".join(f" (the other side has {k} = {v})" for k, v in row["lacking"].items())
        extent = f"{row['excess']:.1%} beyond the target{lacking}"
        yield f"- **{name}** (`{row['id']}`): {extent}: {row['note']}"


def _failures(rows: list[dict[str, Any]]) -> Iterator[str]:
    absent = [row for row in rows if row.get("missing")]
    if absent:
        yield from ("", "## What could not be compared", "")
    for row in absent:
        yield f"- `{row['id']}`: {row['missing']}"
    failures = sorted({text for row in rows for text in row["failures"]})
    if failures:
        yield from ("", "## Measurements that did not come about", "")
        yield "Each was tried once more; a pair that is not complete does not count."
        yield ""
    for text in failures:
        yield f"- {text}"


def _remarks() -> Iterator[str]:
    yield from ("", "## How it is measured", "")
    yield from (f"- {text}" for text in METHOD)
    yield from ("", "## What is not quite equal", "")
    yield from (f"- {text}" for text in DIFFERENCES)
    yield from (
        "",
        "## What a sample is, and what it is in vendors' benchmarks",
        "",
        SERIALISATION[0],
    )
    yield ""
    yield from (f"- {text}" for text in SERIALISATION[1:])
