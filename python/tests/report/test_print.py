"""Charts for print: every kind, what is left out, and files that say what they are."""

from __future__ import annotations

import io
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
import vl_convert
from click.testing import CliRunner
from drawn_campaigns import everything, odd, throughput_only
from form_files import files, write

from busmark.cli.main import busmark
from busmark.cli.report import FormsTold
from busmark.compare.campaign import Campaign, summarise
from busmark.present.blocks import charts
from busmark.present.charts.kinds import KINDS, ChartKind
from busmark.present.sinks import print as sink
from busmark.present.vega.parts import lines
from busmark.store import Result

OTHER_PAIRS = {"interop-discovery", "interop-goodput", "interop-loss"}
"""What `everything` has none of."""

Made = tuple[Result, Campaign, list[Path]]


def first_of_each_kind() -> list[ChartKind]:
    """Enough to see that there is one: all would take a minute."""
    return [replace(kind, draw=lambda *of, kind=kind: islice(drawn(kind, *of), 1))
            for kind in KINDS]  # fmt: skip


def drawn(kind: ChartKind, *of: Any) -> Iterator[Any]:
    return (shape for shape in kind.draw(*of) if not getattr(shape, "as_bars", False))


def few(patch: pytest.MonkeyPatch, *names: str) -> None:
    """Draw these kinds only."""
    patch.setattr(charts, "KINDS", [kind for kind in KINDS if kind.key in names])


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """A sheet of each kind, of a campaign that has everything."""
    directory = everything(tmp_path_factory.mktemp("everything"))
    result = Result(directory)
    campaign = summarise(result)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(charts, "KINDS", first_of_each_kind())
        return result, campaign, files("svg", result, campaign, directory)


