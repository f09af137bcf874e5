"""Cases overlaid in one chart, whatever they differ in."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from click.testing import CliRunner
from seams import command as busmark
from seams import done
from synthetic_campaign import Builder, samples_around

from busmark.errors import UserError
from busmark.facts import adapter_facts
from busmark.model.naming import Label
from busmark.present.charts import look
from busmark.present.sinks.panels import overlay_data
from busmark.present.vega.parts import LegendEntry, legend

if TYPE_CHECKING:
    from conftest import Results


@pytest.fixture
def directory(results: Results) -> Path:
    return results("before-participants")


def test_the_command_writes_them_to_a_folder_of_their_own(directory: Path, tmp_path: Path) -> None:
    words = ["report", str(directory), "--to", "svg", "--out", str(tmp_path), "--overlay"]
    done = CliRunner().invoke(busmark, [*words, "#000,#001"], catch_exceptions=False)
    assert all((tmp_path / "overlay" / "svg") == Path(line).parent
               for line in done.stdout.splitlines())  # fmt: skip


@pytest.mark.parametrize(
    ("forms", "cases", "message"),
    [("svg", "nothing", "no case 'nothing'"), ("svg", "*", "a chart has one to 10"),
     ("svg", ",", "names 0 cases"), ("svg,html", "#000", "Name only png, svg, pdf, gnuplot")],
)  # fmt: skip
def test_what_cannot_be_overlaid_is_refused(
    directory: Path, tmp_path: Path, forms: str, cases: str, message: str
) -> None:
    words = ["report", str(directory), "--out", str(tmp_path), "--to", forms, "--overlay", cases]
    with pytest.raises(UserError, match=re.escape(message)):
        CliRunner().invoke(busmark, words, catch_exceptions=False)


@pytest.fixture(scope="module")
def ten(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the chart of ten cases of one adapter."""
    folder = tmp_path_factory.mktemp("ten")
    build = Builder(folder / "result")
    for n in range(10):
        case = build.case(f"udp-{n}", size=64 << n)
        build.pings(case, 0, samples_around(20_000 + 2000 * n, 200, np.random.default_rng(n)))
    done("report", build.finish(), "--to", "gnuplot,svg", "--overlay", "*", "--out", folder)
    return folder / "overlay"


def test_ten_cases_of_one_adapter_have_ten_looks_and_whole_names(ten: Path) -> None:
    script = (ten / "gnuplot" / "scripts" / "latency-quantiles.same.gpi").read_text(
        encoding="utf-8"
    )
    keys = re.findall(r"keyentry with (.+?) title ([\"'])(.+?)\2", script)
    looks = {(re.findall(r"dt (\S+)", of)[0], re.findall("#[0-9A-F]{6}", of)[0])
             for of, _, _ in keys}  # fmt: skip
    assert len(keys) == len(looks) == 10
    assert len({dash for dash, _ in looks}) == 10, "on paper without colours, too"
    drawn = (ten / "svg" / "latency-quantiles.same.svg").read_text(encoding="utf-8")
    words = " ".join(re.findall("<text[^>]*>([^<]*)<", drawn))
    assert "…" not in words
    for _, _, name in keys:
        assert all(word in words for word in re.split(r"\\n| ", name)), name
    colours = {colour for _, colour in looks}
    paths = re.findall("<path[^>]*>", drawn)
    strokes = [dict(re.findall('(stroke[a-z-]*)="([^"]*)"', path)) for path in paths]
    lines = {
        (of["stroke"].upper(), of["stroke-dasharray"])
        for of in strokes
        if {"stroke", "stroke-dasharray"} <= {*of}
    }
    assert len({line for line in lines if line[0] in colours}) == 10


def test_a_name_longer_than_the_plot_is_broken_into_lines_and_not_cut() -> None:
    names = [
        f"eProsima Fast DDS, shared memory, best effort, {size} KiB, other CPUs" for size in (4, 8)
    ]
    (layer,) = legend([LegendEntry(name, "#000000", "") for name in names], em=7.0, width=120.0)
    shown = layer["encoding"]["shape"]["legend"]
    assert [" ".join(value.split("\n")) for value in shown["values"]] == names
    assert "split" in shown["labelExpr"] and all("\n" in value for value in shown["values"])


def test_the_page_has_ten_looks_for_cases_of_one_adapter() -> None:
    looks = overlay_data([Label(text="UDP socket", adapter="udp")])["places"]
    assert len({each["colour"] for each in looks}) == len(looks) == 10
    assert len({str(each["dash"]) for each in looks}) == 10, "on paper without colours, too"


def test_ten_adapters_keep_their_colours_and_differ_without_them(tmp_path: Path) -> None:
    build, names = Builder(tmp_path / "result"), [*adapter_facts()][:10]
    for n, name in enumerate(names):
        case = build.case(name, adapter=name)
        build.pings(case, 0, samples_around(20_000 + 2000 * n, 200, np.random.default_rng(n)))
    done("report", build.finish(), "--to", "gnuplot", "--overlay", "*", "--out", tmp_path)
    (script,) = (tmp_path / "overlay" / "gnuplot" / "scripts").glob("latency-quantiles*.gpi")
    keys = re.findall(r"keyentry with (.+?) title", script.read_text(encoding="utf-8"))
    assert len({re.findall(r"dt (\S+)", of)[0] for of in keys}) == len(keys) == 10
    colours = {re.findall("#[0-9A-F]{6}", of)[0] for of in keys}
    assert colours == {look.look_of(name).colour for name in names}
