"""README.md of each pack: how to run it, what stands for what, what the document states."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill

from tools.pages import markdown as md

from busmark.plugins.papers.document import Document
from busmark.plugins.papers.evidence import Check
from busmark.plugins.papers.repetition import DOCUMENTS

ENDING = (
    "All end with a page `report/comparison.html`: each statement of the document, the ratio "
    "found here with its interval, and whether it agrees. `busmark report DIR` writes it again. In "
    "place of a fixed number of rounds, `--set rounds.target=0.05` adds rounds until intervals are "
    "as narrow as that."
)


def page(name: str) -> str:
    """Return the page of the document of this name."""
    document = DOCUMENTS[name]
    parts = [
        md.head(document.title, "`busmark.plugins.papers`"),
        f"{document.source}. The experiments, on the middleware of today.\n",
        _running(name),
        "## What stands for what\n",
        md.table(("There", "Here", "Why"), [(s.there, s.here, s.why) for s in document.stand_ins]),
        "## What differs\n",
        *(f"- {deviation}" for deviation in document.deviations),
        "",
        "## What the document states, and what is asked of a campaign\n",
        md.table(("Where", "Stated there", "Asked here"), list(_statements(document))),
    ]
    return "\n".join(parts)


def _running(name: str) -> str:
    scenarios = ("quick", "full", *DOCUMENTS[name].scenarios)
    runs = "\n".join(f"busmark run {name}/{scenario}" for scenario in scenarios)
    own = DOCUMENTS[name].tables
    tables = "\n`busmark papers show DIR` prints its tables." if own else ""
    return f"""\
```sh
busmark plan {name}/quick
{runs}
```

{fill(f"{DOCUMENTS[name].sizes} {ENDING}", 100, break_on_hyphens=False)}{tables}
"""


def _statements(document: Document) -> list[tuple[str, str, str]]:
    return [
        (
            statement.where,
            statement.found,
            "; ".join(_asked(statement.checks)) or f"nothing: {statement.remark}",
        )
        for statement in document.statements
    ]


def _asked(checks: Sequence[Check]) -> list[str]:
    """Return checks with their claims, in one where names differ in the last part only."""
    alike: dict[tuple[str, str], list[str]] = {}
    for check in checks:
        whole, _, last = check.name.rpartition(", ")
        alike.setdefault((whole, check.claim.text), []).append(last)
    return [
        f"{', '.join(part for part in (whole, ' / '.join(last)) if part)}: {claim}"
        for (whole, claim), last in alike.items()
    ]
