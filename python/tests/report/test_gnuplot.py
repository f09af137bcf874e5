"""gnuplot files: data that can be found by index, and scripts that run without a word."""

from __future__ import annotations

import csv
import re
import shutil
import struct
import subprocess
import xml.etree.ElementTree as ET
import zlib
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from busmark.present.plotted import comment, quoted
from click.testing import CliRunner
from drawn_campaigns import HOSTILE, everything, odd, throughput_only
from form_files import files
from hypothesis import example, given, settings
from hypothesis import strategies as st
from synthetic_campaign import Builder, samples_around

from busmark.cli.main import busmark
from busmark.compare.campaign import Campaign, summarise
from busmark.present.charts import look
from busmark.present.charts.kinds import CHARTS
from busmark.present.charts.shapes import Axis, Curve, Picture, Point, one_line
from busmark.present.sinks import gnuplot
from busmark.store import Result

needs_gnuplot = pytest.mark.skipif(not shutil.which("gnuplot"), reason="gnuplot is not installed")
Made = tuple[Path, Campaign, Path]
INDEX = {"samples": 0, "quantiles": 1, "histogram": 3, "density": 5, "density_10us": 7,
         "percentiles": 9, "rounds": 11}  # fmt: skip
"""Index of the latency, in the file of a case; the jitter's follows, except for samples."""


def made_of(directory: Path) -> Made:
    """The result, its analysis, and the folder of its gnuplot files."""
    result = Result(directory)
    campaign = summarise(result)
    first, *_ = files("gnuplot", result, campaign, directory)
    assert first == directory / "gnuplot" / "plot-all.gpi"
    return directory, campaign, first.parent


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return made_of(everything(tmp_path_factory.mktemp("everything")))