@pytest.fixture(scope="module")
def strange(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """All sheets of a campaign of odd cases."""
    directory = odd(tmp_path_factory.mktemp("odd"))
    result = Result(directory)
    campaign = summarise(result)
    return result, campaign, files("svg", result, campaign, directory)


def kind_of(path: Path) -> str:
    """The kind that made a file."""
    return max((kind.key for kind in KINDS if path.name.startswith(kind.key)), key=len)


def test_a_campaign_that_has_everything_gets_every_kind_of_sheet(made: Made) -> None:
    index, *sheets = made[2]
    assert {kind_of(path) for path in sheets} == {kind.key for kind in KINDS} - OTHER_PAIRS
    absent = index.read_text(encoding="utf-8").partition("left out")[2]
    assert {line.split(":")[0][2:] for line in absent.splitlines() if line} == OTHER_PAIRS


def test_every_sheet_is_as_wide_as_a_column(made: Made) -> None:
    for path in made[2][1:]:
        width = float(re.findall(r' width="([\d.]+)mm"', path.read_text(encoding="utf-8"))[0])
        columns = (sink.ONE_COLUMN, sink.TWO_COLUMNS)
        assert min(abs(width - column) for column in columns) <= 1, (path.name, width)


@pytest.mark.parametrize("key", ["latency-size", "latency-rounds", "latency-resources"])
def test_a_png_has_the_dots_of_its_width(made: Made, key: str) -> None:
    (path,) = (path for path in made[2] if path.name.startswith(f"{key}."))
    drawn = sink.FORMS["png"](re.sub(r"([\d.]+)mm", lambda mm: f"{float(mm[1]) * sink.MM}",
                                     path.read_text(encoding="utf-8"), count=2))  # fmt: skip
    wide = int.from_bytes(drawn[16:20], "big")
    assert abs(wide - sink.TWO_COLUMNS / 25.4 * sink.DPI) < 6


def test_the_list_says_what_sheets_are_and_names_each_with_its_counts(made: Made) -> None:
    index, *sheets = made[2]
    text = index.read_text(encoding="utf-8")
    assert "Each is a sheet of its own" in text.splitlines()[2]
    listed = {
        line.partition("](")[0].removeprefix("- ["): line
        for line in text.splitlines() if line.startswith("- [")
    }  # fmt: skip
    assert set(listed) == {path.name for path in sheets}
    for name, line in listed.items():
        assert any(word in line for word in ("round", "trial", "pairs")), name
    narrow = "\N{NARROW NO-BREAK SPACE}"
    assert f"3 rounds and 1{narrow}197 samples" in listed["latency-ecdf.same.64B.svg"]


def test_a_name_says_kind_placement_size_and_middleware(made: Made) -> None:
    assert {
        "latency-percentiles.same.64B.svg",
        "latency-timeline.same.64B.UDP-socket.svg",
        "jitter-size.same.svg",
        "jitter-share-size.same.svg",
        "interop-latency.8-KiB-on-one-CPU.svg",
    } <= {path.name for path in made[2]}


def test_odd_cases_are_drawn_as_far_as_they_go_and_the_rest_is_listed(strange: Made) -> None:
    index, *sheets = strange[2]
    text = index.read_text(encoding="utf-8")
    kinds = {kind_of(path) for path in sheets}
    assert {"latency-histogram", "latency-density", "jitter-timeline", "latency-rounds"} <= kinds
    for kind in KINDS:
        assert (f"- {kind.key}: it needs" in text) == (kind.key not in kinds)
    assert "- lost (cyclonedds, 64 B): no sample came back" in text
    assert "- failed (zenoh, 64 B): failed, 1 round failed: the ponger ended with signal" in text
    assert "gone.r001.parquet: this file of the result is missing" in text
    drawn = {path.name for path in sheets}
    assert "latency-timeline.same.64B.udp.svg" in drawn, "one sample has a timeline"
    assert "jitter-timeline.same.64B.udp.svg" not in drawn, "but no jitter"


def test_throughput_alone_has_no_sheet_of_latency(tmp_path: Path) -> None:
    result = Result(throughput_only(tmp_path))
    _, *sheets = files("png", result, summarise(result), tmp_path)
    assert {path.name for path in sheets} == {
        "goodput.same.1KiB.png", "goodput-time.same.1KiB.png",
    }  # fmt: skip


@pytest.mark.parametrize("form", ["png", "svg", "pdf"])
def test_the_same_result_gives_the_same_files(
    made: Made, tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    result, campaign, _ = made
    few(monkeypatch, "latency-size", "latency-medians", "latency-heat")
    first = files(form, result, campaign, tmp_path / "a")
    vl_convert.vegalite_to_svg({"data": {"values": [{}]}, "mark": "bar"})
    second = files(form, result, campaign, tmp_path / "b")
    assert len(first) > 4
    assert [p.read_bytes() for p in first] == [p.read_bytes() for p in second]


def test_what_a_label_holds_reaches_the_title_of_an_svg(strange: Made) -> None:
    sheets = [path for path in strange[2] if path.name.startswith("latency-timeline")]
    titles = [ET.parse(path).getroot().findtext("{*}title") or "" for path in sheets]
    assert any("a'b\"c `date` @x {y}_z^2 \\ $q$ %d #1 <&>" in title for title in titles)


def test_the_list_takes_nothing_of_a_label_or_a_name_for_markup(
    strange: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few(monkeypatch, "latency-timeline")
    result, campaign, _ = strange
    cases = [case.model_copy(update={"label": "<b>_c_"} if case.id == "lost" else {})
             for case in campaign.cases]  # fmt: skip
    named = campaign.model_copy(update={"name": "<i> *x*\n\n# y", "cases": cases})
    text = files("svg", result, named, tmp_path)[0].read_text(encoding="utf-8")
    assert text.startswith("# Charts of “\\<i\\> \\*x\\* \\# y”\n")
    assert "- lost (\\<b\\>\\_c\\_, 64 B): no sample came back" in text
    assert "{y}_z^2".translate({ord(c): f"\\{c}" for c in "{}_"}) in text, "of a title"
    assert not re.search(r"[^\\\n][<>$]", text)


def test_sheets_of_an_earlier_report_do_not_stay_and_those_of_the_user_do(
    strange: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few(monkeypatch, "latency-timeline")
    (tmp_path / "svg").mkdir()
    mine = tmp_path / "svg" / "architecture.svg"
    mine.write_text("mine")
    _, *old = files("svg", *strange[:2], tmp_path)
    assert len(old) > 2 and all(path.exists() for path in old)
    campaign = strange[1].model_copy(update={"cases": [], "groups": [], "interop": []})
    assert [path.name for path in files("svg", strange[0], campaign, tmp_path)] == ["index.md"]
    assert not any(path.exists() for path in old)
    assert mine.read_text() == "mine"


def test_results_of_another_tool_are_drawn_as_far_as_its_figures_go(tmp_path: Path) -> None:
    file = Path(__file__).parents[1] / "importers" / "files" / "perftest_legacy.txt"
    out = tmp_path / "imported"
    done = CliRunner().invoke(busmark, ["import", str(file), "--out", str(out)])
    assert done.exit_code == 0, done.output
    result = Result(out)
    index, *sheets = files("svg", result, summarise(result), tmp_path)
    kinds = {kind_of(path) for path in sheets}
    assert {"latency-size", "latency-percentiles", "goodput-size"} <= kinds
    assert "- latency-histogram: it needs" in index.read_text(encoding="utf-8")
    assert "rest on one sample" not in index.read_text(encoding="utf-8")


def test_names_of_rows_are_whole() -> None:
    for label in ("Eclipse Cyclone DDS · best effort · keep last · depth 16 · lifespan 10 s",
                  "Eclipse Cyclone DDS · reliable · keep all", "x" * 70, "漢字" * 30):  # fmt: skip
        found = lines(label, 26)
        assert "".join(found).replace(" ", "") == label.replace(" ", "")
        assert all(len(line) <= 26 for line in found)


def test_help_does_not_wait_for_vl_convert() -> None:
    code = (
        "import sys; from click.testing import CliRunner; from busmark.cli.main import busmark; "
        "done = CliRunner().invoke(busmark, ['report', '--help']); assert 'pdf' in done.output; "
        "assert 'vl_convert' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_sheet_is_drawn_once_for_all_forms(
    made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result, campaign, _ = made
    own = [kind for kind in first_of_each_kind() if kind.key.startswith("latency-")][:5]
    monkeypatch.setattr(charts, "KINDS", own)
    drawn = []
    chart = sink.chart
    monkeypatch.setattr(sink, "chart", lambda sheet: drawn.append(sheet) or chart(sheet))
    made = write("svg,csv,png,pdf", result, campaign, tmp_path / "all")
    assert list(made) == ["svg", "csv", "png", "pdf"]
    counts = {ending: len(made[ending]) - 1 for ending in ("svg", "png", "pdf")}
    assert set(counts.values()) == {len(own)} == {len(drawn)}
    for ending in ("png", "svg", "pdf"):
        for path in files(ending, result, campaign, tmp_path / "alone"):
            assert path.read_bytes() == (tmp_path / "all" / ending / path.name).read_bytes(), path


def test_the_command_says_of_each_form_how_many_files_it_has(
    made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result, *_ = made
    own = [kind for kind in first_of_each_kind() if kind.key.startswith("latency-")][:2]
    monkeypatch.setattr(charts, "KINDS", own)
    words = ["report", str(result.directory), "--to", "csv,png,svg", "--out", str(tmp_path)]
    ended = CliRunner().invoke(busmark, words, catch_exceptions=False)
    tables = len(list(tmp_path.rglob("*.csv")))
    assert ended.stderr.splitlines() == [f"csv: {tables} files", "png, svg: 3 files each"]
    assert "\x1b" not in ended.stderr
    assert len(ended.stdout.splitlines()) == tables + 6


def test_on_a_terminal_the_line_counts_sheets(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(stream, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stderr", stream)
    shown = FormsTold()
    shown.begins(["png", "pdf"])
    shown.drawn(1)
    shown.drawn(2)
    shown.ends(["png", "pdf"], 3)
    assert stream.getvalue().split("\r\x1b[K")[1:] == [
        "png, pdf: …", "png, pdf: 1 figure", "png, pdf: 2 figures", "png, pdf: 3 files each\n",
    ]  # fmt: skip
