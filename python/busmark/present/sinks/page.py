"""A document as a page: one file, which loads nothing from anywhere.

Charts are drawn by the page's script when they come near the window; what it needs is packed, and
so are the details of cases and the further rows of long tables.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import groupby

from busmark import __version__
from busmark.model.naming import Label
from busmark.present.document import CASES, Chart, Document, ListedCase, Section
from busmark.present.sinks.html import DETAIL, MORE, Page, anchor, key_of, section_html, words_html
from busmark.present.sinks.panels import Panel, overlay_data, panels, script_data
from busmark.present.vega import config
from busmark.present.vega.theme import Theme
from busmark.present.web import script, style
from busmark.present.web.embedded import (
    PackedText,
    Packing,
    as_json,
    drawing_script,
    parts_of,
    plain_json,
)

SCRIPTS = (
    "base",
    "place",
    "bar",
    "filter",
    "tables",
    "wide",
    "cases",
    "choice",
    "overlay",
    "charts",
    "start",
)
"""Parts of the page's script, in their order."""

THEMES: tuple[Theme, ...] = ("light", "dark")
"""Themes of the page; on paper it is light."""

FILTER = """
<form id="filter" role="search" aria-label="Filter of tables, charts and cases" autocomplete="off" \
hidden>
<details>
<summary>Filter<span class="chosen"></span></summary>
<div class="choices">
<label class="words">Find <input type="search" name="words" \
placeholder="words of names and parameters"></label>
</div>
</details>
<output id="filter-count" aria-live="polite"></output>
<button type="reset" hidden>Reset</button>
</form>"""

TURNING = dict.fromkeys(
    (*range(0x202A, 0x202F), *range(0x2066, 0x206A)), "\N{REPLACEMENT CHARACTER}"
)
"""Characters that turn the direction of all that follows in a line, which a name must not."""

TICKED = """
<p id="ticked" hidden><span role="status"></span> <a href="#overlay">Overlay</a> \
<button type="button">Untick all</button></p>"""

OVERLAY = """<section class="part" id="overlay" hidden>
<h2>Overlay of ticked cases</h2>
<p class="note">Up to ten cases that are ticked in the tables, whatever they differ in. The \
address of this page has which: a link to it restores the charts.</p><div></div></section>"""

WITHOUT_SCRIPT = (
    '<noscript><p class="banner warning">The list, the further rows of long tables and the charts '
    "need this page's script, which the viewer does not run.</p></noscript>"
)


def page(document: Document) -> str:
    """Return the page; the same document gives the same bytes."""
    found = [block for each in document.sections for block in each.blocks]
    charts = [block for block in found if isinstance(block, Chart) and block.shapes]
    own, scripts, packed = script(*SCRIPTS), [], {}
    numbers = {entry.id: number for number, entry in enumerate(document.entries)}
    # By the letter of each finding, the element that explains it and its title.
    flags = {
        each.mark.lstrip("!"): (key_of(each), each.title) for each in document.sections if each.mark
    }
    with Packing() as threads:
        drawn: dict[str, Sequence[Panel]] = {}
        if charts:
            scripts.append(drawing_script())
            packed["packed-drawing"] = threads.pack(parts_of(scripts[0]))
            drawn = {chart.key: panels(chart) for chart in charts}
            pieces = _chart_data(drawn, numbers, flags, document.labels)
            packed["packed-charts"] = threads.pack(_unturned(piece) for piece in pieces)
        shown = Page(document.swatches, flags, numbers, drawn, _showing(charts))
        main = "\n".join(_main(document, shown))
        stored = _unturned(_stored(document.entries, shown))
        packed["packed-stored"] = threads.pack(parts_of(stored))
        return _unturned(_whole(document, main, [*scripts, own], packed))


def _unturned(text: str) -> str:
    # Looking for a few characters takes a tenth of the time of replacing them.
    return text.translate(TURNING) if any(map(text.__contains__, map(chr, TURNING))) else text


