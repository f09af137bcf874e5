"""Where a campaign ran and with what: hosts, adapters, method, command, files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from busmark.adapters import compliance
from busmark.compare.campaign import Campaign
from busmark.model import text
from busmark.model.case import CaseSummary
from busmark.present.blocks.adapters import supports
from busmark.present.blocks.rows import Field, Property, listing, notes, properties, size, table
from busmark.present.document import Cell, Section, Table, Text
from busmark.store import Result
from busmark.store.result import file_stem

PART = "Environment"

TABLES = ("samples", "intervals", "participants", "flows", "batches", "system")
"""Folders of the result with one file per round."""


@dataclass(frozen=True)
class RawFiles:
    """The folder of the result, as seen from the folder of the page, and the files in it."""

    base: str
    """Relative, as a URL."""
    known: dict[str, frozenset[str]] = field(default_factory=dict)
    """Names of files by folder."""

    @classmethod
    def from_result(cls, result: Result, folder: Path) -> RawFiles:
        """Return the files of this result, for a page in `folder`."""
        base = os.path.relpath(result.directory.resolve(), folder.resolve())
        known = {}
        for name in TABLES:
            where = result.directory / name
            known[name] = frozenset(os.listdir(where)) if where.is_dir() else frozenset()
        return cls(quote(Path(base).as_posix()), known)

    def link(self, name: str) -> str:
        """Return the address of a file of the result."""
        return f"{self.base}/{quote(name)}"

    def of_case(self, case: CaseSummary) -> list[str]:
        """Return the name of each file of its rounds that is there."""
        rounds = dict.fromkeys(attempt.round for attempt in case.attempts)
        names = [f"{file_stem(case.id, number)}.parquet" for number in rounds]
        return [
            f"{folder}/{name}"
            for name in names
            for folder in TABLES
            if name in self.known.get(folder, ())
        ]


def files_of(case: CaseSummary, files: RawFiles | None) -> Iterator[Section]:
    """Yield the raw data of a case."""
    if files and (names := files.of_case(case)):
        fields = (Field("Raw data", lambda name: Cell(name, link=files.link(name))),)
        yield Section("Raw data", [listing(names, fields)], folded=True)


def environment(campaign: Campaign, files: RawFiles | None) -> Iterator[Section]:
    """Yield adapters, hosts, method and command; of an imported result its source."""
    if campaign.source is not None:
        yield _source(campaign)
        if files:
            yield _files(files, IMPORTED_FILES)
        return
    yield software(campaign, measured=False)
    full = [
        facts({key: each[key] for key in each if key != "conformance"}, each.get("title") or name)
        for name, each in campaign.adapters.items()
    ]
    yield Section("Adapters in full", full, part=PART, folded=True)
    if campaign.hosts:
        yield machines(campaign)
    if campaign.adapters:
        yield Section(
            "What the adapters support",
            supports(compliance(campaign.adapters)),
            folded=True,
            key="adapters",
            part=PART,
        )
    level = text.set_percent_text(campaign.confidence)
    rows = [(term, words.format(seed=campaign.seed, level=level)) for term, words in METHOD]
    yield Section("Method", [table(("Term", "Meaning"), rows)])
    yield from commands(campaign)
    yield from _reproduce(campaign)
    if files:
        yield _files(files, FILES)


def software(campaign: Campaign, *, measured: bool) -> Section:
    """Return the middleware and adapters; `measured`: of cases that have a result alone."""
    own = {case.adapter for case in campaign.cases if case.rounds.ok or not measured}
    known = [
        (name, values) for name, values in campaign.adapters.items() if name in own or not measured
    ]
    fields = (
        Field("Adapter", lambda each: each[0]),
        *(Field(title, _declared(key)) for title, key in (
            ("Middleware", "title"), ("Version", "middleware_version"), ("Licence", "licence"),
            ("Version of the adapter", "version"), ("Transports", "transports"),
            ("Waits", "waits"))),
        Field("Cost per sample", lambda each: "none" if each[1].get("cost") == ""
              else each[1].get("cost")),
        Field("SHA-256 of the adapter's library", _declared("sha256"), detail=True),
    )  # fmt: skip
    return Section(
        "Software",
        [listing(known, fields)],
        detail=True,
        key="software",
        part=PART,
        summary="Middleware and adapters that were measured",
    )


def _declared(key: str) -> Any:
    def value_of(each: tuple[str, Mapping[str, Any]]) -> str:
        value = each[1].get(key) or ""
        return ", ".join(map(str, value)) if isinstance(value, list) else str(value)

    return value_of


def machines(campaign: Campaign) -> Section:
    """Return what is known of every machine: a row for each fact, a column for each host, and for
    each on which the campaign was resumed."""
    hosts = {name or "this machine": values for name, values in campaign.hosts.items()}
    for again in campaign.resumptions:
        hosts[f"this machine, from {again.utc}"] = again.host
        hosts |= {f"{node}, from {again.utc}": values for node, values in again.nodes.items()}
    known = [dict(flat_facts(values)) for values in hosts.values()]
    names = list(dict.fromkeys(name for values in known for name in values))
    valued, without = _valued(
        [(name, *(values.get(name, text.ABSENT) for values in known)) for name in names]
    )
    table_of = table(("Property", *hosts), valued, note=without, key="machine")
    return Section(
        "Machine",
        [table_of],
        detail=True,
        key="machine",
        part=PART,
        summary="Hardware, operating system, kernel settings of every node",
    )


def facts(values: Mapping[str, Any], title: str = "") -> Table:
    """Return nested facts, such as a host profile, a row for each."""
    valued, without = _valued(list(flat_facts(values)))
    return table(("Property", "Value"), valued, title, note=without)


def _valued(rows: Sequence[Sequence[str]]) -> tuple[list[Sequence[str]], str]:
    """Return the rows that have a value, and a sentence with the names of the others."""
    valued = [row for row in rows if set(row[1:]) != {text.ABSENT}]
    names = [row[0] for row in rows if set(row[1:]) == {text.ABSENT}]
    return valued, f"None, or not known: {', '.join(names)}." if names else ""


def flat_facts(values: Mapping[str, Any], prefix: str = "") -> Iterable[tuple[str, str]]:
    """Yield nested facts as name and text; what is not known is an em dash. Entries of a list that
    have a `key`, such as options of an adapter, are facts of that name."""
    for key, value in values.items():
        name = f"{prefix}{key}".replace("_", " ")
        if isinstance(value, list) and value and all(isinstance(v, dict) for v in value):
            value = {v.get("key", n): v.get("value", v) for n, v in enumerate(value, 1)}
        if isinstance(value, dict) and value:
            yield from flat_facts(value, f"{name} / ")
        else:
            yield _fact(name, value)


def _fact(name: str, value: object) -> tuple[str, str]:
    if value is None or value in ({}, [], ""):
        return name, text.ABSENT
    if isinstance(value, bool):
        return name, "yes" if value else "no"
    if name.endswith(" bytes") and isinstance(value, int):
        return name.removesuffix(" bytes"), text.size_text(value)
    if name.endswith(" ns") and isinstance(value, int | float):
        return name.removesuffix(" ns"), text.time_text(value)
    if isinstance(value, list):
        return name, ", ".join(_fact("", item)[1] for item in value)
    if isinstance(value, dict):
        return name, ", ".join(" ".join(fact) for fact in flat_facts(value))
    return name, text.as_set(value) if isinstance(value, float) else str(value)


METHOD = (
    ("Latency", "A ping that an echo sends back. The round trip is read from one clock "
     "(CLOCK_MONOTONIC of the sending host). RTT/2 is half of that round trip. It is not a one-way "
     "latency: the two ways need not be equal, and the echo's turn-round is in it. One-way times "
     "are given apart, where both ends share one clock."),
    ("Closed loop", "The next ping leaves when the pong has come."),
    ("Open loop", "Pings leave at their own rate, and latency counts from the intended time of "
     "sending, so that a stall is charged to every sample it delayed."),
    ("Placement", "Which CPUs are used often matters more than the middleware; tables and charts "
     "never mix placements."),
    ("Rounds", "A case is run several times in fresh processes, rounds of all cases interleaved "
     "in random order (seed {seed}). The warm-up at the start of each round is discarded. A round "
     "that missed a criterion is marked, listed, and not counted."),
    ("Intervals", "{level} confidence intervals. A figure describes a typical round: the median "
     "over rounds of the round's median (or percentile, rate, segment), with an interval of order "
     "statistics that holds for any law of rounds, longer where rounds are autocorrelated. "
     "A share lost with an interval is the mean over rounds, with Student's; without, it is the "
     "share of the samples of all rounds. Intervals cover random variation in this set-up on this "
     "machine, nothing else; one round gives no interval."),
    ("Percentiles", "Observed values, shown only where at least ten effective samples lie beyond "
     "them (— otherwise); with an interval only where every round supports them. A ping that was "
     "lost counts as later than any; a percentile that falls among the lost has no value. "
     "Percentiles in the tables describe a typical round; in the details of a case also all rounds "
     "pooled."),
    ("Throughput", "Goodput: bodies counted at the reader. Mbit/s is 10⁶ bit/s. Lost samples are "
     "those sent and never read."),
    ("Size", "The body; every sample also carries a header of 64 bytes."),
    ("Floor", "The null adapter: everything Busmark does, and no middleware. Values close to it "
     "show the cost of Busmark, not of the middleware."),
)  # fmt: skip


def commands(campaign: Campaign) -> Iterator[Section]:
    """Yield the commands that were run before and after every round."""
    if not campaign.commands:
        return
    place = {"prepare": "before", "conclude": "after"}
    fields = (
        Field("Command", "command"),
        Field("When", lambda each: place[each.when]),
        Field("Node", lambda each: each.node or "this machine"),
        Field("Runs", lambda each: Cell(each.runs)),
        Field("Failed", lambda each: Cell(each.failed)),
        Field("Median time", lambda each: Cell(each.median_s * 1e9), "ns"),
    )
    yield Section("Commands around each round", [listing(campaign.commands, fields)])


def _code(words: str) -> Text:
    return Text("line", {"line": words}, style="code")


def _reproduce(campaign: Campaign) -> Iterator[Section]:
    known: list[Property] = [
        ("Busmark", "", [campaign.busmark_version]),
        ("seed", "", [str(campaign.seed)]),
    ]
    table = properties(known, first="With", heads=["Value"])
    yield Section("How to reproduce", [table, _code(campaign.command)], part="Reproduce")
    scenario = [_code(campaign.scenario_text)]
    yield Section("The scenario, as it was read", scenario, part="Reproduce", folded=True)


FILES = (
    ("manifest.json", "scenario, versions, hosts, findings"),
    ("cases.parquet", "a row for each round"),
    ("samples/", "every sample"),
    ("intervals/", "over time"),
    ("system/", "over time"),
)
IMPORTED_FILES = (
    ("manifest.json", "versions, findings"),
    ("cases.parquet", "a row for each run"),
    ("summaries.parquet", "every figure as the source states it, with file and line"),
    ("samples/", "where the source has them"),
)


def _files(files: RawFiles, known: Iterable[tuple[str, str]]) -> Section:
    rows = [(Cell(name, link=files.link(name)), contents) for name, contents in known]
    return Section("Files of the result", [table(("File", "Contents"), rows)], part="Reproduce")


def _source(campaign: Campaign) -> Section:
    """Return what an imported result was read from."""
    assert campaign.source is not None
    fields = (
        Field("File", "name"), Field("Tool", "tool"),
        Field("Version", "version"), Field("Format", "form"),
        Field("Size", lambda file: size(file.size_bytes)),
        Field("SHA-256", lambda file: file.sha256[:12]),
    )  # fmt: skip
    measured = (
        Field("Adapter", lambda each: each[0]),
        Field("Middleware", lambda each: each[1].get("title") or each[0]),
        Field("Version", lambda each: each[1].get("middleware_version")),
    )
    words = notes(
        "Another tool measured these figures. Runs of equal parameters are rounds of one case. "
        "Percentiles are shown where at least ten samples lie beyond them, or the source does not "
        "state their number. Where it kept every sample, figures are computed from them.",
    )
    return Section(
        "Source",
        [
            *words,
            listing(campaign.source.files, fields, "Files"),
            listing(list(campaign.adapters.items()), measured, "What was measured"),
            _code(campaign.command),
        ],
    )
