"""Documents of captures and of late samples: as reviewed in the terminal, in Markdown and on a
page, and with the values of the analysis."""

from __future__ import annotations

import html
import io
import re
import sys
from collections.abc import Callable
from pathlib import Path

from click.testing import CliRunner
from late_tables import BACK, THERE, acknack, data, samples

from busmark.cli.main import busmark
from busmark.plugins.capture import blocks as capture
from busmark.plugins.capture.analysis import analyse
from busmark.plugins.capture.late import blocks as late
from busmark.plugins.capture.late import of_file
from busmark.plugins.capture.late.diagram import diagram
from busmark.plugins.capture.late.explaining import of_round, together
from busmark.plugins.capture.late.model import CAUSES as ALL
from busmark.plugins.capture.late.model import Explained
from busmark.plugins.capture.late.samples import choose
from busmark.plugins.capture.late.wire import File, Flow, Wire
from busmark.present.document import Document, Table
from busmark.present.sinks.markdown import markdown
from busmark.present.sinks.page import page
from busmark.present.sinks.terminal import show
from busmark.present.width import RoomyConsole

sys.path.append(str(Path(__file__).parent.parent / "capture"))

KEPT = Path(__file__).parents[3] / "crates/busmark-packets/tests/data"

Golden = Callable[[str, str], None]


def printed(document: Document, width: int = 80) -> str:
    out = io.StringIO()
    show(document, RoomyConsole(file=out, width=width, force_terminal=True, color_system=None))
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def text_of(document: Document) -> str:
    """What a reader of the page sees of it."""
    body = page(document).partition("<main")[2].partition("</main>")[0]
    spaced = re.sub(r"</t[hd]>", "\t", re.sub(r"</(tr|p|h2|caption)>", "\n", body))
    words = html.unescape(re.sub(r"<[^>]*>", "", spaced[1:].partition(">")[2]))
    return "\n".join(line.strip() for line in words.splitlines() if line.strip()) + "\n"


def captured() -> Document:
    name = KEPT / "D2-tcp-r-50"
    found = analyse(name.with_suffix(".pcapng"), application=Path(f"{name}.truth.jsonl"))
    return capture.document(found.model_copy(update={"file": "traffic.pcapng"}))


def explained() -> Document:
    found = of_file(KEPT / "D3-udp-be-50-early.pcapng", diagrams=1)
    return late.document(found.model_copy(update={"case": "traffic.pcapng"}))


def of_result() -> Explained:
    """Late samples of a round, under hostile names."""
    rows = [data(11, 0.05), acknack(12, 1.1, 500), data(13, 45, repeated=True)]
    flows = [Flow(0, "udp", THERE, BACK), Flow(0, "udp", BACK, THERE)]
    wire = Wire.of(rows, flows, [File("<it>.pcapng", None, "lo")])
    found = of_round(0, choose(0, samples()), wire)
    whole = together("a<b>", [found], [], 10)
    whole.diagrams = [
        diagram(each, one) for each, one in zip(found.late, found.traces, strict=True)
    ]
    return whole


def table(document: Document, key: str) -> Table:
    return next(each for s in document.sections for each in s.tables if each.key == key)


def values(of: Table, title: str) -> list[object]:
    return [cell.value for column in of.columns if column.title == title for cell in column.cells]


def test_documents_are_as_reviewed(golden: Golden) -> None:
    golden("capture-80.txt", printed(captured()))
    golden("late-80.txt", printed(explained()))
    golden("late-of-result-80.txt", printed(late.document(of_result())))
    golden("late.md", markdown(explained()))
    golden("late-page.txt", text_of(explained()))


def test_latency_throughput_and_lengths_are_those_of_the_analysis() -> None:
    found = analyse(KEPT / "D2-tcp-r-50.pcapng")
    (way,) = found.ways
    made = capture.document(found)
    times = table(made, "latency")
    assert way.latency is not None and way.confirmed is not None
    for title, name in (("Min", "min_ns"), ("Mean", "mean_ns"), ("Max", "max_ns"),
                        ("Std dev", "std_ns"), ("Variance", "variance_ms2")):  # fmt: skip
        wanted = [getattr(each, name) for each in (way.latency, way.confirmed)]
        assert values(times, title)[:2] == wanted
    assert way.eq2_mbit_s is not None and way.eq2_mbit_s.std is not None
    rates = table(made, "throughput")
    assert [values(rates, title) for title in ("Min", "Mean", "Max", "Variance")] == [
        [way.eq2_mbit_s.min], [way.eq2_mbit_s.mean], [way.eq2_mbit_s.max],
        [way.eq2_mbit_s.std**2],
    ]  # fmt: skip
    ways = table(made, "ways")
    assert way.bytes_per_sample is not None
    assert values(ways, "Length of a sample") == [8 * way.bytes_per_sample.mean]
    assert values(ways, "Length of all") == [206_180]
    assert (values(ways, "Sent"), values(ways, "Received")) == ([50], [50])


def test_a_sequence_has_each_packet_once_and_its_proofs() -> None:
    found = of_result()
    made = late.document(found)
    (sequence,) = (each for s in made.sections[-1:] for each in s.tables)
    packets = [value for value in values(sequence, "Packet") if value]
    assert packets == [11, 12, 13]
    proved = [proof == "✓" for proof in values(sequence, "Proof")]
    assert proved == [event.proves for event in found.diagrams[0].events] and sum(proved) == 3
    whole = page(made)
    assert "a&lt;b&gt;" in whole and "<it>" not in whole and page(made) == whole


def test_every_cause_has_a_name() -> None:
    assert set(late.CAUSES) == set(ALL)


def test_commands_write_the_same_tables_into_each_file(tmp_path: Path) -> None:
    for command in ("analyse", "explain"):
        files = [tmp_path / f"{command}.{ending}" for ending in ("html", "md")]
        words = ["capture", command, str(KEPT / "D3-udp-be-50-early.pcapng"),
                 "--html", str(files[0]), "--markdown", str(files[1])]  # fmt: skip
        done = CliRunner().invoke(busmark, words)
        assert done.exit_code == 0, done.output
        for text in (done.stdout, *(path.read_text(encoding="utf-8") for path in files)):
            for title in ("Samples over several hops", "Throughput over several hops", "Lengths"):
                assert title in text