def _whole(
    document: Document, main: str, scripts: Sequence[str], packed: Mapping[str, PackedText]
) -> str:
    """Return the page around its sections."""
    large = "".join(
        f'<script type="application/octet-stream" id="{name}">{data}</script>\n'
        for name, data in packed.items()
    )
    lines = "".join(f'<p class="question">{escape(line)}</p>\n' for line in document.lines)
    links = "".join(
        f'<p><a href="{escape(address)}">{escape(words)}</a></p>\n'
        for words, address in document.links
    )
    index = ""
    if document.entries:
        data = as_json(_index(document.entries))
        index = f'<script type="application/json" id="data-cases">{data}</script>\n'
    first = next((_target(each) for each in document.sections if each.title), "main")
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy(scripts)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="Busmark {__version__}">
<title>{escape(document.title)} · Busmark</title>
<style>{style()}</style>
</head>
<body>
<a class="skip" href="#{escape(first)}">Skip to the contents</a>
<header>
<p class="brand">Busmark {escape(document.kind)}</p>
<h1>{escape(document.title)}</h1>
{lines}{links}</header>
<div class="bar"><nav aria-label="Contents">{_contents(document.sections)}</nav>\
{FILTER if document.entries else ""}{TICKED if document.entries and packed else ""}</div>
<main id="main">
{main}
</main>
<footer><p>Written by Busmark {__version__}. This page loads nothing from anywhere.</p></footer>
{index}{large}<script>{scripts[-1]}</script>
</body>
</html>
"""


def _target(section: Section) -> str:
    return part_key(section.part) if section.part else key_of(section)


def part_key(part: str) -> str:
    """Return the identifier of the heading over sections of a part."""
    return f"part-{part.lower().replace(' ', '-')}"


def _contents(sections: Sequence[Section]) -> str:
    named = dict.fromkeys((each.part or each.title, _target(each)) for each in sections)
    return "".join(
        f'<a href="#{escape(target)}">{escape(title)}</a>' for title, target in named if title
    )


def _main(document: Document, page: Page) -> Iterator[str]:
    """Yield sections, with the heading of a part before its first."""
    for part, own in groupby(document.sections, key=lambda section: section.part):
        if part:
            yield f'<h2 id="{escape(part_key(part))}">{escape(part)}</h2>'
        for section in own:
            if section.key == CASES:
                if page.panels:
                    yield OVERLAY
                yield from _cases(section)
            else:
                yield section_html(section, page, level=3 if part else 2)


def _cases(section: Section) -> Iterator[str]:
    """Yield the list of cases, which the script fills."""
    yield f'<section class="part" id="{CASES}">'
    yield f"<h2>{escape(section.title)}</h2>"
    yield "".join(f'<p class="note">{words_html(str(block))}</p>' for block in section.blocks)
    yield f'{WITHOUT_SCRIPT}<div id="case-list"></div>{MORE.format("cases")}</section>'


def _index(entries: Sequence[ListedCase]) -> dict[str, object]:
    """Return what each case is found by, and its line in the list."""
    names = list(dict.fromkeys(name for entry in entries for name in entry.values))
    cases = [
        {
            "id": entry.id,
            "anchor": anchor(entry.id),
            "label": entry.label,
            "heading": entry.heading,
            "summary": entry.summary,
            "status": entry.status,
            "reason": entry.reason,
            "values": [entry.values.get(name, "") for name in names],
        }
        for entry in entries
    ]
    return {"names": names, "cases": cases}


def _stored(entries: Sequence[ListedCase], page: Page) -> str:
    """Write JSON of the details of each case and of the further rows of tables. Sections of one
    kind are together: so they compress to half of what they take case by case."""
    kinds: dict[str, dict[str, str]] = {}
    order = {entry.id: [*dict.fromkeys(each.title for each in entry.sections)] for entry in entries}
    for entry in entries:
        for section in entry.sections:
            written = section_html(section, page, level=DETAIL)
            own = kinds.setdefault(section.title, {})
            own[entry.id] = own.get(entry.id, "") + written
    return plain_json({"order": order, "kinds": kinds, "rows": page.rows})


def _chart_data(
    drawn: Mapping[str, Sequence[Panel]],
    numbers: Mapping[str, int],
    flags: Mapping[str, tuple[str, str]],
    labels: Sequence[Label],
) -> Iterator[str]:
    """Yield JSON of all charts by their elements, of the themes and of overlays, in pieces."""
    begin = "{"
    for key, own in drawn.items():
        chart = plain_json(script_data(own, numbers, flags))
        yield f"{begin}{plain_json(f'chart-{key}')}:{chart}"
        begin = ","
    themes = plain_json({theme: config(theme) for theme in THEMES})
    yield f'{begin}"themes":{themes},"overlay":{plain_json(overlay_data(labels))}}}'


def _showing(charts: Sequence[Chart]) -> dict[str, list[tuple[str, str]]]:
    """Return the charts that show the cases of each finding, by its letter."""
    found: dict[str, list[tuple[str, str]]] = {}
    for chart in charts:
        for letter in {mark.lstrip("!") for marks in chart.marks for mark in marks}:
            found.setdefault(letter, []).append((chart.key, chart.title))
    return found


def policy(scripts: Sequence[str]) -> str:
    """Return a Content-Security-Policy: these scripts and nothing else, and no network at all."""
    hashes = " ".join(
        "'sha256-" + base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() + "'"
        for s in scripts
    )
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