@pytest.fixture(scope="module")
def strange(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return made_of(odd(tmp_path_factory.mktemp("odd")))


def run(folder: Path, *arguments: str) -> list[Path]:
    """Runs gnuplot, which must not say anything; the pictures."""
    done = subprocess.run(["gnuplot", *arguments], cwd=folder, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    return sorted((folder / "images").iterdir())


def different_rows(picture: Path) -> int:
    """Rows of pixels of a PNG that are unlike all others: an empty one has a few."""
    data, at, packed = picture.read_bytes(), 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        packed += data[at + 8 : at + 8 + length] if kind == b"IDAT" else b""
        at += length + 12
    pixels, (height,) = zlib.decompress(packed), struct.unpack(">I", data[20:24])
    width = len(pixels) // height
    return len({pixels[start : start + width] for start in range(0, len(pixels), width)})


def data_sets(path: Path) -> list[np.ndarray]:
    """As gnuplot counts them: separated by two blank lines."""
    parts = re.split(r"\n\n\n", path.read_text(encoding="utf-8"))
    rows = [
        [line.split() for line in part.splitlines() if line and not line.startswith("#")]
        for part in parts
    ]
    return [np.array(part, dtype=float) for part in rows]


@needs_gnuplot
def test_every_kind_of_figure_is_plotted(made: Made) -> None:
    folder = made[2]
    scripts = {p.name.split(".")[0]: p for p in sorted((folder / "scripts").iterdir())}
    assert scripts.keys() - {chart.key for chart in CHARTS} == {"interop-latency"}
    once = "".join(f"load 'scripts/{path.name}'\n" for path in scripts.values())
    (folder / "once.gpi").write_text(once, encoding="utf-8")
    pictures = run(folder, "once.gpi")
    assert [path.stem for path in pictures] == [path.stem for path in sorted(scripts.values())]
    for picture in pictures:
        assert different_rows(picture) > 50, picture.name
    absent = (folder / "README.md").read_text(encoding="utf-8").partition("left out")[2]
    assert all(line.startswith("- interop-") for line in absent.splitlines() if line)


def test_figures_are_those_of_print(strange: Made, tmp_path: Path) -> None:
    words = ["report", str(strange[0]), "--to", "png,gnuplot", "--out", str(tmp_path)]
    CliRunner().invoke(busmark, words, catch_exceptions=False, standalone_mode=False)
    png, scripts, data = (
        {path.stem for path in tmp_path.glob(pattern)}
        for pattern in ("png/*.png", "gnuplot/scripts/*.gpi", "gnuplot/data/*.gpd")
    )
    assert scripts == png and scripts < data
    text = (tmp_path / "gnuplot" / "README.md").read_text(encoding="utf-8")
    assert all(f"(scripts/{name}.gpi)" in text for name in scripts)


@needs_gnuplot
def test_odd_cases_are_plotted_without_a_warning(strange: Made) -> None:
    folder = strange[2]
    text = (folder / "plot-all.gpi").read_text(encoding="utf-8")
    assert len(run(folder, "plot-all.gpi")) == text.count("load ")
    told = (folder / "README.md").read_text(encoding="utf-8")
    assert "throughput-ascent: it needs throughput cases at 3 rates or more." in told
    assert "- failed (zenoh, 64 B): failed" in told


@needs_gnuplot
def test_throughput_alone_can_be_plotted(tmp_path: Path) -> None:
    _, _, folder = made_of(throughput_only(tmp_path))
    names = [p.name for p in run(folder, "plot-all.gpi")]
    assert names == ["goodput-time.same.1KiB.png", "goodput.same.1KiB.png"]


@needs_gnuplot
def test_a_script_runs_alone_and_as_svg_with_the_label_unchanged(strange: Made) -> None:
    folder = strange[2]
    for kind in ("quantiles", "medians", "rounds"):
        name = f"latency-{kind}.same.64B"
        run(folder, "-e", "ending='svg'", f"scripts/{name}.gpi")
        root = ET.parse(folder / "images" / f"{name}.svg").getroot()
        texts = ["".join(each.itertext()).strip() for each in root.findall(".//{*}text")]
        assert one_line(HOSTILE) in texts


@needs_gnuplot
def test_a_chart_can_be_drawn_on_the_terminal_of_gnuplot(made: Made) -> None:
    folder = made[2]
    before = sorted(folder.glob("images/*"))
    done = subprocess.run(
        ["gnuplot", "-e", "set terminal dumb; ending='window'",
         "scripts/latency-histogram.same.64B.gpi"],
        cwd=folder, capture_output=True, text=True,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert "RTT/2" in done.stdout
    assert sorted(folder.glob("images/*")) == before


@needs_gnuplot
def test_steps_reach_over_every_bin_and_down_where_one_is_empty(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    build.pings(build.case("a"), 0, np.array([20_000.0] * 40 + [90_000.0] * 40))
    folder = made_of(build.finish())[2]
    run(folder, "-e", "ending='svg'", "scripts/latency-histogram-log.same.64B.gpi")
    root = ET.parse(folder / "images" / "latency-histogram-log.same.64B.svg").getroot()
    drawn = [
        np.array(re.findall(r"([\d.]+),([\d.]+)", path.get("d", "")), dtype=float)
        for path in root.findall(".//{*}path")
    ]
    border = next(points for points in drawn[::-1] if len(points))
    steps = max(drawn, key=len)
    bottom, width = border[:, 1].max(), np.ptp(border[:, 0])
    assert np.isclose(steps[:, 1], bottom, atol=1).sum() > 2, "empty bins"
    assert np.ptp(steps[:, 0]) > 0.8 * width


@needs_gnuplot
def test_an_interval_that_an_axis_does_not_hold_has_an_arrow(tmp_path: Path) -> None:
    # A logarithmic axis holds whole intervals, but it has no place for a negative limit.
    for axis, low, arrows in (
        (Axis("y", "log"), -1.0, [("1", "0.05")]),
        (Axis("y", ends=(1.0, 9.0)), 0.1, [("1", "0.05"), ("2", "0.95")]),
    ):
        points = [Point(1, 2, low, 3), Point(2, 4, 2, 90), Point(3, 5)]
        curve = Curve("a", look.series("a", 0), points)
        sheet = gnuplot.SHEETS[Picture](Picture((), [], Axis("x"), axis, [curve], ""), {})
        script = sheet.script("a", "title", "", [])
        assert arrows == re.findall(r"^set arrow from first (\d), graph ([\d.]+)", script, re.M)
        for name, text in (
            ("data/a.gpd", "\n\n".join(sheet.sets)),
            ("style.gpi", gnuplot.STYLE),
            ("a.gpi", script),
        ):
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text(text, encoding="utf-8")
        (tmp_path / "images").mkdir(exist_ok=True)
        assert len(run(tmp_path, "a.gpi")) == 1


def test_samples_are_those_of_the_store_in_time_order(made: Made) -> None:
    directory, _, folder = made
    samples = data_sets(folder / "data" / "latency.same.64B.UDP-socket.gpd")[INDEX["samples"]]
    expected = []
    for number in range(3):
        table = pl.read_parquet(directory / "samples" / f"udp-64.r{number:03d}.parquet")
        back = table.sort("intended_ns").filter(pl.col("read_ns").is_not_null())
        latency = (back["read_ns"] - back["intended_ns"]).to_numpy() / 2e3
        follows = np.diff(back["seq"].to_numpy()) == 1
        jitter = np.concatenate(([np.nan], np.where(follows, np.diff(latency), np.nan)))
        seconds = (back["intended_ns"] - back["intended_ns"][0]).to_numpy() / 1e9
        rank, rounds = np.arange(latency.size), np.full(latency.size, number)
        expected.append(np.column_stack((rank, seconds, latency, jitter, rounds)))
    np.testing.assert_allclose(samples, np.concatenate(expected), atol=1e-4)


def test_rounds_are_blocks_of_the_first_data_set(made: Made) -> None:
    text = (made[2] / "data" / "latency.same.64B.UDP-socket.gpd").read_text(encoding="utf-8")
    first = re.split(r"\n\n\n", text)[0]
    assert [block.splitlines()[-1].split()[4] for block in first.split("\n\n")] == ["0", "1", "2"]


def test_data_sets_hold_the_distributions_by_their_index(made: Made) -> None:
    directory, _, folder = made
    tables = [pl.read_parquet(directory / "samples" / f"udp-64.r00{n}.parquet") for n in range(3)]
    lost = [table["read_ns"].null_count() for table in tables]
    assert sum(lost) > 0
    sets = data_sets(folder / "data" / "latency.same.64B.UDP-socket.gpd")
    assert len(sets) == INDEX["rounds"] + 2
    latency, jitter = sets[0][:, 2], sets[0][:, 3]
    jitter = jitter[~np.isnan(jitter)]
    for sample, shift, gone in ((latency, 0, sum(lost)), (jitter, 1, 0)):
        quantiles = sets[INDEX["quantiles"] + shift]
        sent = np.concatenate((sample, np.full(gone, np.inf)))
        # The last point stands at the share that came back, which is written rounded.
        assert quantiles[-1, 0] == pytest.approx(100 * sample.size / sent.size, abs=1e-3)
        ranks = np.ceil(quantiles[:, 0] / 100 * sent.size - 0.01).astype(int).clip(1, sample.size)
        expected = np.sort(sent)[ranks - 1]
        np.testing.assert_allclose(quantiles[:, 1], expected, atol=1e-3)
        histogram = sets[INDEX["histogram"] + shift]
        inside = (sample >= histogram[0, 0] - 1e-4) & (sample <= histogram[-1, 1] + 1e-4)
        assert histogram[:, 2].sum() == pytest.approx(inside.sum(), abs=2)
        assert len(histogram) == 25
    boxes = sets[INDEX["rounds"]]
    medians = [
        np.median(np.append(latency[sets[0][:, 4] == number], np.full(lost[number], np.inf)))
        for number in range(3)
    ]
    np.testing.assert_allclose(boxes[:, 5], medians, atol=1e-3)


def test_a_data_set_without_rows_keeps_its_place(strange: Made) -> None:
    sets = data_sets(strange[2] / "data" / "latency.same.64B.udp.gpd")
    assert len(sets) == INDEX["rounds"] + 2
    assert np.isnan(sets[INDEX["quantiles"] + 1]).all(), "one sample has no jitter"
    assert not np.isnan(sets[INDEX["quantiles"]]).any()


def test_labels_are_strings_that_gnuplot_loads(made: Made) -> None:
    text = (made[2] / "data" / "latency.same.64B.UDP-socket.stats").read_text(encoding="utf-8")
    assert re.search(r'^latency_stats = "samples .*\\nmedian .* µs\\nMAD ', text, re.MULTILINE)
    assert re.search(r'^jitter_stats = "samples ', text, re.MULTILINE)


def test_the_table_has_the_figures_of_the_campaign(made: Made) -> None:
    _, campaign, folder = made
    with (folder / "data" / "latency.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["case"]: row for row in csv.DictReader(file)}
    half = campaign.case("udp-1024").rtt_2
    assert half is not None
    row = rows["udp-1024"]
    assert float(row["latency_median_us"]) == pytest.approx(half.median.value / 1e3)
    assert float(row["latency_mad_us"]) == pytest.approx(half.mad_ns / 1e3)
    assert float(row["latency_max_us"]) == pytest.approx(half.max_ns / 1e3)
    assert row["size_bytes"] == "1024"
    assert "search" not in rows, "what has no latency is not in it"
    assert float(rows["udp-64"]["jitter_percent_of_latency"]) > 0


def test_what_is_not_known_is_empty(strange: Made) -> None:
    with (strange[2] / "data" / "latency.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["case"]: row for row in csv.DictReader(file)}
    assert rows["one"]["latency_std_us"] == ""
    assert rows["one"]["jitter_median_us"] == ""
    assert rows["equal"]["latency_mad_us"] == "0"
    assert "lost" not in rows


def test_more_than_ten_cases_are_split(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    rng = np.random.default_rng(1)
    for number in range(12):
        case = build.case(f"c{number}", adapter="udp", settings={"a_long_name": f"v{number}"})
        build.pings(case, 0, samples_around(20_000.0 + number, 40, rng))
    _, _, folder = made_of(build.finish())
    several = [p for p in (folder / "data").glob("latency-percentiles.*") if "curves" in p.name]
    assert sorted(len(data_sets(path)) for path in several) == [2, 10]
    if shutil.which("gnuplot"):
        for path in several:
            run(folder, f"scripts/{path.stem}.gpi")


HARD = [
    "'",
    "''a",
    "a''''b",
    "`date`'",
    "\\'",
    "\\\\'",
    "@a'",
    "'1",
    "#1'2",
    "\\140'",
    "%s'",
    "a'\\n",
    '"',
    "#'",
]


@needs_gnuplot
@settings(max_examples=100, deadline=None)
@given(st.lists(st.text(max_size=40) | st.text("'\"`\\@{}$%# a1", max_size=12), min_size=1))
@example(HARD)
def test_any_text_comes_back_from_gnuplot_as_one_line(texts: list[str]) -> None:
    script = "set print '-'\nset encoding utf8\n" + comment(texts[0])
    script += "".join(f"print {quoted(text)}\n" for text in texts) + f"print {quoted(*texts)}\n"
    done = subprocess.run(["gnuplot"], input=script.encode(), capture_output=True, check=False)
    assert done.stderr == b""
    expected = [one_line(text, 1000) for text in texts]
    assert done.stdout.decode().split("\n")[:-1] == expected * 2


def test_the_same_result_gives_the_same_files(strange: Made, tmp_path: Path) -> None:
    directory, campaign, folder = strange
    _, *others = files("gnuplot", Result(directory), campaign, tmp_path)
    for path in others:
        first = folder / path.relative_to(tmp_path / "gnuplot")
        assert path.read_bytes() == first.read_bytes(), path.name


def test_the_readme_takes_nothing_of_a_label_or_a_name_for_markup(
    strange: Made, tmp_path: Path
) -> None:
    directory, campaign, _ = strange
    cases = [case.model_copy(update={"label": "<b>_c_"} if case.id == "lost" else {})
             for case in campaign.cases]  # fmt: skip
    named = campaign.model_copy(update={"name": "<i> *x*", "cases": cases})
    first, *_ = files("gnuplot", Result(directory), named, tmp_path)
    text = (first.parent / "README.md").read_text(encoding="utf-8")
    assert text.startswith("# gnuplot files of “\\<i\\> \\*x\\*”\n")
    assert "- lost (\\<b\\>\\_c\\_, 64 B): no sample came back" in text


def test_files_of_the_user_stay_and_those_of_an_earlier_report_do_not(
    strange: Made, tmp_path: Path
) -> None:
    directory, campaign, _ = strange
    mine = [tmp_path / "gnuplot" / name for name in
            ("figure1.gpi", "data/measured.csv", "images/figure1.png", "notes.txt")]  # fmt: skip
    for path in mine:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("mine")
    old = files("gnuplot", Result(directory), campaign, tmp_path)
    assert not set(old) & set(mine)
    none = campaign.model_copy(update={"cases": [], "groups": [], "interop": [], "fits": []})
    new = files("gnuplot", Result(directory), none, tmp_path)
    assert len(new) < len(old) and all(path.exists() for path in new)
    assert not any(path.exists() for path in set(old) - set(new))
    assert [path.read_text() for path in mine] == ["mine"] * 4


def test_a_campaign_without_a_round_has_scripts_that_do_nothing(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    build.case("udp-1")
    _, _, folder = made_of(build.finish(finished_utc=None))
    told = (folder / "README.md").read_text(encoding="utf-8")
    assert "- udp-1 (UDP socket, 64 B): not run, no round of it was begun" in told
    assert not list((folder / "scripts").iterdir())
    if shutil.which("gnuplot"):
        assert run(folder, "plot-all.gpi") == []
