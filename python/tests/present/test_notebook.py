"""`--to notebook`: run by a fresh kernel, read by nbformat, open to nobody."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import nbformat
import numpy as np
import pytest
from form_files import files
from synthetic_campaign import Builder, comparison, samples_around

import busmark
from busmark.compare.campaign import Campaign, summarise
from busmark.errors import UserError
from busmark.present.blocks.campaign import document
from busmark.present.display import MIME, chart
from busmark.present.document import Document, Section, Source, code
from busmark.present.sinks import notebook as sink
from busmark.present.sinks.kernel import execute
from busmark.present.sinks.notebook import notebook
from busmark.store import Result


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return comparison(tmp_path_factory.mktemp("notebook") / "r", samples=300, rounds=2)


@pytest.fixture(scope="module")
def ran(directory: Path) -> Path:
    """Where code that is planted in the result's folder `report` leaves a file, if it is run."""
    folder = directory.parent / "ran"
    folder.mkdir()
    return folder


@pytest.fixture(scope="module")
def written(directory: Path, ran: Path) -> nbformat.NotebookNode:
    """By a process of its own, with a home that must stay empty but for what Busmark keeps, of
    somebody else's result: its folder `report` holds files of any name."""
    home = directory.parent / "home"
    home.mkdir()
    folder = directory / "report"
    folder.mkdir(exist_ok=True)
    planted = [folder / f"{n}.py" for n in ("polars", "json", "vl_convert", "busmark", "socket")]
    for path in planted:
        path.write_text(f"open({str(ran / path.stem)!r}, 'w').close()\nraise SystemExit(3)\n")
    program = [sys.executable, "-P", "-m", "busmark", "report", str(directory), "--to", "notebook"]
    keep = {k: v for k, v in os.environ.items() if not k.startswith(("XDG_", "JUPYTER", "IPYTHON"))}
    try:
        done = subprocess.run(
            program, env=keep | {"HOME": str(home)}, capture_output=True, text=True, check=False
        )
    finally:
        for path in planted:
            path.unlink()
    assert done.returncode == 0, done.stderr
    # Nothing but the analysis, for the next time.
    kept = home / ".cache" / "busmark" / "shown"
    assert {p.parent for p in home.rglob("*") if p.is_file()} <= {kept}
    assert done.stderr == "notebook: 1 file\n"
    found = nbformat.read(Path(done.stdout.strip()), as_version=4)
    nbformat.validate(found)
    return found


def of(cells: list[Source]) -> nbformat.NotebookNode:
    made = notebook(Document("x", [], [Section("", cells)]))
    # Without its title.
    made.cells = made.cells[1:]
    return made


def printed(made: nbformat.NotebookNode) -> str:
    return "\n".join(
        output.get("text", "") + output.get("data", {}).get("text/plain", "")
        for cell in made.cells
        for output in cell.get("outputs", [])
    )


