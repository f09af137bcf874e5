"""Colours, marks and dashes: of each adapter its own, to be seen by everybody, in every form."""

from __future__ import annotations

import json
import re
import zipfile
from colorsys import rgb_to_hls
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from drawn import draw_all
from form_files import files, sheets
from specifications import scales, styled
from synthetic_campaign import Builder, samples_around

from busmark.compare.campaign import Campaign, summarise
from busmark.model.naming import Label
from busmark.present.blocks import charts as blocks
from busmark.present.blocks import working
from busmark.present.charts import look
from busmark.present.charts.kinds import CURVES, KINDS
from busmark.present.document import Document
from busmark.present.pages import render
from busmark.present.sinks.print import chart
from busmark.present.sinks.workbook import workbook
from busmark.store import Result

ROOT = Path(__file__).parents[3]
WHITE, DARK = "#FFFFFF", "#14171A"

BLINDNESS = {
    "protan": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216),
               (-0.003882, -0.048116, 1.051998)),
    "deutan": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413),
               (-0.011820, 0.042940, 0.968881)),
    "tritan": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602),
               (0.004733, 0.691367, 0.303900)),
}  # fmt: skip
"""Machado, Oliveira and Fernandes 2009, of severity 1, for linear light."""

TO_XYZ = ((0.4124564, 0.3575761, 0.1804375), (0.2126729, 0.7151522, 0.0721750),
          (0.0193339, 0.1191920, 0.9503041))  # fmt: skip


def lab(light: np.ndarray) -> np.ndarray:
    xyz = np.array(TO_XYZ) @ light / (0.95047, 1.0, 1.08883)
    x, y, z = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def apart(first: np.ndarray, second: np.ndarray) -> float:
    """CIEDE2000 of two colours in CIELAB."""
    (l1, a1, b1), (l2, a2, b2) = first, second
    chroma = (np.hypot(a1, b1) + np.hypot(a2, b2)) / 2
    g = (1 - np.sqrt(chroma**7 / (chroma**7 + 25**7))) / 2
    c1, c2 = np.hypot(a1 * (1 + g), b1), np.hypot(a2 * (1 + g), b2)
    h1, h2 = (np.degrees(np.arctan2(b, a * (1 + g))) % 360 for a, b in ((a1, b1), (a2, b2)))
    turn = (h2 - h1 + 180) % 360 - 180 if c1 * c2 else 0.0
    d_hue = 2 * np.sqrt(c1 * c2) * np.sin(np.radians(turn / 2))
    light, chroma, hue = (l1 + l2) / 2, (c1 + c2) / 2, (h1 + turn / 2) % 360

    def cos(times: float, minus: float) -> float:
        return float(np.cos(np.radians(times * hue - minus)))

    t = 1 - 0.17 * cos(1, 30) + 0.24 * cos(2, 0) + 0.32 * cos(3, -6) - 0.2 * cos(4, 63)
    around = 30 * np.exp(-(((hue - 275) / 25) ** 2))
    rotated = -2 * np.sqrt(chroma**7 / (chroma**7 + 25**7)) * np.sin(np.radians(2 * around))
    by_light = (l2 - l1) / (1 + 0.015 * (light - 50) ** 2 / np.sqrt(20 + (light - 50) ** 2))
    by_chroma = (c2 - c1) / (1 + 0.045 * chroma)
    by_hue = d_hue / (1 + 0.015 * chroma * t)
    return float(np.sqrt(by_light**2 + by_chroma**2 + by_hue**2 + rotated * by_chroma * by_hue))


def light(colour: str) -> np.ndarray:
    return np.array(look._linear(colour))


def seen(colour: str, blindness: str) -> np.ndarray:
    return lab(np.clip(np.array(BLINDNESS[blindness]) @ light(colour), 0, 1))


def of(adapter: str, variant: int = 0) -> Label:
    return Label(text=f"{adapter} {variant}", adapter=adapter, variant=variant)


def test_every_adapter_that_ships_has_a_look_of_its_own() -> None:
    listed = json.loads((ROOT / "docs/reference/adapters.json").read_text(encoding="utf-8"))
    assert {one["name"] for one in listed.values()} <= set(look.SHIPPED)
    looks = [own.colour for own in look.SHIPPED.values()]
    assert len(set(looks)) == len(looks)


def test_colours_can_be_told_apart_with_any_colour_vision() -> None:
    every = [own.colour for own in look.SHIPPED.values()] + list(look.FURTHER)
    for first, second in combinations(every, 2):
        assert apart(lab(light(first)), lab(light(second))) >= 11, (first, second)
    known = [own for name, own in look.SHIPPED.items() if name != look.FLOOR]
    for one, other in combinations(known, 2):
        for blindness in BLINDNESS:
            distance = apart(seen(one.colour, blindness), seen(other.colour, blindness))
            assert distance >= 4, (one, other, blindness)
            # What looks much alike to somebody has another mark and another dash.
            assert distance >= 7 or (one.mark != other.mark and one.dash != other.dash)


