"""On paper and in gnuplot, findings stand on the charts that they concern, as on the page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from flagged_campaigns import DROPPED, STOLEN, TWO_MODES, flagged_campaign

from busmark.analysis import Campaign
from busmark.cli.main import busmark
from busmark.errors import UserError
from busmark.report import formats
from busmark.report.drawing.charts import CHARTS
from busmark.report.drawing.flagged import Findings
from busmark.report.figures import theme
from busmark.report.figures.kind import Drawing, Source
from busmark.report.figures.kinds import ALL
from busmark.report.html.charts import draw_all
from busmark.store import Result


@pytest.fixture(scope="module")
def flagged(campaign: Campaign) -> Campaign:
    """See `flagged_campaign`."""
    return flagged_campaign(campaign)


def drawn(campaign: Campaign, key: str) -> dict[str, Drawing]:
    """Charts of a kind by their names."""
    (kind,) = (kind for kind in ALL if kind.name == key)
    with theme.applied():
        return {each.name: each for each in kind.draw(Source(campaign), kind)}


def texts(drawing: Drawing) -> str:
    """All that is written on it."""
    parts = [text.get_text() for text in drawing.figure.texts]
    parts += [text.get_text() for legend in drawing.figure.legends for text in legend.get_texts()]
    parts += [text.get_text() for axes in drawing.figure.axes for text in axes.get_yticklabels()]
    return " ".join(" ".join(parts).split())


def test_letters_stand_behind_names_and_a_line_explains_them(flagged: Campaign) -> None:
    found = drawn(flagged, "latency-medians")
    shown = texts(found["latency-medians.same.64B"])
    assert "UDP socket [!a,d]" in shown
    assert "TCP socket [!a]" in shown
    assert re.search(r"Cyclone DDS(?! \[)", shown)
    line = found["latency-medians.same.64B"].findings
    assert re.fullmatch(
        rf"Findings \(! warning\): !a: {TWO_MODES}, in 3 of \d+ cases, a warning in 2; "
        r"d: Something else, in 1 of \d+ cases\.", line
    )  # fmt: skip
    assert line in shown
    others = [each for name, each in found.items() if name != "latency-medians.same.64B"]
    assert others and not any(each.findings or "[!" in texts(each) for each in others)


def test_every_chart_on_paper_has_the_findings_of_the_page(flagged: Campaign) -> None:
    on_page = {
        title
        for charts in draw_all(flagged).values()
        for chart in charts
        for panel in chart.panels
        for title in ((chart.id, kind.title) for kind in panel.flags)
    }
    paper = Findings(flagged)
    on_paper = set()
    for chart in CHARTS:
        for each in chart.draw(flagged, chart.cases(flagged)):  # type: ignore[attr-defined]
            _, line = paper.on(chart.figures, each.members, each)
            place = chart.place.id if chart.place else chart.key
            found = (TWO_MODES, STOLEN, DROPPED, "Something else")
            on_paper |= {(place, title) for title in found if title in line}
    assert on_paper == on_page
    assert ("latency-distribution", DROPPED) in on_paper


def test_a_field_of_a_heat_map_has_the_letters_of_its_case(flagged: Campaign) -> None:
    (heat,) = (chart for chart in CHARTS if chart.key == "latency-heat")
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
    (size,) = (chart for chart in CHARTS if chart.key == "latency-size")
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
    asked, nothing = formats.chosen("gnuplot"), Result.__new__(Result)
    for plain in (False, True):
        first, *files = formats.write(nothing, few, asked, tmp_path, plain=plain)["gnuplot"]
        script = next(path for path in files if path.name == "latency-size.same.gpi")
        text = script.read_text(encoding="utf-8")
        assert ("UDP socket [" in text, f"!a: {TWO_MODES}" in text) == (not plain, not plain)
        readme = (first.parent / "README.md").read_text(encoding="utf-8")
        assert (TWO_MODES in readme) != plain


def test_findings_can_be_left_out_of_charts_for_print(
    flagged: Campaign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = [kind for kind in ALL if kind.name == "latency-medians"]
    monkeypatch.setattr("busmark.report.figures.write.ALL", few)
    asked, nothing = formats.chosen("svg"), Result.__new__(Result)
    clean = flagged.model_copy(update={"findings": []})
    files = [
        formats.write(nothing, campaign, asked, tmp_path / name, plain=plain)["svg"]
        for name, campaign, plain in (
            ("with", flagged, False), ("plain", flagged, True), ("none", clean, False),
        )
    ]  # fmt: skip
    with_, plain, none = ([path.read_bytes() for path in each] for each in files)
    assert plain == none != with_
    assert TWO_MODES in files[0][0].read_text(encoding="utf-8"), "the list has them, too"


def test_the_page_always_has_its_findings(tmp_path: Path) -> None:
    words = ["report", str(tmp_path), "--to", "html,csv", "--no-findings"]
    with pytest.raises(UserError, match="for print only") as refused:
        CliRunner().invoke(busmark, words, catch_exceptions=False)
    assert "png, svg, pdf, gnuplot" in (refused.value.remedy or "")
