"""On paper and in gnuplot, findings stand on the charts that they concern, as on the page."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest
import vl_convert
from busmark.present.drawings import Drawing
from click.testing import CliRunner
from drawn import draw_all
from flagged_campaigns import DROPPED, STOLEN, TWO_MODES, flagged_campaign
from form_files import files, sheets

from busmark.cli.main import busmark
from busmark.compare.campaign import Campaign
from busmark.errors import UserError
from busmark.findings.kinds import kinds
from busmark.present.charts.flagged import Findings
from busmark.present.charts.kinds import CHARTS, KINDS
from busmark.present.sinks.print import chart
from busmark.store import Result


@pytest.fixture(scope="module")
def flagged(campaign: Campaign) -> Campaign:
    """See `flagged_campaign`."""
    return flagged_campaign(campaign)


def drawn(campaign: Campaign, key: str) -> dict[str, Drawing]:
    """Sheets of a kind by their names."""
    (kind,) = (kind for kind in KINDS if kind.key == key)
    return {each.name: each for each in sheets(campaign, kind)}


def texts(sheet: Drawing) -> str:
    """All that is written on it."""
    svg = vl_convert.vegalite_to_svg(chart(sheet))
    parts = re.findall(r"<(?:text|tspan)[^>]*>([^<]+)<", svg)
    return " ".join(html.unescape(" ".join(parts)).split())


def test_letters_stand_behind_names_and_a_line_explains_them(flagged: Campaign) -> None:
    found = drawn(flagged, "latency-medians")
    shown = texts(found["latency-medians.same.64B"])
    assert "UDP socket [!a,d]" in shown
    assert "TCP socket [!a]" in shown
    assert re.search(r"Cyclone DDS(?! \[)", shown)
    line = found["latency-medians.same.64B"].note
    assert re.fullmatch(
        rf"Findings \(! warning\): !a: {TWO_MODES}, in 3 of \d+ cases, a warning in 2; "
        r"d: Something else, in 1 of \d+ cases\.", line
    )  # fmt: skip
    assert line in shown
    others = [each for name, each in found.items() if name != "latency-medians.same.64B"]
    assert others and not any(each.note or "[!" in texts(each) for each in others)


def test_every_chart_on_paper_has_the_findings_of_the_page(flagged: Campaign) -> None:
    titles = {kind.mark: kind.title for kind in kinds(flagged.findings)}
    on_page = {
        title
        for charts in draw_all(flagged).values()
        for shown in charts
        for panel in shown.panels
        for title in ((shown.id, titles[mark]) for mark in panel.marks)
    }
    paper = Findings(flagged)
    on_paper = set()
    for kind in CHARTS:
        for each in kind.draw(flagged, kind.cases(flagged)):  # type: ignore[attr-defined]
            _, line = paper.on(kind.figures, each.members, each)
            place = kind.place.id if kind.place else kind.key
            found = (TWO_MODES, STOLEN, DROPPED, "Something else")
            on_paper |= {(place, title) for title in found if title in line}
    assert on_paper == on_page
    assert ("latency-distribution", DROPPED) in on_paper


def test_a_field_of_a_heat_map_has_the_letters_of_its_case(flagged: Campaign) -> None:
    (heat,) = (kind for kind in CHARTS if kind.key == "latency-heat")
    fields = {
        field.case: field.text
        for each in heat.draw(flagged, heat.cases(flagged))  # type: ignore[attr-defined]
        for _, row in Findings(flagged).on(heat.figures, each.members, each)[0].rows
        for field in row
        if field
    }
    assert fields["udp-64-same"].endswith("\n!a,d")
    assert "\n" not in fields["cyclonedds-64-same"]


def test_long_names_keep_their_letters(flagged: Campaign) -> None:
    (size,) = (kind for kind in CHARTS if kind.key == "latency-size")
    for each in size.draw(flagged, size.cases(flagged)):  # type: ignore[attr-defined]
        shown, line = Findings(flagged).on(size.figures, each.members, each, 12)
        names = [curve.name for curve in shown.curves if "[" in curve.name]
        assert bool(names) == bool(line)
        assert all(len(name) <= 12 and re.search(r"\[!?[a-d,!]+\]$", name) for name in names)


def test_scripts_of_gnuplot_have_letters_and_line_unless_left_out(
    flagged: Campaign, tmp_path: Path
) -> None:
    few = flagged.model_copy(update={"cases": [
        case.model_copy(update={"series": None}) for case in flagged.cases
    ]})  # fmt: skip
    nothing = Result.__new__(Result)
    for plain in (False, True):
        first, *others = files("gnuplot", nothing, few, tmp_path, plain=plain)
        script = next(path for path in others if path.name == "latency-size.same.gpi")
        text = script.read_text(encoding="utf-8")
        assert ("UDP socket [" in text, f"!a: {TWO_MODES}" in text) == (not plain, not plain)
        readme = (first.parent / "README.md").read_text(encoding="utf-8")
        assert (TWO_MODES in readme) != plain


def test_findings_can_be_left_out_of_charts_for_print(
    flagged: Campaign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = [kind for kind in KINDS if kind.key == "latency-medians"]
    monkeypatch.setattr("busmark.present.blocks.charts.KINDS", few)
    nothing = Result.__new__(Result)
    clean = flagged.model_copy(update={"findings": []})
    made = [
        files("svg", nothing, campaign, tmp_path / name, plain=plain)
        for name, campaign, plain in (
            ("with", flagged, False), ("plain", flagged, True), ("none", clean, False),
        )
    ]  # fmt: skip
    with_, plain, none = ([path.read_bytes() for path in each] for each in made)
    assert plain == none != with_
    assert TWO_MODES in made[0][0].read_text(encoding="utf-8"), "the list has them, too"


def test_the_page_always_has_its_findings(tmp_path: Path) -> None:
    words = ["report", str(tmp_path), "--to", "html,csv", "--no-findings"]
    with pytest.raises(UserError, match="for print only") as refused:
        CliRunner().invoke(busmark, words, catch_exceptions=False)
    assert "png, svg, pdf, gnuplot" in (refused.value.remedy or "")
