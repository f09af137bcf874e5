"""The compliance and portability table: what each adapter supports, property by property.

It comes from what adapters declare, as `busmark adapters --json` prints it and a manifest keeps it,
and from the conformance suite where its outcome is known. So a report draws it from what is stored.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from busmark.adapters.conformance import SECURITY, Outcome, outcome_of, outcome_of_change
from busmark.facts import adapter_facts, order_of
from busmark.model.parameters import CAPABILITIES

Declared = Mapping[str, Any]

State = Literal["yes", "no", "unknown"]
"""yes: supported, and honoured where it is a QoS; unknown:
nothing was stored of this adapter."""

QOS = {each.name: each.meaning for each in CAPABILITIES}
WAITS = {
    "listener": "the middleware calls back from a thread of its own",
    "waitset": "a thread sleeps until there are samples",
    "poll": "a thread takes in a loop",
}
LISTENERS = {
    "write_in_listener": "a listener may write",
    "keep_all_in_listener": "a listener may write with reliable keep-all",
    "synchronous": "a write may deliver on its own thread",
}
PAYLOADS = {
    "empty": "no body",
    "octet": "unsigned bytes",
    "char": "7-bit characters",
    "short": "16-bit integers",
    "float": "32-bit floats",
    "long": "32-bit integers",
    "struct": "structures of 16 bytes",
    "any": "a value that describes itself",
    "type": "a value of your own type, in libraries that `busmark type build` has made",
}
REACH = {
    "process": "writer and reader in one process",
    "host": "between processes of one host",
    "network": "between hosts",
}
FEATURES = {
    "keys": "keyed topics",
    "content_filter": "content-filtered topics",
    "loans": "memory of the middleware is lent for bodies: no copy",
    "write_many": "several samples are written in one call",
    "batching": "the middleware may hold samples back; flush sends them",
    "source_time": "samples carry the middleware's time of sending",
    "reception_time": "samples carry the middleware's time of reception",
    "security": "participants secured by documents of yours",
    "matched": "matched counts are known",
    "match_events": "the time of a match comes from the middleware's event",
    "locators": "no discovery: Busmark carries locators from readers to writers",
    "writer_locators": "no discovery: Busmark carries locators from writers to readers",
    "server": "participants meet at a server, which a run starts (or may, see option `discovery`)",
    "services": "requests and responses of its own",
    "entities": "lists the participants, writers and readers on the bus, foreign ones too",
    "faults": "injects faults on purpose",
}
DISCLOSURES = {
    "all_interfaces": "sockets receive on all interfaces",
    "runtime_stays": "threads outlive the last participant",
    "grows_by_endpoint": "memory grows with endpoints that are made and closed",
    "grows_by_sample": "memory grows with samples that are sent",
    "allocates": "a write allocates memory",
    "loses": "reliable samples are lost, or best-effort ones although nothing is overloaded",
    "slow": "some tens of reliable samples a second",
}
"""Faults of middleware against the contract, which the adapter cannot mend."""
IN_COST = {
    "runtime_stays": "threads stay",
    "grows_by_endpoint": "memory grows .*(endpoints|subscription)",
    "grows_by_sample": "memory grows .*sample",
    "allocates": "allocates",
}
"""Patterns of declared costs that state a disclosure with its figures, by the disclosure."""


def handicaps(declared: Mapping[str, object]) -> list[str]:
    """Return what an adapter's middleware spends or lacks, each once."""
    cost = str(declared.get("cost") or "none")
    found = declared.get("disclosures")
    disclosed = [str(one) for one in found] if isinstance(found, list) else []
    notes = [
        words
        for one in disclosed
        if (words := DISCLOSURES.get(one, one)) not in cost
        and not (one in IN_COST and re.search(IN_COST[one], cost))
    ]
    return notes if cost == "none" else [*notes, cost]


@dataclass(frozen=True, slots=True)
class AdapterColumn:
    """An adapter."""

    name: str
    title: str
    family: str
    """Family as in its facts; other: an adapter without any."""


@dataclass(frozen=True, slots=True)
class AdapterProperty:
    """One property of one adapter."""

    state: State
    text: str = ""
    """Declaration in words, where yes or no would not do."""
    outcome: Outcome | None = None
    """Result of the conformance suite; None: it was not run, or there is nothing to find."""
    note: str = ""
    """Evidence of the conformance suite, or the reason why there is none."""


@dataclass(frozen=True, slots=True)
class PropertyRow:
    """One property of all adapters, in the order of the columns."""

    key: str
    meaning: str
    cells: tuple[AdapterProperty, ...]


@dataclass(frozen=True, slots=True)
class PropertySection:
    """Properties of one kind."""

    id: str
    title: str
    rows: tuple[PropertyRow, ...]


@dataclass(frozen=True, slots=True)
class Compliance:
    """The whole table."""

    columns: tuple[AdapterColumn, ...]
    sections: tuple[PropertySection, ...]
    checked: dict[str, str]
    """When the conformance suite ran, for each adapter of which its outcome is known."""

    def section(self, identifier: str) -> PropertySection:
        """Return the section of this identifier."""
        return next(section for section in self.sections if section.id == identifier)

    @property
    def failed(self) -> bool:
        """Return whether something is declared that the conformance suite found broken."""
        rows = [row for section in self.sections for row in section.rows]
        return any(cell.outcome == "failed" for row in rows for cell in row.cells)

    def as_json(self) -> dict[str, Any]:
        """Return the table for programs: cells by the adapter's name."""
        names = [column.name for column in self.columns]
        sections = [
            {
                "id": section.id,
                "title": section.title,
                "rows": [
                    {
                        "key": row.key,
                        "meaning": row.meaning,
                        "cells": {
                            name: asdict(cell) for name, cell in zip(names, row.cells, strict=True)
                        },
                    }
                    for row in section.rows
                ],
            }
            for section in self.sections
        ]
        columns = [asdict(column) for column in self.columns]
        return {"adapters": columns, "checked": self.checked, "sections": sections}


