"""Reading a result directory."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from busmark import files
from busmark.errors import UserError
from busmark.store import salvage, tables
from busmark.store.columns import FORMAT_VERSION, TABLES, polars_schema
from busmark.store.manifest import MANIFEST, Manifest
from busmark.store.named import recent
from busmark.store.rows import read_lines, with_lines
from busmark.store.tables import UNREADABLE, load_table, read, shaped

__all__ = ["UNREADABLE", "Result", "load_table"]

CASES = "cases.parquet"
EVENTS = "events.jsonl"
SUMMARIES = "summaries.parquet"
"""Table of imported results only."""

MOST_EVENTS = 1 << 30
"""Bytes: a larger file is not ours, and would fill the memory."""


def file_stem(case: str, round_number: int) -> str:
    """Return the name, without its ending, of the files of one round."""
    return f"{case}.r{round_number:03d}"


class Result:
    """A result directory, finished or not: every round that finished is readable.

    `manifest` is the parsed `manifest.json`, `cases` the table of rounds (see
    `busmark.store.columns`). Both are checked here, once: what in them cannot be is left out, and
    reported by `damage`. The tables of single rounds are checked when they are read.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.damage: list[str] = []
        """Parts of the manifest and of `cases` that were left out, and why."""
        self.manifest, text = load_manifest(self.directory)
        self.damage += [f"{self.directory / MANIFEST}: {what}" for what in text]
        # At once: what is made when it is first asked for would change while others read it.
        # By case, the names of the scenario's own flows; cases without such are not in it.
        named = {c.id: [flow.name for flow in c.params.flows] for c in self.manifest.cases}
        self._background = {case: names for case, names in named.items() if names}
        self.damaged_manifest = bool(self.damage)
        self.cases = self._load_cases()

    def _load_cases(self) -> pl.DataFrame:
        path = self.directory / CASES
        # The lines first: what is moved into the table meanwhile is then in both, not in neither.
        lines = read_lines(path)
        frame = pl.DataFrame(schema=polars_schema("cases"))
        if path.exists():
            frame = shaped(read(path), path, "cases", None)
        frame, text = tables.rows(with_lines(frame, lines))
        known = frame["case"].is_in([case.id for case in self.manifest.cases])
        if not known.all():
            text.append(f"{int((~known).sum())} rows left out: the manifest has no such case")
        self.damage += [f"{path}: {what}" for what in text]
        return frame.filter(known)

    @cached_property
    def failed_attempts(self) -> dict[str, list[str]]:
        """Reasons why attempts at rounds have failed, by case, in order of time, including attempts
        whose row a further attempt has replaced."""
        found: dict[str, list[str]] = {}
        for event in self._events("round_failed"):
            with suppress(KeyError):
                found.setdefault(str(event["case"]), []).append(str(event["reason"]))
        return found

    @cached_property
    def companion_findings(self) -> dict[str, list[tuple[str, str]]]:
        """Reports of companions of rounds, by case, once for each round: the name of the companion
        and a sentence."""
        found: dict[str, list[tuple[str, str]]] = {}
        for event in self._events("round_ends"):
            with suppress(KeyError, TypeError, AttributeError):
                own = found.setdefault(str(event["case"]), [])
                for name, sentences in event["companions"].items():
                    own += [(str(name), str(sentence)) for sentence in sentences]
        return found

    @cached_property
    def commands(self) -> list[dict[str, Any]]:
        """Every run of a command before or after a round, in order of time: `when`, `command`,
        `node`, `seconds` and `reason`, which is None where it did not fail."""
        found: list[dict[str, Any]] = []
        for event in self._events("round_ends", "round_failed"):
            with suppress(KeyError, TypeError, ValueError):
                found += [
                    {
                        "when": str(each["when"]),
                        "command": str(each["command"]),
                        "node": each["node"] and str(each["node"]),
                        "seconds": float(each["seconds"]),
                        "reason": each["reason"],
                    }
                    for each in event["commands"]
                ]
        return found

    def _events(self, *kinds: str) -> Iterator[dict[str, Any]]:
        """Yield events of these kinds, in order of time; none where the file cannot be read."""
        path = self.directory / EVENTS
        try:
            text = files.content(path, MOST_EVENTS)
        except OSError:
            return
        for line in text.splitlines():
            # A crash may have left half a line.
            with suppress(ValueError, RecursionError):
                event = json.loads(line)
                if isinstance(event, dict) and event.get("event") in kinds:
                    yield event

    @cached_property
    def summaries(self) -> pl.DataFrame:
        """Figures that the source of an imported result states; empty for any other."""
        path = self.directory / SUMMARIES
        if not path.exists():
            return pl.DataFrame(schema=polars_schema("summaries"))
        return load_table(path, "summaries")

    def rounds(self, case: str, *, status: str = "ok") -> list[int]:
        """Return the numbers of the rounds of `case` with this status, ascending."""
        rows = self.cases.filter((pl.col("case") == case) & (pl.col("status") == status))
        return sorted(rows["round"].to_list())

    def samples(
        self, case: str, round_number: int, columns: Sequence[str] | None = None
    ) -> pl.DataFrame:
        """Return raw samples that one round measured, in order of recording; only some columns if
        named. Samples of the scenario's own flows are apart: see `samples_background`."""
        if case not in self._background:
            return self._round_table("samples", case, round_number, columns)
        whole = self._with_flow(case, round_number, columns)
        table = whole.filter(~pl.col("flow").is_in(self._background[case]).fill_null(value=False))
        return table if columns is None else table.select(columns)

    def samples_background(
        self, case: str, round_number: int, columns: Sequence[str] | None = None
    ) -> pl.DataFrame:
        """Return raw samples of the scenario's own flows in one round, with the column `flow`."""
        if case not in self._background:
            schema = polars_schema("samples")
            return pl.DataFrame(schema={name: schema[name] for name in columns or schema})
        whole = self._with_flow(case, round_number, columns)
        return whole.filter(pl.col("flow").is_in(self._background[case]))

    def _with_flow(self, case: str, number: int, columns: Sequence[str] | None) -> pl.DataFrame:
        wanted = None if columns is None else list(dict.fromkeys((*columns, "flow")))
        return self._round_table("samples", case, number, wanted)

    def intervals(self, case: str, round_number: int) -> pl.DataFrame:
        """Return the interval counters of one round."""
        return self._round_table("intervals", case, round_number)

    def batches(self, case: str, round_number: int) -> pl.DataFrame | None:
        """Return the batches of one round's measured flows; None where the stream ran free."""
        table = self.table("batches", case, round_number)
        if table is None or case not in self._background:
            return table
        own = table.filter(~pl.col("flow").is_in(self._background[case]).fill_null(value=False))
        return None if own.is_empty() else own

    def discoveries(self, case: str, round_number: int) -> pl.DataFrame | None:
        """Return the repetitions of one round of a discovery test; None for any other."""
        return self.table("discoveries", case, round_number)

    def matches(self, case: str, round_number: int) -> pl.DataFrame | None:
        """Return when each endpoint of one round had found its counterparts; None for one writer
        and one reader, and for all tests but streams."""
        return self.table("matches", case, round_number)

    def participants(self, case: str, round_number: int) -> pl.DataFrame | None:
        """Return who took part in one round; None in results of a Busmark that did not record
        it."""
        return self.table("participants", case, round_number)

    def flows(self, case: str, round_number: int) -> pl.DataFrame | None:
        """Return what became of each writer's samples at each reader in one round; None in results
        of a Busmark that did not record it."""
        return self.table("flows", case, round_number)

    def changes(self, case: str, round_number: int) -> pl.DataFrame | None:
        """Return what changed in the middle of one round, and when; None where nothing did."""
        return self.table("changes", case, round_number)

    def system(self, case: str, round_number: int) -> pl.DataFrame | None:
        """Return the system's counters during one round; None where none were read."""
        return self.table("system", case, round_number)

    def table(self, table: str, case: str, round_number: int) -> pl.DataFrame | None:
        """Return a table of one round; None where the round has none, and for a table of a plug-in
        that is not used."""
        path = self.directory / table / f"{file_stem(case, round_number)}.parquet"
        return load_table(path, table) if table in TABLES and path.exists() else None

    def _round_table(
        self, table: str, case: str, round_number: int, columns: Sequence[str] | None = None
    ) -> pl.DataFrame:
        path = self.directory / table / f"{file_stem(case, round_number)}.parquet"
        return load_table(path, table, columns)


