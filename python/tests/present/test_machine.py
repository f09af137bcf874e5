"""Documents of this machine and of its adapters: as reviewed, and true of the findings."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from declared_adapters import adapter
from test_captures import Golden, printed

from busmark.findings.doctor import Fact
from busmark.plugins.lab.check import Measured
from busmark.plugins.lab.command import measured_section
from busmark.present.blocks.adapters import in_full, listing
from busmark.present.blocks.doctor import conclusion, document
from busmark.present.document import Document
from busmark.store import Finding

sys.path.append(str(Path(__file__).parent.parent / "adapters"))

FACTS = [
    Fact("processor", "AMD EPYC 9B14", None, "[why]"),
    Fact("load average", "9.1", False, "Machine was busy in the last minute"),
    Fact("shared memory", "24 106 MiB free in /dev/shm", True, "it can be written to"),
]


def found(*severities: str) -> list[Finding]:
    return [
        Finding.model_validate({
            "id": f"f{number}", "severity": severity, "title": f"Title {number}", "cause": "C",
            "evidence": "5 of 6", "remedy": "R", "cases": [],
        })
        for number, severity in enumerate(severities)
    ]  # fmt: skip


def test_documents_are_as_reviewed(golden: Golden) -> None:
    golden("doctor-80.txt", printed(document(FACTS, found("error", "warning"))))
    names = ("cyclonedds", "mqtt", "udp", "stranger")
    listed = [adapter(name, "no server" if name == "mqtt" else None) for name in names]
    golden("adapters-80.txt", printed(listing(listed)))
    golden("adapter-80.txt", printed(in_full(adapter("stranger"))))
    measured = Measured(rate_bit_s=1.01e8, loss=0.00915, loss_interval=(0.00792, 0.01057),
                        datagrams=20_000, round_trip_median_s=2.13e-3, round_trip_p99_s=14.4e-3,
                        round_trips=197)  # fmt: skip
    golden("lab-80.txt", printed(Document("lab", [], [measured_section("n1", "n3", measured)])))


@pytest.mark.parametrize("kinds", ["", "note note", "warning note", "warning error"])
def test_the_worst_finding_decides_whether_to_measure(kinds: str) -> None:
    findings = found(*kinds.split())
    worst = next((kind for kind in ("error", "warning") if kind in kinds), "note")
    last = document(FACTS, findings).sections[-1].blocks[-1]
    assert last == conclusion(findings) and last.template == f"doctor_{worst}"
    assert all(f"1 {kind}" in str(last) for kind in kinds.split() if kinds.count(kind) == 1)
