"""What the command shows and writes of results: reviewed documents, one for each kind and form."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import numpy as np
import openpyxl
import pytest
from rich.cells import cell_len
from seams import done, run

from busmark.present.drawings import ChartSheet, drawings

if TYPE_CHECKING:
    from conftest import Golden, Results

pytestmark = pytest.mark.usefixtures("page_script")

TERMINAL = {"TTY_COMPATIBLE": "1", "NO_COLOR": "1"}


def printed(*words: object, width: int | None = 80) -> str:
    """Return what a terminal of this width shows; None: what a pipe gets."""
    env = {} if width is None else TERMINAL
    ended = run(*words, columns=width or 80, **env)
    assert ended.code in (0, 1), ended.text
    plain = re.sub(r"\x1b\[[0-9;]*m", "", ended.out)
    return "".join(f"{line.rstrip()}\n" for line in plain.splitlines())


SHOWN: dict[str, tuple[str, ...]] = {
    "comparison-80.txt": ("show", "comparison"), "comparison-pipe.txt": ("show", "comparison"),
    "varied-80.txt": ("show", "varied"), "alike-80.txt": ("show", "alike"),
    "hostile-80.txt": ("show", "hostile"), "everything-80.txt": ("show", "everything"),
    "odd-80.txt": ("show", "odd"), "failed-80.txt": ("show", "failed"),
    "named-80.txt": ("show", "named"), "named-pipe.txt": ("show", "named"),
    "messages-80.txt": ("show", "messages"), "messages-120.txt": ("show", "messages"),
    "many-80.txt": ("show", "many"), "applications-80.txt": ("show", "applications"),
    "interop-140.txt": ("show", "interop"), "types-80.txt": ("show", "types"),
    "phases-80.txt": ("show", "phases"), "captured-80.txt": ("show", "captured"),
    "secured-80.txt": ("show", "secured"), "lab-140.txt": ("show", "lab"),
    "case-udp-64-same-80.txt": ("show", "comparison#udp-64-same"),
    "case-udp-65536-flood-80.txt": ("show", "comparison#udp-65536-flood"),
    **{f"kept-{name}-80.txt": ("show", name)
       for name in ("before-participants", "emulated-network", "first")},
    "findings-80.txt": ("show", "comparison", "--findings"),
    "repetition-80.txt": ("show", "openddsbench", "--document"),
    "prediction-80.txt": ("predict", "before-participants", "--size", "3000"),
    "prediction-extrapolated-80.txt": ("predict", "before-participants", "--size", "1000000",
                                       "--extrapolate"),
    "compare-80.txt": ("compare", "closed-loop", "closed-loop-again", "--fail-if",
                       "median.latency > 1.05", "--fail-if", "p99.latency > 1ms"),
    "compare-pipe.txt": ("compare", "streams", "streams-again", "--all"),
    "compare-by-140.txt": ("compare", "sides", "--by", "side", "--fail-if",
                           "median.latency > 1.05"),
    "compare-kept-first-80.txt": ("compare", "first", "--by", "size"),
}  # fmt: skip
"""Commands by the name of what is reviewed, in which a word that is a result is its directory."""


def placed(words: tuple[str, ...], results: Results, folder: Path) -> list[object]:
    """Return the words with directories for the names of results."""
    command, first, *more = words
    name, mark, case = first.partition("#")
    found: list[object] = [command, f"{results(name).relative_to(folder)}{mark}{case}"]
    return found + [
        results(word).relative_to(folder) if word.endswith("-again") else word for word in more
    ]


@pytest.mark.parametrize("name", SHOWN)
def test_what_is_shown_is_as_reviewed(
    results: Results, folder: Path, golden: Golden, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    width = re.search(r"-(\d+)\.txt", name)
    words = placed(SHOWN[name], results, folder)
    monkeypatch.chdir(folder)
    text = printed(*words, width=int(width[1]) if width else None)
    golden(name, text)
    assert not width or max(map(len, text.splitlines())) <= int(width[1])


@pytest.mark.parametrize("name", ["comparison", "varied", "hostile", "named"])
@pytest.mark.parametrize("width", [20, 40, 200])
def test_no_line_is_wider_than_the_terminal(
    results: Results, folder: Path, name: str, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = placed(("show", name), results, folder)
    monkeypatch.chdir(folder)
    assert max(map(cell_len, printed(*words, width=width).splitlines())) <= width


# What is written, reduced to what a reader reads.


def page_text(folder: Path) -> str:
    """Return the text of a page's contents, a line for each row, heading and paragraph."""
    (path,) = (each for each in folder.iterdir() if each.suffix == ".html")
    main = path.read_text(encoding="utf-8").partition("<body")[2].partition("</main>")[0]
    lines = re.sub(r"</(p|h\d|tr|figcaption|caption|label|summary|pre|nav|button)>", "\n", main)
    words = html.unescape(re.sub(r"<[^>]+>", " ", lines.partition(">")[2]))
    return "".join(f"{' '.join(line.split())}\n" for line in words.splitlines() if line.strip())