def test_every_cell_ran_and_none_complained(written: nbformat.NotebookNode) -> None:
    code = [cell for cell in written.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    outputs = [output for cell in code for output in cell.outputs]
    assert not [o for o in outputs if o.output_type == "error" or o.get("name") == "stderr"]
    charts = [o["data"] for o in outputs if MIME in o.get("data", {})]
    assert len(charts) >= 8
    assert all("image/png" in each or "image/svg+xml" in each for each in charts)
    assert all(each[MIME]["$schema"].endswith("v5.json") for each in charts)


def test_it_has_the_sections_of_the_document_and_charts(
    written: nbformat.NotebookNode, directory: Path
) -> None:
    text = "\n".join(cell.source for cell in written.cells if cell.cell_type == "markdown")
    campaign = summarise(Result(directory), with_series=False)
    assert str(campaign.question) in text
    assert "### Answer" in text and "Cyclone DDS 11.0.1" in text
    for section in document(campaign).sections:
        assert f"### {section.title}" in text
    for part in ("Machine", "Software", "Latency against size", "percentiles, to the tail",
                 "distribution function", "round by round", "over time", "Goodput"):  # fmt: skip
        assert part in text, part
    sources = "\n".join(cell.source for cell in written.cells if cell.cell_type == "code")
    for call in ("zoom=True", "smoothed_ecdf", "r.latencies(", "r.samples(", "probe_one_way"):
        assert call in sources, call


def test_a_chart_of_another_choice_is_a_call(directory: Path) -> None:
    r = busmark.open(directory)
    found = chart(r, "latency-size", {"Placement": "different CPUs"})
    assert "Different CPUs" in repr(found) and MIME in found._repr_mimebundle_()
    with pytest.raises(UserError, match="no chart 'latency'") as error:
        chart(r, "latency")
    assert "latency-size" in str(error.value.remedy)
    with pytest.raises(UserError, match="nothing to show") as error:
        chart(r, "latency-size", {"Placement": "the moon"})
    assert "different CPUs" in str(error.value.remedy)


def test_it_names_the_results_by_a_relative_path(written: nbformat.NotebookNode) -> None:
    sources = "\n".join(cell.source for cell in written.cells)
    assert "busmark.open('..')" in sources


def test_cells_are_small(written: nbformat.NotebookNode) -> None:
    sources = [cell.source.splitlines() for cell in written.cells if cell.cell_type == "code"]
    assert max(map(len, sources)) <= 26
    own = [line for source in sources for line in source if not line.startswith("chart(")]
    assert max(map(len, own)) <= 96


def test_the_same_result_gives_the_same_notebook(
    written: nbformat.NotebookNode, directory: Path
) -> None:
    first = directory / "report" / "report.ipynb"
    again = directory / "again"
    again.mkdir()
    (path,) = files("notebook", Result(directory), summarise(Result(directory)), again)
    assert path.read_bytes() == first.read_bytes()


LISTENING = """
import os
own = {os.readlink(f"/proc/self/fd/{n}") for n in os.listdir("/proc/self/fd")
       if os.path.lexists(f"/proc/self/fd/{n}")}
rows = [line.split() for kind in ("tcp", "tcp6", "udp", "udp6")
        for line in open(f"/proc/self/net/{kind}").readlines()[1:]]
print("ports:", [row[1] for row in rows if f"socket:[{row[9]}]" in own])
"""


def test_the_kernel_opens_no_port_and_ends(tmp_path: Path) -> None:
    made = of([code(LISTENING), code("import os; print(os.getpid())")])
    execute(made, tmp_path)
    listed, number = (cell.outputs[0].text for cell in made.cells)
    assert listed == "ports: []\n"
    assert not Path(f"/proc/{int(number)}").exists()


def test_a_cell_that_fails_is_told_and_nothing_is_written(
    monkeypatch: pytest.MonkeyPatch, directory: Path, tmp_path: Path
) -> None:
    made = of([Source("x"), code("a = 1"), code("a / 0")])
    monkeypatch.setattr(sink, "notebook", lambda *_: made)
    result = Result(directory)
    with pytest.raises(UserError, match="cell 3 failed: ZeroDivisionError: division by zero"):
        files("notebook", result, summarise(result, with_series=False), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_kernel_that_ends_is_told(tmp_path: Path) -> None:
    made = of([code("import os; os._exit(3)")])
    with pytest.raises(UserError, match="the kernel ended"):
        execute(made, tmp_path)


def run(result: Result, folder: Path) -> nbformat.NotebookNode:
    (path,) = files("notebook", result, summarise(result), folder)
    made = nbformat.read(path, as_version=4)
    assert "stderr" not in [o.get("name") for c in made.cells for o in c.get("outputs", [])]
    return made


def test_a_campaign_without_a_result_runs_through(tmp_path: Path) -> None:
    build = Builder(tmp_path / "r")
    build.case("a", "unsupported", "no")
    made = run(Result(build.finish()), tmp_path)
    assert "1 cases, 0 rounds" in printed(made)


def test_odd_samples_and_odd_texts_run_through(tmp_path: Path) -> None:
    build = Builder(tmp_path / "r")
    odd = "`=1+1` $x$ </script> '\"\\ # {a}"
    rng = np.random.default_rng(1)
    samples = {
        "one sample": np.full(1, 10_000.0),
        "all equal": np.full(200, 10_000.0),
        odd: samples_around(10_000, 200, rng),
    }
    for number, (transport, values) in enumerate(samples.items()):
        build.pings(build.case(f"{number}", transport=transport), 0, values)
    scenario = {"name": odd, "question": odd}
    made = run(Result(build.finish(scenario=scenario, command=odd)), tmp_path)
    shown = printed(made)
    assert "one sample" in shown and "all equal" in shown


@pytest.mark.usefixtures("written")
def test_no_code_of_the_folder_of_the_report_is_run(ran: Path) -> None:
    assert list(ran.iterdir()) == []


def test_the_cells_are_as_they_were_reviewed(
    result: Result, campaign: Campaign, tmp_path: Path, golden: Callable[[str, str], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """Code, and what texts begin with; not run."""
    monkeypatch.setattr(sink, "execute", lambda *_: None)
    (path,) = files("notebook", result, campaign, tmp_path)
    cells = nbformat.read(path, as_version=4).cells
    shown = [
        f"[{cell.cell_type}] "
        + (cell.source if cell.cell_type == "code" else cell.source[:90].replace("\n", " "))
        for cell in cells
    ]
    text = "\n\n".join(line.rstrip() for line in shown)
    golden("comparison-notebook.txt", re.sub(r"open\('.*'\)", "open(…)", text) + "\n")
