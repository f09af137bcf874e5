"""The page of late samples: one sequence for each of the worst, and no complaint of a browser."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from browser import Browser

from busmark.capture.late.diagram import diagram
from busmark.capture.late.explaining import of_round, together
from busmark.capture.late.model import Explained
from busmark.capture.late.samples import choose
from busmark.capture.late.wire import File, Flow, Wire
from busmark.report.html.late import render

sys.path.append(str(Path(__file__).parent.parent / "capture"))
from late_tables import BACK, THERE, acknack, data, samples


def explained() -> Explained:
    rows = [data(11, 0.05), acknack(12, 1.1, 500), data(13, 45, repeated=True)]
    flows = [Flow(0, "udp", THERE, BACK), Flow(0, "udp", BACK, THERE)]
    wire = Wire.of(rows, flows, [File("<it>.pcapng", None, "lo")])
    found = of_round(0, choose(0, samples()), wire)
    whole = together("a<b>", [found], [], 10)
    whole.diagrams = [
        diagram(late, one) for late, one in zip(found.late, found.traces, strict=True)
    ]
    return whole


def test_the_page_has_each_packet_once_and_escapes_names() -> None:
    page = render(explained())
    assert "a&lt;b&gt;" in page and "<it>" not in page
    (drawing,) = re.findall("<svg.*?</svg>", page, re.S)
    assert [drawing.count(f">{number} ") for number in (11, 12, 13)] == [2, 2, 2]
    assert render(explained()) == page


def test_a_browser_shows_the_sequence_without_complaint(tmp_path: Path) -> None:
    path = tmp_path / "late.html"
    path.write_text(render(explained()), encoding="utf-8")
    with Browser(tmp_path / "profile") as browser:
        browser.open(path)
        assert browser.run("document.querySelectorAll('svg.sequence .proves').length") == 3
        assert browser.run("document.querySelector('svg').getBBox().width > 300")
        assert not browser.complaints
