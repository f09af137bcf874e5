"""Cases overlaid in one chart, whatever they differ in."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from busmark.compare.campaign import Campaign, summarise
from click.testing import CliRunner
from kept_results import unpack

from busmark.cli.main import busmark
from busmark.errors import UserError
from busmark.present.charts import look
from busmark.present.charts.kinds import CHARTS
from busmark.present.charts.overlay import overlay
from busmark.store import Result


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kept")
    unpack(folder)
    return next((folder / "before-participants").rglob("manifest.json")).parent


@pytest.fixture(scope="module")
def whole(directory: Path) -> Campaign:
    return summarise(Result(directory))


def test_cases_of_different_sizes_are_curves_of_one_chart(whole: Campaign) -> None:
    chosen = [case for case in whole.cases if case.test == "latency" and case.rtt_2][:4]
    assert len({(case.size, case.placement, *case.workload.values()) for case in chosen}) > 1
    found = overlay(whole, {case.id for case in chosen})
    (kind,) = (kind for kind in CHARTS if kind.key == "latency-quantiles")
    (picture,) = kind.draw(found, kind.cases(found))
    own = [curve for curve in picture.curves if not look.is_null(curve.label)]
    looks = {(look.colour(c.label), look.dash(c.label), look.symbol(c.label)) for c in own}
    assert len({curve.name for curve in own}) == len(own) == len(looks)
    for case in chosen:
        (alone,) = (c for p in kind.draw(whole, [case]) for c in p.curves if c.name == case.label)
        assert any(curve.points == alone.points for curve in own)


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
