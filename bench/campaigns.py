"""What campaigns cost: overhead of a round, the lab's forwarder, and schedules of rounds.

    python bench/campaigns.py [--result DIR ...] [--only overhead|forwarder|schedules]

Writes `CAMPAIGNS.md`. Root only, for the labs. How soon an interval is narrow is simulated on many
rounds of some cases of the quick packs, which are recorded first, some ten minutes, unless results
of such are named. Results of the unchanged packs, with four rounds of a case, will do: then the
rounds of one middleware are drawn from together, each relative to its case.
"""

from __future__ import annotations

import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import click

from busmark import files
from busmark.compare.campaign import summarise
from busmark.model.quantities import GOODPUT
from busmark.store import Result
from machine import machine, now
from oracle import bounds, oracle, verdict
from pools import pools
from schedules import PACKS, SETTINGS, Recording, by_case, recordings, schedules

HERE = Path(__file__).resolve().parent
PARTICIPANTS = (2, 5, 14, 40)
OVERHEAD = """
name = "Overhead of a round"
[measure]
duration_s = 0.5
warmup_s = 0.1
[lab]
nodes = 4
[matrix]
adapter = ["tcp", "cyclonedds"]
test = "throughput"
rate_hz = 100.0
size = 64
placement = "free"
subscribers = [1, 4, 13, 39]
reader_on = "n2+n3+n4"
[rounds]
min = 7
[criteria]
min_samples = 1
"""
FORWARDER = """
name = "Forwarder"
[measure]
duration_s = 0.5
warmup_s = 0.1
[lab]
nodes = 2
[matrix]
adapter = "udp"
test = "latency"
size = 1336
placement = "different"
link.delay = ["", "1us"]
[[also]]
adapter = "tcp"
test = "throughput"
size = 65472
[rounds]
min = 7
[criteria]
min_samples = 1
"""

Table = list[tuple[str, ...]]


def campaign(text: str, folder: Path) -> Result:
    """Run a scenario and return its result."""
    scenario = folder / "scenario.toml"
    scenario.write_text(text)
    return run([str(scenario)], folder / "result")


def record(folder: Path) -> list[Result]:
    """Record many long rounds of some cases of the quick packs."""
    settings = [word for setting in SETTINGS for word in ("--set", setting)]
    return [
        run(
            [pack, *settings, *(word for each in only for word in ("--only", each))],
            folder / str(number),
        )
        for number, (pack, only) in enumerate(PACKS.items())
    ]


