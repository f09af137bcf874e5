"""Documents of adapters: the list by family, one in full, and who supports what."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from operator import itemgetter
from pathlib import Path

from busmark.adapters import Adapter, Compliance, adapter_facts, compliance
from busmark.adapters.compliance import AdapterProperty as Property
from busmark.facts import order_of
from busmark.model.naming import short_names
from busmark.model.text import size_text
from busmark.present.blocks.rows import Field, fact, item, size, table
from busmark.present.blocks.rows import listing as table_of
from busmark.present.document import Cell, Document, Row, Section, Table, Text

KIND = "adapters"

FAMILIES = {
    "dds": "DDS",
    "dds-xrce": "DDS-XRCE",
    "corba": "CORBA",
    "shared memory": "Shared memory",
    "pub/sub": "Pub/sub",
    "rpc": "RPC",
    "baseline": "Baselines",
    "other": "Others",
}
"""Families, in the order of the list."""

VERSION = re.compile(r"\b\d[\w.+-]*")

STATES = {"yes": "yes", "no": "·", "unknown": "?"}
WORDS = {
    "yes": "declared; the conformance suite (--check) was not run over it",
    "proved": "seen by its effect",
    "accepted": "not refused; its effect cannot be seen on one host",
    "untested": "declared, and could not be tested here",
    "declared": "declared; no test shows it",
    "FAILED": "declared, and seen not to hold",
    "default": "the one that is taken unless another is named",
    "·": "not supported, hence never imitated",
    "?": "not known",
}
"""Meanings of the cells of the table."""


def listing(found: Sequence[Adapter], *, long: bool = False) -> Document:
    """Return the list by family, and why some cannot be used; `long`: with licences, limits and
    what a sample costs in the adapter."""
    ordered = sorted(
        found, key=lambda each: (list(FAMILIES).index(_family(each)), order_of(each.name))
    )
    sections = [Section("", [overview(ordered, long=long)])]
    if long:
        costs = [(a, a.capabilities["cost"]) for a in ordered if a.capabilities and a.usable]
        sections += _pairs("Cost of a sample in the adapter", "Cost", [p for p in costs if p[1]])
    missing = [(adapter, reason_of(adapter)) for adapter in ordered if not adapter.usable]
    sections += _pairs("Not usable here", "Reason", missing)
    return Document("Adapters", [], sections, kind=KIND)


def overview(found: Sequence[Adapter], *, long: bool) -> Table:
    """Return a row for each adapter; `long`: with licence, waits, reach and largest body."""
    usable = all(adapter.usable for adapter in found)
    fields = [
        Field("Adapter", "name"),
        Field("Ready", lambda adapter: None if usable else adapter.usable),
    ]
    fields += (
        [
            Field("Middleware", _declared("middleware_version")),
            Field("Licence", _declared("licence")),
        ]
        if long
        else [
            Field("Middleware", lambda adapter: _title(adapter).partition(" (")[0]),
            Field(
                "Version",
                lambda adapter: (
                    (
                        found := VERSION.search(
                            (adapter.capabilities or {}).get("middleware_version", "")
                        )
                    )
                    and found[0]
                ),
            ),
        ]
    )
    fields += [Field("Transports, default first", _declared("transports"))]
    fields += [
        Field("Waits, default first", _declared("waits")),
        Field("Reach", _declared("reach"), detail=True),
        Field("Largest body", lambda adapter: size(
            (adapter.capabilities or {}).get("max_body_bytes")), kind="number"),
    ] if long else []  # fmt: skip
    return table_of(
        found, fields, key="adapters", row=lambda adapter: Row(group=FAMILIES[_family(adapter)])
    )


def _declared(key: str) -> Callable[[Adapter], str | None]:
    def value_of(adapter: Adapter) -> str | None:
        value = (adapter.capabilities or {}).get(key)
        return " ".join(value) if isinstance(value, list) else value

    return value_of


def _family(adapter: Adapter) -> str:
    family = adapter_facts()[adapter.name].family if adapter.name in adapter_facts() else "other"
    return family if family in FAMILIES else "other"


def _title(adapter: Adapter) -> str:
    """Name its middleware as Busmark does."""
    if adapter.name in adapter_facts():
        return adapter_facts()[adapter.name].title
    return str((adapter.capabilities or {}).get("title", ""))


def _pairs(title: str, what: str, found: Sequence[tuple[Adapter, str]]) -> list[Section]:
    if not found:
        return []
    rows = [(adapter.name, words) for adapter, words in found]
    return [Section(title, [table(("Adapter", what), rows)])]


def reason_of(adapter: Adapter) -> str:
    """Return why it cannot be used, without its name."""
    return str(adapter.reason).removeprefix(f"{adapter.name} is ")


def in_full(adapter: Adapter) -> Document:
    """Return everything about one adapter."""
    title = (adapter.capabilities or {}).get("title") or _title(adapter)
    sections = []
    if not adapter.usable:
        note = Text("line", {"line": f"Not usable here: {reason_of(adapter)}"}, style="warning")
        sections.append(Section("", [note]))
    if adapter.capabilities is not None:
        sections += _capabilities(adapter)
    elif adapter.name in adapter_facts():
        sections.append(_facts({"notes": _notes(adapter)}))
    return Document(f"{adapter.name}: {title}".removesuffix(": "), [], sections, kind=KIND)


def all_in_full(found: Sequence[Adapter]) -> Document:
    """Return everything about several adapters in one document, for files."""
    documents = [in_full(adapter) for adapter in found]
    sections = [
        replace(section, title=section.title or document.title, part=document.title)
        for document in documents
        for section in document.sections
    ]
    only = documents[0].title if len(documents) == 1 else "Adapters"
    return Document(only, [], sections, kind=KIND)


def _capabilities(adapter: Adapter) -> Iterator[Section]:
    declared = adapter.stored()
    ending = [
        f"{fault.transport or 'every transport'}: {fault.what} "
        f"({', '.join(fault.signals) or 'the worker hangs'})"
        for fault in adapter.faults()
    ]
    checked = "never run over this library: `busmark adapters --check` does"
    if report := declared.get("conformance"):
        counts = ", ".join(f"{report[kind]} {kind}" for kind in ("passed", "failed", "skipped"))
        checked = f"{counts} ({report['checked_utc']})"
    tuned = declared.get("tuned")
    yield _facts(
        {
            "middleware": declared["middleware_version"],
            "licence": declared["licence"],
            "install": declared["install"] or "built in",
            "adapter": f"version {declared['version']}",
            "largest body": size_text(declared["max_body_bytes"]),
            "cost of a sample": declared["cost"] or "none beside the middleware",
            "profile tuned": "unknown" if tuned is None else tuned or "the same as default",
            "your type": declared.get("user_type") or "",
            "ends workers": "; ".join(ending),
            "conformance": checked,
            "library": declared["path"],
            "notes": _notes(adapter),
        }
    )
    whole = compliance({adapter.name: declared})
    yield Section("Supported", supports(whole, meanings=True))
    yield _options(adapter)


def _facts(facts: dict[str, str]) -> Section:
    rows = [(name, fact) for name, fact in facts.items() if fact]
    return Section("", [table(("Fact", "Value"), rows, key="facts")])


def _notes(adapter: Adapter) -> str:
    """Name the page on what is shipped, what the profiles change and why, what it does not do."""
    if adapter.name not in adapter_facts():
        return ""
    notes = adapter_facts()[adapter.name].notes
    path = Path(__file__).resolve().parents[4] / notes
    return str(path) if path.is_file() else f"{notes} of the source repository"


def _options(adapter: Adapter) -> Section:
    options = (adapter.capabilities or {})["options"]
    fields = (Field("Option", itemgetter("key")), Field("Default", itemgetter("value")),
              Field("Meaning", itemgetter("doc")))  # fmt: skip
    title = f"Options ([matrix.option] {adapter.name}.KEY = VALUE)"
    return Section(
        title,
        [table_of(options, fields, key="options") if options else Text("line", {"line": "None."})],
    )


def supports(whole: Compliance, *, meanings: bool = False) -> list[Table]:
    """Return properties against adapters, then the words in that table with their meaning;
    `meanings`: add what each property means, and the evidence where there is one adapter."""
    sections = [section for section in whole.sections if section.id != "facts"]
    rows = [(section, row) for section in sections for row in section.rows]
    one, absent = len(whole.columns) == 1, list[str]()
    if not one:
        # What nobody supports says nothing of one adapter beside another. Each adapter has names
        # of transports: most rows would be for adapters not in the table.
        every, rows = (
            rows,
            [
                (section, row)
                for section, row in rows
                if any(cell.state != "no" for cell in row.cells)
                or (meanings and section.id != "transports")
            ],
        )
        absent = [
            row.key
            for section, row in every
            if (section, row) not in rows and section.id != "transports"
        ]
    short = short_names(adapter.name for adapter in whole.columns)
    fields = [
        Field("Property", lambda each: Cell(each[1].key, note=each[1].meaning)),
        Field("Meaning", lambda each: each[1].meaning if meanings else None),
        *(Field(short[adapter.name], item(2, number), kind="number")
          for number, adapter in enumerate(whole.columns)),
        Field("Evidence", lambda each: each[1].cells[0].text if meanings and one else None),
    ]  # fmt: skip
    notes = [fact("None of them has", ", ".join(absent))] if absent else []
    if whole.checked:
        values: dict[str, object] = {
            "names": ", ".join(whole.checked),
            "last": max(whole.checked.values()),
        }
        notes.append(Text("adapters_checked", values, style="quiet"))
    known_ones = [(section, row, list(map(_word, row.cells))) for section, row in rows]
    found = table_of(
        known_ones, fields, note=notes, key="supports", row=lambda each: Row(group=each[0].title)
    )
    used = {cell.value for column in found.columns for cell in column.cells}
    words = [(word, meaning) for word, meaning in WORDS.items() if word in used]
    return [found, table(("Word", "Meaning"), words, key="words")]


def _word(cell: Property) -> Cell:
    word = "FAILED" if cell.outcome == "failed" else cell.outcome
    return Cell(word or cell.text or STATES[cell.state], note=cell.text)
