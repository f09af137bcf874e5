"""docs/reference/adapters.md: what the adapters of this release declare.

Capabilities are constant data (clause C10). They are kept in docs/reference/adapters.json, so that
the page is the same on a machine that lacks some middleware: an adapter that is not built here
stays as recorded elsewhere. For one that is linked with the system's middleware, the middleware's
version is recorded as first seen; remove its entry to record another.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from tools.pages import markdown as md

from busmark.adapters import Adapter, adapter_facts, compliance, describe, libraries
from busmark.errors import UserError
from busmark.present.blocks.adapters import overview, supports
from busmark.present.document import Section, Table
from busmark.present.markup import section_markdown

ROOT = Path(__file__).resolve().parents[2]
RECORD = ROOT / "docs" / "reference" / "adapters.json"

Declared = dict[str, Any]

INTRODUCTION = """\
What an adapter declares here is tested by the conformance suite (`busmark adapter check NAME`,
which `make test` does for every adapter); what it does not declare is *unsupported* in a plan and
never imitated. On your machine `busmark adapters` lists what is here, `busmark adapters NAME` shows
everything about one, and `busmark adapters --table --check` proves the table below. The same as
data: [adapters.json](adapters.json). How to get one: [add a
middleware](../tasks/add-middleware.md). How to write one: [writing an
adapter](../writing-an-adapter.md).
"""

NOTES = {
    "qos": "What a scenario can ask for, and what is then honoured.",
    "set_qos": "What can change while traffic flows; the other policies are set when a writer or "
    "reader is made.",
    "listeners": "What may be done from within the middleware's call, and on which thread it is.",
    "transports": "As each adapter names them.",
    "disclosures": "What a middleware does against the contract, and its adapter cannot mend. The "
    "conformance suite fails an adapter in which it sees one that is not declared here.",
}


def record() -> str:
    """Return the text of adapters.json."""
    return json.dumps(declared(), indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def page() -> str:
    """Return the page as Markdown."""
    found = declared()
    whole = compliance(found)
    rows = [row for s in whole.sections if s.id != "transports" for row in s.rows]
    if unknown := [row.key for row in rows if not row.meaning]:
        raise KeyError(f"values that busmark.adapters.compliance does not know: {unknown}")
    parts = [md.head("Adapters", "what the adapters declare"), INTRODUCTION]
    here = [Adapter(name, Path(), declares, None) for name, declares in found.items()]
    parts += ["## By family\n", _linked(overview(here, long=True), found)]
    parts.append("The first transport and the first wait strategy are the defaults.\n")
    parts += [
        f"`{name}` ({entry.title}) is not in these tables: {entry.get}.\n"
        for name, entry in adapter_facts().items()
        if name not in found
    ]
    parts.append("## Who supports what\n\n`·`: not declared, hence unsupported.\n")
    for section in whole.sections:
        if section.id == "facts":
            continue
        parts.append(f"### {section.title}\n")
        if section.id in NOTES:
            parts.append(NOTES[section.id] + "\n")
        table, _ = supports(replace(whole, sections=(section,)), meanings=True)
        parts.append(_linked(table, found))
    parts.append("## One by one\n")
    parts += [text for column in whole.columns for text in _options(found[column.name])]
    return "\n".join(parts)


@cache
def declared() -> dict[str, Declared]:
    """Return capabilities by name, in the order of their facts: as built here, else as recorded.

    Raise a `UserError` that names the adapters which are neither.
    """
    kept: dict[str, Declared] = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    here = libraries()
    found = {name: _described(name, here[name]) for name in adapter_facts() if name in here}
    for name, old in kept.items():
        if name in found and (_folder(name) / "CMakeLists.txt").exists():
            found[name]["middleware_version"] = old["middleware_version"]
    missing = [
        name
        for name in adapter_facts()
        if not (name in found or name in kept or (_folder(name) / "optional").exists())
    ]
    if missing:
        raise UserError(
            f"adapters that are neither built here nor recorded: {', '.join(missing)}",
            where="docs/reference/adapters.md",
            remedy="Run `make adapters` first.",
        )
    either = {**kept, **found}
    return {name: either[name] for name in adapter_facts() if name in either}


def not_built() -> list[str]:
    """Return the adapters that are recorded and not built here, so that nothing compares them."""
    here = libraries()
    return [name for name in declared() if name not in here]


def _described(name: str, path: Path) -> Declared:
    adapter = describe(name, path)
    if adapter.capabilities is None:
        raise UserError(str(adapter.reason))
    return dict(adapter.capabilities)


def _folder(name: str) -> Path:
    return ROOT / "adapters" / (adapter_facts()[name].folder or name)


def _linked(table: Table, found: Iterable[str]) -> str:
    """Return a table in which the name of an adapter, as a heading or in the second column, is a
    link to its options."""
    # Meanings are ours: what they quote is code.
    text = section_markdown(Section("", [table])).replace("\\`", "`")
    head, *rows = text.split("\n")
    for name in found:
        link = f" [`{name}`](#{name}) |"
        head = head.replace(f" {name} |", link)
        rows = [re.sub(rf"^(\|[^|]*\|) {name} \|", rf"\1{link}", each) for each in rows]
    return "\n".join([head, *rows, ""])


def _options(d: Declared) -> list[str]:
    parts = [f"### {d['name']}\n", f"{d['title']}, adapter version {d['version']}."]
    notes = adapter_facts()[d["name"]].notes
    if (ROOT / notes).exists():
        parts[-1] += f" [What is shipped, what is changed and why](../../{notes})."
    parts[-1] += "\n"
    if d["cost"]:
        parts.append(f"Cost per sample: {d['cost'].removesuffix('.')}.\n")
    if d["install"]:
        parts.append(f"Install: `{d['install']}`.\n")
    if not d["options"]:
        return [*parts, "No options.\n"]
    options = [(md.code(o["key"]), md.code(o["value"]), o["doc"]) for o in d["options"]]
    return [*parts, md.table(("Option", "Default", "Meaning"), options)]