def run(words: list[str], out: Path) -> Result:
    """Run `busmark run` to its end and return the result."""
    command = [str(HERE.parent / ".venv/bin/busmark"), "run", *words, "--out", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    # 1: a round was marked or failed; the others count.
    if done.returncode not in (0, 1):
        raise click.ClickException(done.stderr[-2000:] or done.stdout[-2000:])
    return Result(out)


def overhead(result: Result) -> Iterator[tuple[str, ...]]:
    """Yield a round's median time beyond warm-up and measuring, by adapter and participants."""
    yield "adapter", "participants", "overhead of a round, s", "of it discovery, s", "for each, ms"
    rows = result.cases.filter(result.cases["status"] == "ok").to_dicts()
    for adapter in dict.fromkeys(row["adapter"] for row in rows):
        for participants in PARTICIPANTS:
            own = [
                r for r in rows if r["adapter"] == adapter and r["subscribers"] + 1 == participants
            ]
            if own:
                total = statistics.median(row["overhead_s"] for row in own)
                known = [row["discovery_s"] for row in own if row["discovery_s"] is not None]
                found = f"{statistics.median(known):.3f}" if known else "—"
                each = f"{total / participants * 1e3:.1f}"
                yield adapter, str(participants), f"{total:.3f}", found, each


def forwarder(result: Result) -> Iterator[tuple[str, ...]]:
    """Yield the median RTT/2 and the goodput, without the forwarder and through it."""
    yield "", "without", "through the forwarder (delay 1 µs)"
    cases = {(c.test, bool(c.params.link_delay)): c for c in summarise(result).cases}
    halves = [cases["latency", delayed].rtt_2 for delayed in (False, True)]
    goodputs = [GOODPUT.figure(cases["throughput", delayed]) for delayed in (False, True)]
    yield (
        "UDP, 1400 B: median RTT/2, µs",
        *(f"{h.median.value / 1e3:.1f}" if h else "—" for h in halves),
    )
    yield "TCP: goodput, Mbit/s", *(f"{g.value:,.0f}" if g else "—" for g in goodputs)


def markdown(rows: Table) -> str:
    """Return a Markdown table; the first row has its titles."""
    head, *body = rows
    lines = [head, tuple("---" for _ in head), *body]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


PARTS = (
    (
        "Overhead of a round",
        OVERHEAD,
        overhead,
        "One publisher, the rest subscribers, on four nodes of a lab. Goal: 0.5 s at most.",
    ),
    (
        "The lab's forwarder",
        FORWARDER,
        forwarder,
        "Goal: 30 µs added at most, and 1 Gbit/s carried.",
    ),
)
SCHEDULES = "Rounds until the interval is narrow"
SIMULATED = """Simulated on recorded rounds of the quick packs, drawn with replacement; a shorter
round is the beginning of a recorded one. *Such*: rounds of 2,000 samples, *chosen*:
`measure.duration_s = "auto"`, until the half-width is that which the fixed schedule has in the
median, and until ±2 %. Goal: half of the fixed schedule's time at equal or better coverage."""
POOLED = """Drawn from rounds of the unchanged packs, four of a case, all of one middleware
together, each relative to its case."""
ORACLE = """What a perfect choice takes, by whoever knows all recorded rounds beforehand: of each
length as many rounds as make the median half-width equal the fixed schedule's, and of these the
length that takes the least time; it is picked among recorded figures, which flatters it. *Off by*:
how much rounds of that length differ from whole ones. Rounds of *no length* would vary like rounds
of 2,000 samples and take nothing but start, discovery, collecting and warm-up: shortening rounds
alone can save no more."""
NAMES = {"overhead": PARTS[0][0], "forwarder": PARTS[1][0], "schedules": SCHEDULES}
NAMES_OF = {title: name for name, title in NAMES.items()}
SECTION = re.compile(r"^## (.*)\n((?:(?!## ).*\n?)*)", re.MULTILINE)
RECORDED = (
    "What there was to save: by how much the medians of rounds differ, and by how much medians of "
    "2,000 samples are off by themselves. Where the beginning of a round is slower than the whole, "
    "no number of short rounds gives the median of long ones: the two rows on coverage tell that "
    "apart from intervals that are too narrow."
)


@click.command()
@click.option(
    "--result",
    "results",
    multiple=True,
    type=click.Path(path_type=Path),
    help="A campaign with 20 rounds or more of a case, or a quick pack's.",
)
@click.option("--only", type=click.Choice([*NAMES]), help="This part; the others stay.")
@click.option("--out", type=click.Path(path_type=Path), default=HERE / "CAMPAIGNS.md")
def main(results: tuple[Path, ...], only: str | None, out: Path) -> None:
    """Run the campaigns and write the page."""
    before = out.read_text(encoding="utf-8") if only else ""
    sections = {title: text.strip() for title, text in SECTION.findall(before)}
    with tempfile.TemporaryDirectory(prefix="busmark-bench-") as folder:
        for number, (title, text, table, goal) in enumerate(PARTS):
            if only in (None, NAMES_OF[title]):
                own = Path(folder) / f"part{number}"
                own.mkdir()
                rows = markdown(list(table(campaign(text, own))))
                sections[title] = "\n\n".join([goal, _when(), rows])
        if only in (None, "schedules"):
            known = [Result(path) for path in results] or record(Path(folder))
            sections[SCHEDULES] = "\n\n".join(simulated(known))
    parts = [f"## {title}\n\n{sections[title]}" for title in NAMES.values() if title in sections]
    files.write(out, "\n\n".join(["# What campaigns cost", *parts]) + "\n")
    print(f"written: {out}", file=sys.stderr)


def simulated(known: list[Result]) -> Iterator[str]:
    """Yield the section on schedules, by campaigns with many rounds or with few."""
    recorded: list[Recording] = recordings(known)
    yield SIMULATED
    if not recorded:
        recorded = pools(known)
        yield POOLED
    yield _when()
    yield markdown(list(schedules(recorded)))
    yield RECORDED
    yield markdown(list(by_case(recorded)))
    yield ORACLE
    known_best = bounds(recorded)
    yield markdown(list(oracle(recorded, known_best)))
    yield verdict(known_best)


def _when() -> str:
    return f"On {now()}, {machine()['cpu_model']}, Linux, by `bench/campaigns.py`."


if __name__ == "__main__":
    main()
