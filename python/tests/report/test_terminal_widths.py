"""What the terminal's tables leave out at which width, and what they never do."""

from __future__ import annotations

import io

import pytest
from varied_campaigns import CHOICES, NAMES, alike_campaign, varied_campaign

from busmark.analysis import Campaign
from busmark.report.html.blocks import Block
from busmark.report.interop import HeatCell, HeatMap
from busmark.report.roomy import RoomyConsole
from busmark.report.tables import tables
from busmark.report.terminal import _heat_map, print_block, show

WIDTHS = (80, 120, 200)


@pytest.fixture(scope="module")
def varied(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    return varied_campaign(tmp_path_factory.mktemp("varied"))


@pytest.fixture(scope="module")
def alike(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    return alike_campaign(tmp_path_factory.mktemp("alike"))


def printed(campaign: Campaign, width: int | None, *, wide: bool = False) -> str:
    """As a terminal of this width shows it; None: as a pipe gets it."""
    out = io.StringIO()
    show(
        campaign,
        RoomyConsole(file=out, width=width or 80, force_terminal=width is not None,
                     color_system=None, wide=wide),
    )  # fmt: skip
    return out.getvalue()


def table_of(text: str) -> list[str]:
    """Lines from the heading of the first table to what follows its rows."""
    lines = text[text.index("Round-trip latency on one CPU") :].splitlines()[1:]
    return lines[: lines.index("")] if "" in lines else lines


@pytest.mark.parametrize("width", WIDTHS)
def test_every_column_is_shown_or_named(varied: Campaign, width: int) -> None:
    lines = table_of(printed(varied, width))
    assert max(map(len, lines)) <= width
    (rule,) = [n for n, line in enumerate(lines) if line.startswith("──")]
    heading = " ".join(lines[rule - 2 : rule]).lower()
    told = " ".join(" ".join(lines[rule:]).split()).lower()
    hidden = told.partition("hidden: ")[2].partition(". widen")[0].split(", ")
    columns = {c.title.lower() for t in tables(varied)[:1] for c in t.columns} - {"size"}
    assert {title for title in columns if title in heading} == columns - set(hidden)
    assert ("use --wide" in told) == bool(columns & set(hidden))
    assert not {"lost", "transport", "reliability", "median rtt/2"} & set(hidden)


@pytest.mark.parametrize("width", WIDTHS)
def test_transport_reliability_and_loss_are_beside_every_name(varied: Campaign, width: int) -> None:
    lines = table_of(printed(varied, width))
    for adapter, (transport, qos) in CHOICES.items():
        found = [n for n, line in enumerate(lines) if line.startswith(NAMES[adapter])]
        assert len(found) == 2, "no name is broken"
        for at in found:
            row = " ".join(lines[at : at + 2])
            assert transport in row and qos["reliability"].replace("_", " ") in row
            if adapter == "udp":
                assert "1.3 %" in row


def test_a_pipe_gets_everything_and_so_does_who_asks_for_it(varied: Campaign) -> None:
    columns = [c.title for t in tables(varied)[:1] for c in t.columns if c.title != "Size"]
    for text in (printed(varied, None), printed(varied, 80, wide=True)):
        lines = table_of(text)
        assert "hidden" not in text
        head = next(line for line in lines if "Median RTT/2" in line)
        assert all(title in head for title in columns), head
        assert "40 of" not in text and any("120 (1.3 %)" in line for line in lines)
    prose = [line for line in printed(varied, None).splitlines() if line.startswith("RTT/2 is")]
    assert prose and max(map(len, prose)) <= 80, "sentences are wrapped all the same"


@pytest.mark.parametrize("width", [*WIDTHS, None])
def test_what_is_the_same_in_all_rows_stands_above_them(alike: Campaign, width: int | None) -> None:
    lines = table_of(printed(alike, width))
    above = " ".join(" ".join(lines[:3]).split())
    assert above.startswith(
        "All rows but the null adapter's: Cyclone DDS, 64 B, transport udp, reliable. "
        "All rows: none lost, 3 rounds. History"
    )
    rows = [line for line in lines if line.startswith("keep last")]
    assert [line.split("  ")[0] for line in rows] in (
        ["keep last 1", "keep last 8"], ["keep last 8", "keep last 1"],
    )  # fmt: skip
    assert not any(line.startswith("64 B") for line in lines)


@pytest.mark.parametrize("width", [40, 80, 200])
def test_no_name_of_a_heat_map_is_broken(width: int) -> None:
    names = ["cyclonedds", "fastdds", "opendds", "rustdds", "dustdds", "zerodds", "rti"]
    cells = [HeatCell("12.3", 0.5, "", "ok", case="x")] * len(names)
    heat = HeatMap("x", "Median", "A note.", names, names, [(name, [*cells]) for name in names], ())
    out = io.StringIO()
    _heat_map(heat, RoomyConsole(file=out, width=width, force_terminal=True, color_system=None))
    lines = out.getvalue().splitlines()
    assert max(map(len, lines)) <= width
    heads = [line.split()[3:] for line in lines if line.startswith("writer")]
    assert [name for head in heads for name in head] == names
    assert sum(line.count("12.3") for line in lines) == len(names) ** 2


@pytest.mark.parametrize("width", [40, 80, 200])
def test_no_word_of_a_small_table_is_broken(width: int) -> None:
    heads = ("flow", "to be read, 1/s", "written, 1/s", "read, 1/s", "expected", "received", "lost")
    row = ("stream_0 … stream_39", "8 000", "7 993 [7 958, 8 028]", "7 991 [7 944, 8 038]",
           "4 800", "4 800", "criteria.min_samples")  # fmt: skip
    out = io.StringIO()
    console = RoomyConsole(file=out, width=width, force_terminal=True, color_system=None)
    print_block(Block("Between participants", heads, [row]), console)
    text = out.getvalue()
    assert max(map(len, text.splitlines())) <= width
    words = {word for cell in (*heads, *row) for word in cell.split()}
    assert words - set(text.split()) == set()
