"""The recipes of CONTRIBUTING, and the column of a plug-in, do what they say: their blocks are
executed in a copy of the tree, and looked for where users see them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import polars as pl
import pytest
from compare_results import campaign
from docs_pages import FENCE, ROOT

CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
PLUGIN_PAGE = (ROOT / "docs" / "writing-a-plug-in.md").read_text(encoding="utf-8")
BUILT = ROOT / "target" / "release"
CACHES = shutil.ignore_patterns("__pycache__", "_native")


def recipe(begin: str) -> list[list[str]]:
    """Return the blocks of the recipe that begins so, each as its lines."""
    (start,) = (found.end() for found in re.finditer(re.escape(f"**{begin}**"), CONTRIBUTING))
    end = re.search(r"^(\*\*|## )", CONTRIBUTING[start:], re.MULTILINE)
    text = CONTRIBUTING[start : start + end.start()] if end else CONTRIBUTING[start:]
    return [found[2].splitlines() for found in FENCE.finditer(text) if found[1] == "diff"]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Copy what commands read: the package, the facts of adapters."""
    tree = tmp_path / "tree"
    shutil.copytree(ROOT / "python" / "busmark", tree / "python" / "busmark", ignore=CACHES)
    for facts in (ROOT / "adapters").glob("*/adapter.toml"):
        (folder := tree / "adapters" / facts.parent.name).mkdir(parents=True)
        shutil.copy(facts, folder)
    return tree


def follow(tree: Path, begin: str) -> list[str]:
    """Do in the tree what a recipe says; return the files that it touches."""
    blocks = recipe(begin)
    assert blocks, begin
    for name, *lines in blocks:
        path = tree / name
        before, after = ([line[1:] for line in lines if line[:1] != other] for other in ("+", "-"))
        if path.exists():
            text, old = path.read_text(encoding="utf-8"), "\n".join(before)
            assert before and text.count(old) == 1, f"{name}: {old!r} is there {text.count(old)}×"
            path.write_text(text.replace(old, "\n".join(after)), encoding="utf-8")
        else:
            assert not before, f"{name} is not there, and the recipe does not make it"
            path.parent.mkdir(exist_ok=True)
            path.write_text("\n".join([*after, ""]), encoding="utf-8")
    return [*dict.fromkeys(name for name, *_ in blocks)]


