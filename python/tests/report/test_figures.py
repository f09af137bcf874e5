"""Charts for print: every kind, what is left out, and files that say what they are."""

from __future__ import annotations

import io
import re
import subprocess
import sys
import warnings
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from click.testing import CliRunner
from drawn_campaigns import everything, odd, throughput_only
from matplotlib.figure import Figure
from matplotlib.image import imread
from matplotlib.layout_engine import ConstrainedLayoutEngine

from busmark.analysis import Campaign, summarise
from busmark.cli.forms import FormsTold
from busmark.cli.main import busmark
from busmark.report import formats
from busmark.report.figures import theme
from busmark.report.figures.kind import Drawing, Kind, Source
from busmark.report.figures.kinds import ALL
from busmark.report.figures.write import pdf, png, svg
from busmark.store import Result

Made = tuple[Result, Campaign, list[Path]]


@pytest.fixture(autouse=True)
def no_warnings() -> Iterator[None]:
    """A glyph that the font lacks, or a layout that does not fit, is a fault."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def first_of_each_kind() -> list[Kind]:
    """Enough to see that there is one: all would take a minute."""
    return [replace(kind, draw=partial(_first, kind.draw)) for kind in ALL]


def _first(
    draw: Callable[[Source, Kind], Iterator[Drawing]], source: Source, kind: Kind
) -> Iterator[Drawing]:
    return islice(draw(source, kind), 1)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """A figure of each kind, of a campaign that has everything."""
    directory = everything(tmp_path_factory.mktemp("everything"))
    result = Result(directory)
    campaign = summarise(result)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("busmark.report.figures.write.ALL", first_of_each_kind())
        return result, campaign, png(result, campaign, directory)


@pytest.fixture(scope="module")
def strange(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """All figures of a campaign of odd cases."""
    directory = odd(tmp_path_factory.mktemp("odd"))
    result = Result(directory)
    campaign = summarise(result)
    return result, campaign, png(result, campaign, directory)


def kind_of(path: Path) -> str:
    """The kind that made a file."""
    names = [kind.name for kind in ALL if path.name.startswith(kind.name)]
    return max(names, key=len)


def test_a_campaign_that_has_everything_gets_every_kind_of_figure(made: Made) -> None:
    index, *figures = made[2]
    assert {kind_of(path) for path in figures} == {kind.name for kind in ALL}
    assert "left out" not in index.read_text(encoding="utf-8")


def test_every_figure_is_as_wide_as_a_column_and_shows_something(made: Made) -> None:
    columns = [
        round(mm / theme.MM_PER_INCH * theme.DPI)
        for mm in (theme.ONE_COLUMN_MM, theme.TWO_COLUMNS_MM)
    ]
    for path in made[2][1:]:
        pixels = imread(path)[:, :, :3]
        assert min(abs(pixels.shape[1] - width) for width in columns) <= 1, path.name
        assert 0.005 < np.mean(np.any(pixels < 0.9, axis=2)) < 0.9, path.name


def test_the_list_names_every_figure_with_its_counts(made: Made) -> None:
    index, *figures = made[2]
    told = {
        line.partition("](")[0].removeprefix("- ["): line
        for line in index.read_text(encoding="utf-8").splitlines()
        if line.startswith("- [")
    }
    assert set(told) == {path.name for path in figures}
    for name, line in told.items():
        assert any(word in line for word in ("round", "trial", "pairs")), name
    assert "3 rounds and 1\N{NARROW NO-BREAK SPACE}197 samples" in told["latency-ecdf.same.64B.png"]


def test_a_name_says_kind_placement_size_and_middleware(made: Made) -> None:
    names = {path.name for path in made[2]}
    assert {
        "latency-percentiles.same.64B.png",
        "latency-timeline.same.64B.UDP-socket.png",
        "jitter-size.same.png",
        "jitter-share-size.same.png",
    } <= names


def test_odd_cases_are_drawn_as_far_as_they_go_and_the_rest_is_listed(strange: Made) -> None:
    index, *figures = strange[2]
    text = index.read_text(encoding="utf-8")
    kinds = {kind_of(path) for path in figures}
    assert {"latency-histogram", "latency-density", "jitter-timeline", "latency-rounds"} <= kinds
    for kind in ALL:
        assert (f"- {kind.name}: it needs" in text) == (kind.name not in kinds)
    assert "- lost (cyclonedds, 64 B): no sample came back" in text
    assert "- failed (zenoh, 64 B): failed, 1 round failed: the ponger ended with signal" in text
    assert "gone.r001.parquet: this file of the result is missing" in text
    drawn = {path.name for path in figures}
    assert "latency-timeline.same.64B.udp.png" in drawn, "one sample has a timeline"
    assert "jitter-timeline.same.64B.udp.png" not in drawn, "but no jitter"


def test_throughput_alone_has_no_figure_of_latency(tmp_path: Path) -> None:
    result = Result(throughput_only(tmp_path))
    _, *figures = png(result, summarise(result), tmp_path)
    assert {path.name for path in figures} == {
        "goodput.same.1KiB.png", "goodput-time.same.1KiB.png",
    }  # fmt: skip


@pytest.mark.parametrize("form", [png, svg, pdf])
def test_the_same_result_gives_the_same_files_whatever_the_users_settings(
    strange: Made, tmp_path: Path, form: Callable[..., list[Path]], monkeypatch: pytest.MonkeyPatch
) -> None:
    result, campaign, _ = strange
    few = [kind for kind in ALL if kind.name in ("latency-size", "latency-timeline")]
    monkeypatch.setattr("busmark.report.figures.write.ALL", few)
    first = form(result, campaign, tmp_path / "a")
    with matplotlib.rc_context({"font.size": 20, "lines.linewidth": 9, "savefig.dpi": 40}):
        second = form(result, campaign, tmp_path / "b")
    assert len(first) > 2
    assert [p.read_bytes() for p in first] == [p.read_bytes() for p in second]


def test_what_a_label_holds_reaches_the_title_of_an_svg(
    strange: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = [kind for kind in ALL if kind.name == "latency-timeline"]
    monkeypatch.setattr("busmark.report.figures.write.ALL", few)
    _, *figures = svg(*strange[:2], tmp_path)
    titles = [ET.parse(path).getroot().findtext(".//{*}title") or "" for path in figures]
    assert any("a'b\"c `date` @x {y}_z^2 \\ $q$ %d #1 <&>" in title for title in titles)


def test_the_list_takes_nothing_of_a_label_or_a_name_for_markup(
    strange: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = [kind for kind in ALL if kind.name == "latency-timeline"]
    monkeypatch.setattr("busmark.report.figures.write.ALL", few)
    result, campaign, _ = strange
    cases = [case.model_copy(update={"label": "<b>_c_"} if case.id == "lost" else {})
             for case in campaign.cases]  # fmt: skip
    named = campaign.model_copy(update={"name": "<i> *x*\n\n# y", "cases": cases})
    text = svg(result, named, tmp_path)[0].read_text(encoding="utf-8")
    assert text.startswith("# Figures of “\\<i\\> \\*x\\* \\# y”\n")
    assert "- lost (\\<b\\>\\_c\\_, 64 B): no sample came back" in text
    assert "{y}_z^2".translate({ord(c): f"\\{c}" for c in "{}_"}) in text, "of a title"
    assert not re.search(r"[^\\\n][<>$]", text)


def test_figures_of_an_earlier_report_do_not_stay_and_those_of_the_user_do(
    strange: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = [kind for kind in ALL if kind.name == "latency-timeline"]
    monkeypatch.setattr("busmark.report.figures.write.ALL", few)
    (tmp_path / "svg").mkdir()
    mine = tmp_path / "svg" / "architecture.svg"
    mine.write_text("mine")
    _, *old = svg(*strange[:2], tmp_path)
    assert len(old) > 2 and all(path.exists() for path in old)
    campaign = strange[1].model_copy(update={"cases": [], "groups": [], "interop": []})
    assert [path.name for path in svg(strange[0], campaign, tmp_path)] == ["index.md"]
    assert not any(path.exists() for path in old)
    assert mine.read_text() == "mine"


def test_results_of_another_tool_are_drawn_as_far_as_its_figures_go(tmp_path: Path) -> None:
    file = Path(__file__).parents[1] / "importers" / "files" / "perftest_legacy.txt"
    out = tmp_path / "imported"
    done = CliRunner().invoke(busmark, ["import", str(file), "--out", str(out)])
    assert done.exit_code == 0, done.output
    result = Result(out)
    index, *figures = svg(result, summarise(result), tmp_path)
    kinds = {kind_of(path) for path in figures}
    assert {"latency-size", "latency-percentiles", "goodput-size"} <= kinds
    assert "- latency-histogram: it needs" in index.read_text(encoding="utf-8")
    assert "rest on one sample" not in index.read_text(encoding="utf-8")


def test_help_does_not_wait_for_matplotlib() -> None:
    code = (
        "import sys; from click.testing import CliRunner; from busmark.cli.main import busmark; "
        "done = CliRunner().invoke(busmark, ['report', '--help']); assert 'pdf' in done.output; "
        "assert 'matplotlib' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_figure_is_laid_out_once_for_all_forms(
    made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result, campaign, _ = made
    few = [kind for kind in first_of_each_kind() if kind.name.startswith("latency-")][:5]
    monkeypatch.setattr("busmark.report.figures.write.ALL", few)
    laid_out = []
    execute = ConstrainedLayoutEngine.execute

    def counted(engine: ConstrainedLayoutEngine, figure: Figure) -> None:
        laid_out.append(figure)
        execute(engine, figure)

    monkeypatch.setattr(ConstrainedLayoutEngine, "execute", counted)
    files = formats.write(result, campaign, formats.chosen("svg,csv,png,pdf"), tmp_path / "all")
    assert list(files) == ["svg", "csv", "png", "pdf"]
    figures = {ending: len(files[ending]) - 1 for ending in ("svg", "png", "pdf")}
    assert set(figures.values()) == {len(few)} == {len(laid_out)}
    for ending, form in (("png", png), ("svg", svg), ("pdf", pdf)):
        for path in form(result, campaign, tmp_path / "alone"):
            assert path.read_bytes() == (tmp_path / "all" / ending / path.name).read_bytes(), path


def test_the_command_says_of_each_form_how_many_files_it_has(
    made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result, *_ = made
    few = [kind for kind in first_of_each_kind() if kind.name.startswith("latency-")][:2]
    monkeypatch.setattr("busmark.report.figures.write.ALL", few)
    words = ["report", str(result.directory), "--to", "csv,png,svg", "--out", str(tmp_path)]
    ended = CliRunner().invoke(busmark, words, catch_exceptions=False)
    tables = len(list(tmp_path.rglob("*.csv")))
    assert ended.stderr.splitlines() == [f"csv: {tables} files", "png, svg: 3 files each"]
    assert "\x1b" not in ended.stderr
    assert len(ended.stdout.splitlines()) == tables + 6


def test_on_a_terminal_the_line_counts_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(stream, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stderr", stream)
    told = FormsTold()
    told.begins(["png", "pdf"])
    told.drawn(1)
    told.drawn(2)
    told.ends(["png", "pdf"], 3)
    shown = stream.getvalue().split("\r\x1b[K")
    assert shown[1:] == [
        "png, pdf: …", "png, pdf: 1 figure", "png, pdf: 2 figures", "png, pdf: 3 files each\n",
    ]  # fmt: skip