def test_lines_have_a_contrast_of_three_to_one_on_white_and_on_the_dark_page() -> None:
    names = [*look.SHIPPED, "somebody's", "ddsx", "another", "x", "y", "z", "", "zz"]
    for name in names:
        for variant in range(20):
            for ground in (WHITE, DARK):
                colour = look.colour(of(name, variant))
                assert look.contrast(colour, ground) >= 3, (name, variant, colour, ground)


def test_an_adapter_of_a_users_own_looks_the_same_in_every_process() -> None:
    assert look.look_of("my-bus") == look.Look("#3C96E1", 161, 209)


def test_variants_share_the_hue_and_differ_in_all_else() -> None:
    for name in ("cyclonedds", "my-bus"):
        labels = [of(name, variant) for variant in range(6)]
        hues = [
            rgb_to_hls(*(int(look.colour(label)[i : i + 2], 16) / 255 for i in (1, 3, 5)))[0]
            for label in labels
        ]
        assert max(hues) - min(hues) < 0.04
        assert len({look.symbol(label) for label in labels}) == len(labels)
        assert len({look.dash(label) for label in labels}) == len(labels)
        assert len({look.colour(label) for label in labels[:3]}) == 3


def measured(directory: Path, names: tuple[str, ...]) -> Path:
    """Latency and throughput of these adapters at two sizes."""
    build, rng = Builder(directory), np.random.default_rng(5)
    for adapter in names:
        for size in (64, 1024):
            case = build.case(f"{adapter}-{size}", adapter=adapter, size=size)
            for number in range(2):
                build.pings(case, number, samples_around(12_000, 300, rng))
            case = build.case(f"flood-{adapter}-{size}", test="throughput", adapter=adapter,
                              size=size)  # fmt: skip
            for number in range(2):
                build.stream(case, number, 20_000 + 1000 * number, size)
    return build.finish(adapters={name: {"name": name, "title": name} for name in names})


def drawn(campaign: Campaign, folder: Path) -> dict[str, str]:
    """What each form makes of the label `tcp`, and of it only: its pages, files and pictures."""
    (label,) = (label for label in campaign.labels if label.adapter == "tcp")
    found = {}
    (folder / "report.html").write_text(render(campaign), encoding="utf-8")
    page = (folder / "report.html").read_text(encoding="utf-8")
    marks = set(
        re.findall(r'style="color:(#\w{6})" aria-hidden="true">(.)</span>(?:<a [^>]*>)?tcp', page)
    )
    (found["table"],) = (" ".join(mark) for mark in marks)
    lines = [
        layer["encoding"] for charts in draw_all(campaign).values() for chart in charts
        for panel in chart.panels for layer in styled(panel.spec, "curve")
    ]  # fmt: skip
    looks = {
        tuple(json.dumps(scale["range"][scale["domain"].index(label.text)])
              for scale in (line[name]["scale"] for name in ("color", "strokeDash")))
        for line in lines if label.text in line["color"]["scale"]["domain"]
    }  # fmt: skip
    (found["chart"],) = (" ".join(look) for look in looks)
    kind = next(kind for kind in KINDS if kind.key == "latency-size")
    (sheet,) = sheets(campaign, kind)
    own = {colour for name, colour in scales(chart(sheet), "color") if name == label.text}
    found["print"] = " ".join(own)
    charts = Document("", [], [*blocks.charts(campaign, CURVES)])
    workbook(charts, folder / "report.xlsx")
    with zipfile.ZipFile(folder / "report.xlsx") as book:
        parts = [book.read(n).decode() for n in book.namelist() if "charts/chart" in n]
    series = [s for part in parts for s in re.findall(r"<c:ser>.*?</c:ser>", part, re.S)]
    own = {re.findall(r'srgbClr val="(\w+)"', one)[0] for one in series if "<c:v>tcp</c:v>" in one}
    found["workbook"] = " ".join(sorted(own))
    source = working.opening(campaign, "r").blocks[-1].text
    found["notebook"] = re.findall(rf"'{label.text}': '(#\w+)'", source)[0]
    return found


def test_an_adapter_looks_the_same_whatever_else_was_measured(tmp_path: Path) -> None:
    found = []
    for number, names in enumerate((("tcp", "udp"), ("cyclonedds", "fastdds", "tcp"), ("tcp",))):
        directory = measured(tmp_path / str(number) / "result", names)
        result = Result(directory)
        campaign = summarise(result)
        forms = drawn(campaign, tmp_path / str(number))
        files("gnuplot", result, campaign, directory)
        scripts = (directory / "gnuplot" / "scripts").glob("*.gpi")
        text = "".join(path.read_text(encoding="utf-8") for path in scripts)
        (forms["gnuplot"],) = set(re.findall(r"keyentry .*(#\w+)' .*title 'tcp'", text))
        found.append(forms)
    assert found[0] == found[1] == found[2]
    assert set(found[0]) == {"table", "chart", "print", "workbook", "notebook", "gnuplot"}
    assert all(look.colour(of("tcp")).strip("#") in shown for shown in found[0].values()), found


@pytest.mark.parametrize("ground", ["#FEE838", "#00224E", "#7C7B78", "#958E78", "#A69C75"])
def test_text_on_a_colour_can_be_read(ground: str) -> None:
    assert look.contrast(look.ink(ground), ground) >= 4.5
