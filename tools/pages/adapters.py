"""docs/reference/adapters.md: what the adapters of this repository declare.

Capabilities are constant data (clause C10), so the page does not depend on the machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tools.pages import markdown as md

from busmark.adapters import describe, libraries
from busmark.errors import UserError

ROOT = Path(__file__).resolve().parents[2]

Declared = dict[str, Any]

PAYLOADS = ("empty", "octet", "char", "short", "float", "long", "struct", "any")
QOS = (
    "best_effort", "reliable", "keep_last", "keep_all", "volatile", "transient_local", "lifespan",
    "deadline", "latency_budget", "transport_priority", "partition", "ownership_strength",
    "order_by_source", "resource_limits", "time_based_filter",
)  # fmt: skip
FEATURES = {
    "locators": "no discovery: Busmark carries locators from readers to writers",
    "matched": "matched counts are known",
    "write_in_listener": "a listener may write",
    "keep_all_in_listener": "a listener may write with reliable keep-all",
    "synchronous": "a write may deliver on its own thread",
    "source_time": "samples carry the middleware's time of sending",
    "reception_time": "samples carry the middleware's time of reception",
    "batching": "the middleware may hold samples back; flush sends them",
    "loans": "write does not copy the body",
    "keys": "keyed topics",
    "content_filter": "content-filtered topics",
    "security": "security plug-ins",
    "faults": "injects faults on purpose",
}

INTRODUCTION = """\
What an adapter declares here is tested by the conformance suite (`busmark adapter check NAME`);
what it does not declare is *unsupported* in a plan and never imitated. `busmark adapters --json`
prints the same for the adapters of your machine. How to add one: [writing an
adapter](../writing-an-adapter.md).
"""

YES, CHANGEABLE = "yes", "yes, at run time"


def page() -> str:
    """The page."""
    declared = [_declared(name) for name in own_adapters()]
    names = [d["name"] for d in declared]
    return "\n".join(
        [
            md.head("Adapters", "what the adapters declare"),
            INTRODUCTION,
            md.table(("Adapter", "Middleware", "Licence", "Transports", "Wait strategies", "Reach",
                      "Largest body"), [_summary(d) for d in declared]),
            "The first transport and the first wait strategy are the defaults.\n",
            "## Payload kinds\n",
            md.table(("Kind", *names), _marks(declared, "payloads", PAYLOADS)),
            "## QoS\n",
            "What a scenario can ask for. *At run time*: can change while traffic flows.\n",
            md.table(("Value", *names), _qos(declared)),
            "## Features\n",
            md.table(
                ("Feature", "Meaning", *names),
                [
                    (cells[0], FEATURES[cells[0].strip("`")], *cells[1:])
                    for cells in _marks(declared, "features", tuple(FEATURES))
                ],
            ),
            *(text for d in declared for text in _options(d)),
        ]
    )  # fmt: skip


def own_adapters() -> list[str]:
    """Adapters of this repository: folders that build a library of their own."""
    manifests = sorted((ROOT / "adapters").glob("*/Cargo.toml"))
    return [m.parent.name for m in manifests if '"cdylib"' in m.read_text(encoding="utf-8")]


def _declared(name: str) -> Declared:
    path = libraries().get(name)
    if path is None:
        raise UserError(f"the adapter {name} is not built", remedy="Run `make build` first.")
    capabilities = describe(name, path).capabilities
    if capabilities is None:
        raise UserError(f"the adapter {name} declares nothing", where=str(path))
    return capabilities


def _summary(d: Declared) -> Sequence[str]:
    return (
        f"[`{d['name']}`](#{d['name']})",
        d["middleware_version"],
        d["licence"],
        ", ".join(d["transports"]),
        ", ".join(d["waits"]),
        ", ".join(d["reach"]),
        f"{d['max_body_bytes']:,} B".replace(",", " "),
    )


def _marks(declared: list[Declared], key: str, values: Sequence[str]) -> list[Sequence[str]]:
    unknown = {value for d in declared for value in d[key]} - set(values)
    if unknown:
        raise KeyError(f"{key} that this page does not know: {', '.join(sorted(unknown))}")
    return [
        (md.code(value), *(YES if value in d[key] else "" for d in declared)) for value in values
    ]


def _qos(declared: list[Declared]) -> list[Sequence[str]]:
    rows: list[Sequence[str]] = []
    for cells in _marks(declared, "qos", QOS):
        value = cells[0].strip("`")
        marks = (
            CHANGEABLE if cell and value in d["qos_mutable"] else cell
            for cell, d in zip(cells[1:], declared, strict=True)
        )
        rows.append((cells[0], *marks))
    return rows


def _options(d: Declared) -> list[str]:
    parts = [f"## {d['name']}\n", f"{d['title']}, adapter version {d['version']}.\n"]
    if d["cost"]:
        parts.append(f"Conversion per sample: {d['cost']}.\n")
    if d["install"]:
        parts.append(f"Install: `{d['install']}`.\n")
    if not d["options"]:
        return [*parts, "No options.\n"]
    options = [(md.code(o["key"]), md.code(o["value"]), o["doc"]) for o in d["options"]]
    return [*parts, md.table(("Option", "Default", "Meaning"), options)]