def compliance(adapters: Mapping[str, Declared]) -> Compliance:
    """Make the table of these adapters: capabilities by name, as in a manifest."""
    names = sorted(adapters, key=order_of)
    declared = [adapters[name] for name in names]
    listed = [
        ("qos", "QoS at creation", QOS, "qos"),
        ("waits", "Wait strategies", WAITS, "waits"),
        ("listeners", "Listeners", LISTENERS, "features"),
        ("payloads", "Payload kinds", PAYLOADS, "payloads"),
        ("transports", "Transports", {}, "transports"),
        ("reach", "Reach", REACH, "reach"),
        ("security", "Security", SECURITY, "security"),
        ("features", "Features", FEATURES, "features"),
        ("disclosures", "Disclosures", DISCLOSURES, "disclosures"),
    ]
    sections = [
        PropertySection(
            identifier, title, _rows(declared, key, _values(identifier, known_ones, declared))
        )
        for identifier, title, known_ones, key in listed
    ]
    # Policies that some middleware changes on an endpoint in use. Each has its own evidence;
    # what an endpoint is made with is the section before.
    changes = PropertySection(
        "set_qos",
        "QoS in use (set_qos)",
        tuple(
            PropertyRow(policy, meaning, tuple(_change(d, policy) for d in declared))
            for policy, meaning in _values("qos", QOS, declared).items()
            if any(policy in (d.get("qos_mutable") or []) for d in declared)
        ),
    )
    sections.insert(1, changes)
    return Compliance(
        columns=tuple(_column(name, adapters[name]) for name in names),
        sections=(*sections, PropertySection("facts", "Limits and terms", _facts(declared))),
        checked={
            name: adapters[name]["conformance"]["checked_utc"]
            for name in names
            if adapters[name].get("conformance")
        },
    )


def _column(name: str, declared: Declared) -> AdapterColumn:
    family = adapter_facts()[name].family if name in adapter_facts() else "other"
    return AdapterColumn(name, declared.get("title") or name, family)


def _values(
    identifier: str, known_ones: Mapping[str, str], declared: Sequence[Declared]
) -> dict[str, str]:
    """Return a section's values with their meanings, and those that only a newer adapter knows.

    Listeners are features with a section of their own. Transports are named by the adapters.
    """
    if identifier == "listeners":
        return dict(known_ones)
    elsewhere = LISTENERS if identifier == "features" else {}
    found = [value for d in declared for value in d.get(identifier) or []]
    further = [value for value in found if value not in {**known_ones, **elsewhere}]
    return {**known_ones, **dict.fromkeys(further, "")}


def _rows(
    declared: Sequence[Declared], key: str, values: Mapping[str, str]
) -> tuple[PropertyRow, ...]:
    return tuple(
        PropertyRow(value, meaning, tuple(_cell(d, key, value) for d in declared))
        for value, meaning in values.items()
    )


def _cell(declared: Declared, key: str, value: str) -> AdapterProperty:
    listed = declared.get(key)
    if listed is None:
        return AdapterProperty("unknown")
    if value not in listed:
        return AdapterProperty("no")
    first = key == "transports" and listed[0] == value
    outcome: Outcome | None = None
    text = ""
    if report := declared.get("conformance"):
        outcome, text = outcome_of(f"{key}.{value}", report)
    return AdapterProperty("yes", "default" if first else "", outcome, text)


def _change(declared: Declared, policy: str) -> AdapterProperty:
    listed = declared.get("qos_mutable")
    if listed is None:
        return AdapterProperty("unknown")
    if policy not in listed:
        return AdapterProperty("no")
    report = declared.get("conformance")
    outcome, text = outcome_of_change(policy, report) if report else (None, "")
    return AdapterProperty("yes", "", outcome, text)


def _facts(declared: Sequence[Declared]) -> tuple[PropertyRow, ...]:
    """Return what is a word or a number rather than a yes or no."""

    def size(d: Declared) -> str | None:
        largest = d.get("max_body_bytes")
        return None if largest is None else f"{largest:,} B".replace(",", " ")

    def plain(key: str, empty: str) -> Any:
        return lambda d: None if d.get(key) is None else d[key] or empty

    facts = [
        ("largest_body", "bytes of the largest body", size),
        ("cost", "what a sample costs beside the middleware", plain("cost", "none")),
        ("licence", "of the middleware", plain("licence", "")),
        ("middleware", "middleware and version", plain("middleware_version", "")),
        ("version", "of the adapter", plain("version", "")),
    ]
    return tuple(
        PropertyRow(key, meaning, tuple(_fact(text(d)) for d in declared))
        for key, meaning, text in facts
    )


def _fact(text: str | None) -> AdapterProperty:
    return AdapterProperty("unknown") if text is None else AdapterProperty("yes", text)