def sheets(folder: Path) -> str:
    """Return the names of the sheets of a workbook, and what they begin with."""
    lines = []
    for page in openpyxl.load_workbook(folder / "report.xlsx"):
        lines += ["", f"## {page.title}, {page.max_row} × {page.max_column}"]
        for row in page.iter_rows(min_row=1, max_row=6, values_only=True):
            cells = ["" if v is None else f"{v:.4g}" if isinstance(v, float) else str(v)
                     for v in row[:12]]  # fmt: skip
            lines.append(" | ".join(cells).rstrip(" |").replace("\n", " ")[:160])
    return "\n".join(lines).strip() + "\n"


def texts(folder: Path) -> str:
    """Return the texts of every chart on paper: titles, axes with units, ticks, legends."""
    lines = []
    for path in sorted(folder.rglob("*.svg")):
        texts = [
            e.text for e in ElementTree.parse(path).iter() if e.tag.endswith("text") and e.text
        ]
        lines += [f"## {path.name}", " | ".join(texts), ""]
    return "\n".join(lines)


def one_of_each_chart(document: Any) -> Iterable[ChartSheet]:
    """Return the last sheet of each chart."""
    return {sheet.name.partition(".")[0]: sheet for sheet in drawings(document)}.values()


def plots(folder: Path) -> str:
    """List every file of data for gnuplot, with its size and its last row."""
    lines = []
    for path in sorted(p for p in folder.rglob("*") if p.suffix in (".dat", ".tsv", ".csv")):
        rows = [row for row in path.read_text(encoding="utf-8").splitlines()
                if row.strip() and not row.startswith("#")]  # fmt: skip
        lines.append(f"{path.name}: {len(rows)} rows, {rows[-1][:100] if rows else ''}")
    return "\n".join(lines) + "\n"


def cells(folder: Path) -> str:
    """Return the cells of a notebook, without what they printed."""
    notebook = json.loads(next(folder.rglob("*.ipynb")).read_text(encoding="utf-8"))
    shown = [f"[{cell['cell_type']}] {''.join(cell['source'])[:300]}" for cell in notebook["cells"]]
    text = "\n\n".join(line.rstrip() for line in shown)
    return re.sub(r"open\('.*'\)", "open(…)", text) + "\n"


def markdown(folder: Path) -> str:
    return next(folder.glob("*.md")).read_text(encoding="utf-8")


WRITTEN: dict[str, tuple[str, str, Callable[[Path], str]]] = {
    "comparison-page.txt": ("comparison", "html", page_text),
    "messages-page.txt": ("messages", "html", page_text),
    "repetition-page.txt": ("openddsbench", "html", lambda folder: page_text(folder)),
    "comparison.md": ("comparison", "markdown", markdown),
    "comparison-workbook.txt": ("comparison", "xlsx", sheets),
    "everything-workbook.txt": ("everything", "xlsx", sheets),
    "everything-svg.txt": ("everything", "svg", texts),
    "odd-svg.txt": ("odd", "svg", texts),
    "everything-gnuplot.txt": ("everything", "gnuplot", plots),
    "varied-notebook.txt": ("varied", "notebook", cells),
}
"""Result, form, and what of its files is reviewed, by the golden file."""


