"""Every template of a sentence, filled as documents fill it; `golden/texts.txt` has the
sentences."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from busmark.present import texts
from busmark.present.document import Text

VALUES: dict[str, dict[str, object]] = {
    "adapters_checked": {"names": "cyclonedds and udp", "last": "2026-11-28 12:00 UTC"},
    "columns": {"names": "p99.9 RTT/2 and Rounds"},
    "compared": {"level": "95 %"},
    "criterion": {
        "samples": "requests",
        "lost": "unanswered",
        "senders": "clients",
        "receivers": "responses",
        "max_loss": "0.1 %",
        "keeps_up": "95 %",
        "confidence": "95 %",
    },
    "effects": {"pairs": "round by round"},
    "facts": {"title": "All rows", "facts": "reliable, keep last 1, UDP"},
    "false": {"one": "5 %", "all": "10 %"},
    "knees": {"rise": "50 %", "fall": "10 %", "lost": "0.1 %", "level": "95 %"},
    "late": {"round": 3, "limit": "31 µs", "by": "three times the median", "median": "10.2 µs"},
    "late_sequence": {"files": "artefacts/lo.pcapng"},
    "line": {"line": "It is not supported: too large."},
    "made_by": {
        "version": "0.2.0", "utc": "2026-11-28 12:00 UTC", "command": "busmark run latency.toml",
    },
    "margins": {"margin": "2 %", "loss": "0.1 %"},
    "more": {"number": 3, "where": "`--json`"},
    "other_parts": {"parts": "discovery and scalability", "number": 7},
    "ratio": {"margin": "2 %", "level": "95 %"},
    "ratios_of_cases": {"level": "95 %", "alike": "1.25"},
    "see": {"marks": "!a Few rounds"},
    "share_of_all": {"percentile": "p99.9(half_round_trip)"},
    "size_models": {"level": "95 %"},
    "steps": {
        "least": 3, "tests": 12, "level": "1 %", "confidence": "95 %", "margin": "2 %",
        "loss": "0.1 %", "confirmations": 3, "new_for": 1,
    },
    "too_few": {"needed": 10},
    "late_untimed": {"number": "8"}, "names": {"last": "the first of these"},
    "typical": {"level": "95 %"},
}  # fmt: skip
"""Values of each template that has any."""

SOURCES = "\n".join(
    path.read_text(encoding="utf-8")
    for folder in (Path(texts.__file__).parent, Path(texts.__file__).parents[1] / "plugins")
    for path in folder.rglob("*.py") if path.name != "texts.py"
)  # fmt: skip


@pytest.mark.parametrize("name", texts.TEXTS)
def test_a_template_is_a_sentence_that_some_block_uses(name: str) -> None:
    shown = str(Text(name, VALUES.get(name, {})))
    assert not set(shown) & set("{}") and not shown.endswith((" ", ",")), shown
    assert f'"{name}"' in SOURCES


def test_the_sentences_are_as_reviewed(golden: Callable[[str, str], None]) -> None:
    assert len(texts.TEXTS) <= 50, "what needs more is a table"
    assert VALUES.keys() <= texts.TEXTS.keys()
    lines = [f"{name}: {Text(name, VALUES.get(name, {}))}\n" for name in texts.TEXTS]
    golden("texts.txt", "".join(lines))
