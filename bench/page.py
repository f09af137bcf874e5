"""What a page costs who opens it: how soon its text and its first chart are there.

    python bench/page.py PAGE... [--opens N]

Opens each page of `busmark report` in a browser that has just been started, scrolls to its first
chart as soon as anything is painted, and writes `PAGE.md`: medians, in brackets the slowest.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path

import click

from busmark import files
from machine import machine, now

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from tools.browser import Browser  # noqa: E402

FIRST_CHART_S = 0.5
"""Limit of the first chart, from the beginning of the navigation."""

OBSERVE = """
const times = globalThis.times = { longest: 50 };
new PerformanceObserver((list) => {
  times.longest = Math.max(times.longest, ...list.getEntries().map(({ duration }) => duration));
}).observe({ type: "longtask", buffered: true });
new PerformanceObserver((list) => {
  times.text = list.getEntries().at(-1).startTime;
}).observe({ type: "largest-contentful-paint", buffered: true });
new PerformanceObserver(() => {
  if (times.paint !== undefined) return;
  times.paint = performance.getEntriesByName("first-contentful-paint")[0]?.startTime;
  document.querySelector("figure.chart").scrollIntoView({ block: "center", behavior: "instant" });
}).observe({ type: "paint", buffered: true });
const painted = (name) =>
  requestAnimationFrame(() => requestAnimationFrame((time) => { times[name] ??= time; }));
new MutationObserver(() => {
  const { drawn, ready } = document.documentElement.dataset;
  if (Number(drawn)) painted("chart");
  if (ready !== undefined) painted("ready");
}).observe(document, { attributes: true, subtree: true,
                       attributeFilter: ["data-drawn", "data-ready"] });
"""
"""Notes times in ms since the beginning of the navigation. A frame is on the screen when the next
one begins; a task counts as long from 50 ms on."""

DRAWN = """[...document.querySelectorAll(".plot canvas")].some((canvas) => {
  const { top, bottom } = canvas.getBoundingClientRect();
  return top < innerHeight && bottom > 0 && canvas.getContext("2d")
    .getImageData(0, 0, canvas.width, canvas.height).data.some((value) => value);
})"""
"""Whether a chart in the window has something in it."""

COLUMNS = {
    "paint": "first paint",
    "text": "first screen",
    "chart": "first chart",
    "ready": "everything",
    "task": "main thread",
    "script": "scripts",
    "longest": "longest task",
}


def opened(page: Path) -> dict[str, float]:
    """Open a page once and return its times in seconds, by the names of `COLUMNS`."""
    with (
        tempfile.TemporaryDirectory(prefix="busmark-bench-") as profile,
        Browser(Path(profile)) as browser,
    ):
        browser.call("Performance.enable")
        browser.call("Page.addScriptToEvaluateOnNewDocument", source=OBSERVE)
        browser.open(page)
        browser.until("times.chart && times.ready")
        if not browser.run(DRAWN):
            raise click.ClickException("there is no chart in the window")
        used = {m["name"]: m["value"] for m in browser.call("Performance.getMetrics")["metrics"]}
        found = {name: value / 1000 for name, value in browser.run("times").items()}
    return found | {"task": used["TaskDuration"], "script": used["ScriptDuration"]}


def row(page: Path, opens: int) -> str:
    """Open a page this many times and return its row of the table."""
    found = [opened(page) for _ in range(opens)]
    cells = [page.parent.name, f"{page.stat().st_size / 2**20:.2f}"]
    for name in COLUMNS:
        values = [each[name] for each in found]
        cells.append(f"{statistics.median(values):.2f} ({max(values):.2f})")
    met = statistics.median(each["chart"] for each in found) <= FIRST_CHART_S
    cells.append(f"first chart in {FIRST_CHART_S} s: {'met' if met else 'missed'}")
    return f"| {' | '.join(cells)} |"


@click.command()
@click.argument(
    "pages",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, path_type=Path, resolve_path=True),
)
@click.option("--opens", default=5, show_default=True, help="How often each is opened.")
@click.option("--out", type=click.Path(path_type=Path), default=HERE / "PAGE.md")
def main(pages: tuple[Path, ...], opens: int, out: Path) -> None:
    """Measure the pages and write the table."""
    host = machine()
    titles = ["campaign", "MiB", *(f"{title}, s" for title in COLUMNS.values()), "target"]
    lines = [
        "# What a page costs who opens it",
        "",
        f"{now()}, {host['cpu_model']}, {host['cpus_online']} CPUs, {host['kernel']}.",
        "",
        f"Median of {opens} openings, in brackets the slowest, each in a browser that has just "
        "been started: seconds from the beginning of the navigation until something is painted, "
        "the first screen is whole, the first chart is on the screen, to which the reader has "
        "scrolled at the first paint, and everything has begun; what the main thread was busy for "
        "until then, and its scripts; and its longest task (0.05: none is longer).",
        "",
        f"| {' | '.join(titles)} |",
        "| --- " * len(titles) + "|",
        *(row(page, opens) for page in pages),
        "",
    ]
    files.write(out, "\n".join(lines))
    click.echo("\n".join(lines))


if __name__ == "__main__":
    main()