def load_manifest(directory: Path) -> tuple[Manifest, list[str]]:
    """Return the manifest of a result directory, and what of it was left out as damaged.

    Raises:
        UserError: there is none, or nothing can be made of it.
    """
    path = directory / MANIFEST
    if directory.is_file():
        raise _absent("a file, not a result directory", directory)
    if not directory.is_dir():
        raise _absent("no such result directory", directory)
    if not path.exists():
        raise _absent(f"not a result directory: it has no {MANIFEST}", directory)
    try:
        document = salvage.parse(files.content(path))
    except OSError as error:
        raise UserError(f"cannot be read ({error.strerror or error})", where=str(path)) from None
    except (ValueError, RecursionError) as error:
        raise _damaged(path, f"not JSON: {error}") from None
    if not isinstance(document, dict):
        raise _damaged(path, "not a JSON object")
    # The version first: what a newer format changed must not be taken for damage.
    version = document.get("format")
    if isinstance(version, int) and version > FORMAT_VERSION:
        raise UserError(
            f"written in result format {version}; this Busmark reads up to {FORMAT_VERSION}",
            where=str(path),
            remedy="Open it with the Busmark that wrote it "
            f"({document.get('busmark_version', 'unknown')}) or a newer one.",
        )
    try:
        return salvage.manifest(document)
    except salvage.DamagedManifest as error:
        raise _damaged(path, str(error)) from None


def _absent(what: str, directory: Path) -> UserError:
    wrote = "Name the directory that `busmark run --out DIR` wrote."
    if directory.is_file():
        wrote += " `busmark capture analyse` shows a capture, `busmark import` reads other tools."
    return UserError(what, where=str(directory), remedy=f"{wrote} {recent()}")


def _damaged(path: Path, what: str) -> UserError:
    return UserError(
        f"damaged manifest: {what}",
        where=str(path),
        remedy="Without it the result cannot be interpreted: restore it from a copy. The samples "
        "beside it are ordinary Parquet files.",
    )
