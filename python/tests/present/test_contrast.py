"""Every text of a page can be read, in light and in dark: 4.5 to 1, as it is seen in a browser."""

from __future__ import annotations

import io
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest
from PIL import Image
from test_page_in_a_browser import draw_everything
from tools.browser import Browser

TEXTS = """(() => {
  const found = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const node = walk.currentNode, of = node.parentElement;
    if (!node.textContent.trim() || /^(SCRIPT|STYLE|OPTION|TITLE)$/i.test(of.tagName)) continue;
    if (!of.checkVisibility({visibilityProperty: true, opacityProperty: true})) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const box = range.getBoundingClientRect();
    if (box.width < 2 || box.height < 2 || box.right < 0) continue;
    const pane = of.closest(".scroll, nav")?.getBoundingClientRect();
    if (pane && (box.right > pane.right || box.bottom > pane.bottom)) continue;
    const style = getComputedStyle(of);
    let opacity = 1;
    for (let e = of; e; e = e.parentElement) opacity *= Number(getComputedStyle(e).opacity);
    const svg = of.closest("svg") && of.namespaceURI.endsWith("svg");
    found.push([node.textContent.trim().slice(0, 60), box.x + scrollX, box.y + scrollY, box.width,
      box.height, svg ? style.fill : style.color, opacity, Boolean(of.closest("[aria-hidden]"))]);
  }
  return found;
})()"""
"""Every text that is seen: where it stands, and in which colour."""

OPEN = """new Promise((done) => {
  for (const d of document.querySelectorAll("details:not(.case ~ .case)")) d.open = true;
  setTimeout(() => done(document.documentElement.scrollHeight), 300);
})"""

NO_TEXTS = """(() => { const s = document.createElement("style");
  s.textContent = "* { color: transparent !important; transition: none !important }"
    + " svg text, svg tspan { fill: transparent !important; visibility: hidden }"
    + " select { visibility: hidden }";
  document.head.append(s); })()"""
"""What is below the texts remains. The page's policy allows styles of its own."""


WIDTH = 1000
SIGNS = "●■▲◆▼⬟✚✖★○□△◇▽━"
"""Marks, which are drawings though they are written as characters."""


class Text(NamedTuple):
    """One that was seen."""

    text: str
    x: float
    y: float
    width: float
    height: float
    colour: str
    opacity: float
    decoration: bool


def contrast(one: str, other: str) -> float:
    """Return the ratio of WCAG 2.2 between two colours."""

    def luminance(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def coded(parts: tuple[int, ...]) -> str:
    return "#{:02X}{:02X}{:02X}".format(*parts[:3])


def mixed(text: Text, ground: tuple[int, ...]) -> str:
    """Return the text's colour as seen on its ground."""
    numbers = text.colour.partition("(")[2].rstrip(")").replace("/", ",").split(",")
    red, green, blue, *alpha = map(float, numbers)
    share = text.opacity * (alpha[0] if alpha else 1.0)
    own = (red, green, blue)
    return coded(
        tuple(round(share * a + (1 - share) * b) for a, b in zip(own, ground, strict=False))
    )


def unreadable(browser: Browser, folder: Path) -> list[str]:
    """Return texts whose contrast is below 4.5, or 3 for decorations; colours are the picture's."""
    # As high as the page, so that nothing moves when the picture is taken.
    browser.resize(WIDTH, browser.run(OPEN))
    browser.run("new Promise((done) => setTimeout(done, 1000))")
    browser.resize(WIDTH, browser.run("document.documentElement.scrollHeight"))
    draw_everything(browser)
    browser.run("window.scrollTo({top: 0, behavior: 'instant'})")
    texts = [Text(*one) for one in browser.run(TEXTS)]
    assert len(texts) > 100
    browser.run(NO_TEXTS)
    browser.picture(folder / "page.png")
    picture = Image.open(io.BytesIO((folder / "page.png").read_bytes())).convert("RGB")
    found = []
    for text in texts:
        box = (text.x, text.y, text.x + text.width, text.y + text.height)
        within = picture.crop(tuple(map(round, box)))
        (ground, _), *_ = Counter(within.get_flattened_data()).most_common(1)
        ratio = contrast(mixed(text, ground), coded(ground))
        # A mark is a drawing, though it is written as a character.
        if ratio < (3.0 if text.decoration or text.text in SIGNS else 4.5):
            found.append(f"{text.text}: {text.colour} on {coded(ground)}, {ratio:.2f}")
    return found


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_of_a_report_can_be_read(path: Path, tmp_path: Path, scheme: str) -> None:
    with Browser(tmp_path / "profile", width=WIDTH, height=800) as browser:
        browser.prefer(scheme)
        browser.open(path)
        draw_everything(browser)
        assert "\n".join(unreadable(browser, tmp_path)) == ""