@pytest.mark.parametrize("name", WRITTEN)
def test_what_is_written_is_as_reviewed(
    results: Results, golden: Golden, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    result, form, text = WRITTEN[name]
    if name == "everything-svg.txt":
        # Sheets of a chart are drawn by the same code, and all their names are gnuplot's.
        monkeypatch.setattr("busmark.present.sinks.print.drawings", one_of_each_chart)
    done("report", results(result), "--to", form, "--out", tmp_path)
    if name == "repetition-page.txt":
        (tmp_path / "report.html").unlink()
    golden(name, text(tmp_path))


COMPARED: dict[str, tuple[str, Callable[[Path], str]]] = {
    "compare.md": ("--markdown", lambda path: path.read_text(encoding="utf-8")),
    "compare-page.txt": ("--html", lambda path: page_text(path.parent)),
    "compare-junit.txt": ("--junit", lambda path: re.sub(
        r'(time|timestamp|hostname)="[^"]*"', "", path.read_text(encoding="utf-8"))),
}  # fmt: skip


@pytest.mark.parametrize("name", COMPARED)
def test_what_a_comparison_writes_is_as_reviewed(
    results: Results, folder: Path, golden: Golden, tmp_path: Path, name: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    option, text = COMPARED[name]
    file = tmp_path / ("x.html" if option == "--html" else "x")
    sides = placed(("compare", "closed-loop", "closed-loop-again"), results, folder)
    monkeypatch.chdir(folder)
    ended = run(*sides, "--fail-if",
                "median.latency > 1.05", "--fail-if", "p99.latency > 1ms", option,
                file)  # fmt: skip
    assert ended.code in (0, 1), ended.text
    golden(name, text(file))


CAPTURES = Path(__file__).parents[3] / "crates" / "busmark-packets" / "tests" / "data"


@pytest.mark.parametrize(
    ("name", "words"),
    [("capture-80.txt", ("analyse", "D2-tcp-r-50.pcapng", "--application",
                         "D2-tcp-r-50.truth.jsonl")),
     ("late-80.txt", ("explain", "D3-udp-be-50-early.pcapng", "--worst", "1")),
     ("late-one-hop-80.txt", ("explain", "cyclonedds.pcapng.gz"))],
)  # fmt: skip
@pytest.mark.usefixtures("captures_can_be_read")
def test_captures_are_as_reviewed(
    golden: Golden, name: str, words: tuple[str, ...], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(CAPTURES)
    page, text = tmp_path / "x.html", tmp_path / "x.md"
    golden(name, printed("capture", *words, "--html", page, "--markdown", text).replace(
        f"{tmp_path}/", ""))  # fmt: skip
    assert "## Lengths" in text.read_text() and "\nLengths\n" in page_text(tmp_path)


def history(folder: Path, step: float) -> Path:
    """Track twelve results of one case, the last six slower by a factor."""
    from synthetic_campaign import Builder

    file = folder / "h.jsonl"
    for number in range(12):
        rng = np.random.default_rng(number)
        build = Builder(folder / f"r{number}", seed=number)
        case = build.case("udp-64")
        for round_ in range(3):
            median = 10_000 * (step if number >= 6 else 1.0) * rng.normal(1, 0.003)
            build.pings(case, round_, median * rng.lognormal(0, 0.05, 200))
        day = f"2026-01-{number + 1:02d}T00:00:00Z"
        done("history", "add", build.finish(cookie=f"{number:016x}"), "--history", file, "--commit",
             f"{number:040x}", "--machine", "bench", "--date", day)  # fmt: skip
    return file


def test_a_history_is_as_reviewed(
    golden: Golden, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    history(tmp_path, 1.08)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "page").mkdir()
    text = printed("history", "show", "--history", "h.jsonl", "--new-for", 3, "--html",
                   "page/h.html", "--markdown", "h.md")  # fmt: skip
    golden("history-80.txt", text)
    golden("history.md", (tmp_path / "h.md").read_text(encoding="utf-8"))
    golden("history-page.txt", page_text(tmp_path / "page"))
