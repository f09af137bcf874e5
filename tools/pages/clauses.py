"""docs/reference/clauses.md: which tests an adapter faces for what it declares."""

from __future__ import annotations

import re
from pathlib import Path

from tools.pages import markdown as md

from busmark.adapters.compliance import (
    DISCLOSURES,
    FEATURES,
    LISTENERS,
    PAYLOADS,
    QOS,
    REACH,
    WAITS,
)
from busmark.adapters.conformance import BY_KIND, CHANGES, EVIDENCE, evidence

ROOT = Path(__file__).resolve().parents[2]
REGISTRY = ROOT / "crates/busmark-conformance/src/registry.rs"

KINDS = {
    "waits": WAITS,
    "reach": REACH,
    "payloads": PAYLOADS,
    "qos": QOS,
    "features": {**FEATURES, **LISTENERS},
}

INTRODUCTION = """\
`busmark adapter check` runs the tests below. C1, C2, … are the clauses of
[abi/busmark_adapter.h](../../abi/busmark_adapter.h). What an adapter does not declare is
*unsupported* in plans, and
its tests are skipped; some then look that it is refused. A dash: no test of its own, so a report
shows
it as *declared*.
"""


def tests() -> list[str]:
    """Return the names of all tests, in the order of running."""
    return re.findall(r"^\s+\w+::(c\d\d_\w+),$", REGISTRY.read_text(encoding="utf-8"), re.MULTILINE)


def title(test: str) -> str:
    """Return the title of a test, such as `C7 large bodies arrive bit for bit`."""
    return f"C{int(test[1:3])} {test[4:].replace('_', ' ')}"


def page() -> str:
    """Return the page as Markdown."""
    declared = [
        (f"`{kind}.{value}`", meaning, "; ".join(map(title, evidence(f"{kind}.{value}"))) or "—")
        for kind, values in KINDS.items()
        for value, meaning in values.items()
    ]
    disclosed = [
        (f"`disclosures.{value}`", meaning, "; ".join(map(title, evidence(f"disclosures.{value}"))))
        for value, meaning in DISCLOSURES.items()
    ]
    declared.append(("`transports`", "each of them", "; ".join(map(title, BY_KIND["transports"]))))
    declared.append(
        ("`qos_mutable`", "changes while traffic flows", "; ".join(map(title, CHANGES)))
    )
    own = {name for names in (*EVIDENCE.values(), *BY_KIND.values(), CHANGES) for name in names}
    return "\n".join(
        [
            md.head("What is tested", "the conformance suite's registry and `busmark.adapters`"),
            INTRODUCTION,
            "## If you declare …\n",
            md.table(("Declared", "Meaning", "Tests"), declared),
            "## If the middleware …\n",
            "A test that sees this fails, unless it is disclosed: then it is skipped with what it "
            "saw.\n",
            md.table(("Disclosed", "Meaning", "Tests"), disclosed),
            "## Whatever you declare\n",
            *(f"- {title(name)}" for name in tests() if name not in own),
            "",
        ]
    )