def busmark(
    tree: Path, *words: object, libraries: Sequence[Path] = (BUILT,), site: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the command of the tree, with the programs and adapters that were built here."""
    paths = [str(path) for path in (tree / "python", site) if path]
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([*paths, *sys.path]),
        "BUSMARK_ADAPTER_PATH": os.pathsep.join(map(str, libraries)),
        "COLUMNS": "200",
    }
    return subprocess.run(
        [sys.executable, "-m", "busmark", *map(str, words)],
        env=environment, cwd=tree, capture_output=True, text=True, check=False,
    )  # fmt: skip


def printed(tree: Path, *words: object, **options: object) -> str:
    """Run a command that must end with exit code 0; return what it printed."""
    ended = busmark(tree, *words, **options)  # type: ignore[arg-type]
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def _lines(text: str, begin: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith(begin)]


def test_a_compared_quantity_is_a_row(tree: Path, tmp_path: Path) -> None:
    assert len(follow(tree, "A quantity")) == 1
    base, slow = (campaign(tmp_path / str(seed), seed=seed) for seed in (1, 2))
    for side, longest in ((base, 50_000.0), (slow, 100_000.0)):
        rows = pl.read_parquet(side / "cases.parquet")
        rows = rows.with_columns(max_ns=longest + 100.0 * pl.col("round"))
        rows.write_parquet(side / "cases.parquet")
    pairs = json.loads(printed(tree, "compare", base, slow, "--json"))["pairs"]
    changes = [each for pair in pairs for each in pair["changes"] if each["name"] == "slowest"]
    assert len(changes) == len(pairs) == 2
    assert {round(each["change"]["value"], 2) for each in changes} == {2.0}
    assert "longest round trip" in printed(tree, "compare", base, slow, "--all")


FLOW = """
name = "x"
[matrix]
adapter = ["cyclonedds", "udp"]
[[flow]]
name = "keyed"
rate_hz = 100
size = 64
instances = 4
"""


def test_a_key_of_a_flow_is_a_field(tree: Path) -> None:
    assert len(follow(tree, "A key of a scenario")) <= 2
    scenario = tree / "x.toml"
    scenario.write_text(FLOW, encoding="utf-8")
    able, unable = json.loads(printed(tree, "plan", scenario, "--json"))["cases"]
    assert able["status"] == "planned" and able["params"]["flows"][0]["instances"] == 4
    assert unable["status"] == "unsupported"
    why = "flow keyed: udp: no instances: the adapter does not offer keyed topics"
    assert unable["reason"] == why
    scenario.write_text(FLOW.replace("= 4", "= 65537"), encoding="utf-8")
    refused = busmark(tree, "plan", scenario)
    assert refused.returncode == 2 and "instances" in refused.stderr


def test_a_form_of_documents_is_a_file_and_a_row(tree: Path, tmp_path: Path) -> None:
    assert len(follow(tree, "A form of documents")) == 2
    base, again = (campaign(tmp_path / str(seed), seed=seed) for seed in (1, 2))
    printed(tree, "report", base, "--to", "tsv,markdown", "--out", tmp_path / "out")
    printed(tree, "compare", base, again, "--to", "tsv", "--folder", tmp_path / "out")
    for name in ("report.tsv", "comparison.tsv"):
        text = (tmp_path / "out" / name).read_text(encoding="utf-8")
        assert text.count("\t") > 20 and "udp" in text.casefold(), name


SHORT = """
name = "x"
[measure]
duration_s = 0.05
warmup_s = 0.05
[matrix]
adapter = ["uds", "udp"]
[rounds]
min = 2
max = 2
[criteria]
min_samples = 0
"""
"""Rounds that count however busy the machine is."""


def test_the_column_of_a_plugin_is_stored_shown_and_compared(tree: Path, tmp_path: Path) -> None:
    section = PLUGIN_PAGE.partition("\n## A column\n")[2].partition("\n## ")[0]
    (site := tmp_path / "site").mkdir()
    for found in FENCE.finditer(section):
        name = found[2].partition("\n")[0].removeprefix("# ") if found[1] == "py" else "acme.toml"
        (site / name).write_text(found[2], encoding="utf-8")
    fields = re.findall(r"`(\w+=[^`]+)`", section)
    assert len(fields) == 5
    (site / "acme.py").write_text(
        "from busmark.plugin import CasePart, Plugin\n"
        f"PLUGIN = Plugin('acme', 'Load.', {', '.join(fields)})\n",
        encoding="utf-8",
    )
    (declared := site / "busmark_acme-1.0.dist-info").mkdir()
    entry = "[busmark.plugins]\nacme = acme:PLUGIN\n"
    (declared / "entry_points.txt").write_text(entry, encoding="utf-8")
    (scenario := tree / "x.toml").write_text(SHORT, encoding="utf-8")
    printed(tree, "run", scenario, "--out", tmp_path / "result", site=site)
    rows = pl.read_parquet(tmp_path / "result" / "cases.parquet")
    assert rows.height == 4 and rows["acme_load"].null_count() == 0
    assert "Load" in printed(tree, "show", tmp_path / "result", site=site)
    for case in json.loads(printed(tree, "show", tmp_path / "result", "--json", site=site))[
        "cases"
    ]:
        most = rows.filter(pl.col("case") == case["id"])["acme_load"].max()
        assert case["plugins"]["acme"]["most"] == most
    both = printed(tree, "compare", tmp_path / "result", "--by", "adapter", "--json", site=site)
    assert "acme_load" in {each["name"] for each in json.loads(both)["pairs"][0]["changes"]}
    # Without the plug-in the result opens, and its column stays.
    assert "Load" not in printed(tree, "show", tmp_path / "result")


def test_a_broker_is_a_folder(tree: Path, tmp_path: Path) -> None:
    assert follow(tree, "An adapter") == ["adapters/broker/adapter.toml"]
    row, *_ = _lines(printed(tree, "adapters"), "broker ")
    assert row.split()[1] == "no" and "Our broker" in row
    assert (
        "broker is not built here: `make adapters` builds it"
        in busmark(tree, "latency", "broker").stderr
    )
    # Its library: one that is here, under the broker's name.
    (libraries := tmp_path / "libraries").mkdir()
    shutil.copy(BUILT / "libbusmark_tcp.so", libraries / "libbusmark_broker.so")
    row, *_ = _lines(printed(tree, "adapters", libraries=(libraries, BUILT)), "broker ")
    assert row.split()[1] == "yes"
    (scenario := tree / "x.toml").write_text('name = "x"\nmatrix.adapter = "broker"\n')
    planned = printed(tree, "plan", scenario, libraries=(libraries, BUILT))
    assert "1.5 s more for broker" in " ".join(planned.split())
    result = campaign(tmp_path / "result", cases=[{"adapter": "broker"}, {"adapter": "udp"}])
    printed(tree, "report", result, "--to", "gnuplot", "--out", tmp_path / "out")
    scripts = (tmp_path / "out").rglob("*.gpi")
    assert any("#8a2be2" in path.read_text(encoding="utf-8").casefold() for path in scripts)
