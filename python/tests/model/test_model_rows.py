"""A parameter is a field, a quantity and a statistic are rows, a finding is a file: all else has it
from there."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from synthetic_campaign import Builder, samples_around

import busmark
from busmark.model.figure import Distribution
from busmark.model.quantities import OF_CASES
from busmark.model.statistics import POOLED, REPORTED, STATISTICS

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "analysis"))


def test_a_key_stands_for_one_figure() -> None:
    keys = [one.key for one in (*STATISTICS, *POOLED, *OF_CASES)]
    assert len(set(keys)) == len(keys)


def test_a_distribution_has_the_statistics_of_the_table() -> None:
    assert {one.key for one in (*REPORTED, *POOLED)} <= set(Distribution.model_fields)
    assert {one.key for one in STATISTICS if not one.reported}.isdisjoint(Distribution.model_fields)


PERCENTILE = "    percentile(95.0),\n"

TAIL = """
def _tail(case):
    found = case.rtt_2 and case.rtt_2.figure("p99")
    return found and found.model_copy(
        update={"value": found.value / case.rtt_2.median.value, "low": None, "high": None,
                "unit": "1"}
    )


TAIL_SHARE = Estimate(
    key="tail_share", unit="1", meaning="99th percentile over the median", pick=_tail,
    tables={"latency": Heading("Tail", interval=False)},
    explained=(Explained("Tail", (), "p99 over median.", "", "the figures", "Why.",
                         section="Latency"),),
)

OF_CASES = (
    TAIL_SHARE,
"""

SHOW = """
import json, sys
from pathlib import Path
import openpyxl
from busmark.compare.campaign import summarise
from busmark.compare.criterion import Criterion
from busmark.results import Results
from busmark.present.blocks import case as of_case
from busmark.present import formats
from busmark.present.blocks.campaign import views
from busmark.present.blocks.cases import cases
from busmark.store import Result
from tools.pages.metrics import page

result = Result(Path(sys.argv[1]))
campaign = summarise(result, with_series=False)
(table,) = (table for section in cases(campaign) for table in section.tables)
shown = views(result, campaign, Path(sys.argv[1]))
(path,) = formats.write(shown, formats.chosen("xlsx"), Path(sys.argv[1]))["xlsx"]
cells = [c.value for row in openpyxl.load_workbook(path)["Cases"].iter_rows() for c in row]
blocks = [t for section in of_case.document(campaign.cases[0], {}).sections for t in section.tables]
frame = Results(result, campaign).cases
print(json.dumps({
    "json": campaign.model_dump(mode="json")["cases"][0]["latency"]["half_round_trip"],
    "table": [column.title for column in table.columns],
    "details": [cell.value for block in blocks for cell in block.columns[0].cells],
    "workbook": [cell for cell in cells if isinstance(cell, str)],
    "frame": frame.to_dicts()[0],
    "criteria": str(Criterion.parse(sys.argv[2] + " > 1.05")) if sys.argv[2:] else "",
    "reference": page(),
}, default=str))
"""


@pytest.fixture
def result(tmp_path: Path) -> Path:
    """One case of three rounds."""
    import numpy as np

    build = Builder(tmp_path / "result")
    rng = np.random.default_rng(3)
    case = build.case("udp-64", adapter="udp")
    for number in range(3):
        build.pings(case, number, samples_around(20_000.0, 2000, rng))
    return build.finish()


def copied(folder: Path) -> Path:
    """A copy of the package."""
    package = Path(busmark.__file__).parent
    shutil.copytree(package, folder / "busmark", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(package.parents[1] / "tools", folder / "tools",
                    ignore=shutil.ignore_patterns("__pycache__"))  # fmt: skip
    return folder


def changed(folder: Path, module: str, before: str, after: str) -> Path:
    """A copy of the package with one file of `model` changed."""
    path = copied(folder) / "busmark" / "model" / module
    text = path.read_text()
    assert text.count(before) == 1
    path.write_text(text.replace(before, after))
    return folder


def shown(code: Path, *arguments: object) -> dict[str, object]:
    """What that Busmark shows of a result."""
    done = subprocess.run(
        [sys.executable, "-c", SHOW, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": str(code)}, capture_output=True, text=True, cwd=code,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found: dict[str, object] = json.loads(done.stdout)
    return found


def test_a_new_percentile_is_a_row(result: Path, tmp_path: Path) -> None:
    before = "    MEAN,\n"
    code = changed(tmp_path / "code", "statistics.py", before, before + PERCENTILE)
    found = shown(code, result, "p95.latency")
    half = found["json"]
    assert isinstance(half, dict)
    assert half["median"]["value"] < half["p95"]["value"] < half["p99"]["value"]
    assert "p95 RTT/2" in found["table"]
    assert "p95 of a round" in found["details"]
    assert "half round trip p95, µs" in found["workbook"]
    frame = found["frame"]
    assert isinstance(frame, dict) and frame["half_round_trip_p95_ns"] == half["p95"]["value"]
    assert frame["jitter_p95_ns"] is not None
    assert "p95.latency" in str(found["criteria"])
    assert "p95, p99 and p99.9 of a round" in str(found["reference"])


def test_a_new_quantity_is_a_row(result: Path, tmp_path: Path) -> None:
    code = changed(tmp_path / "code", "quantities/latency.py", "\nOF_CASES = (\n", TAIL)
    found = shown(code, result)
    half, frame = found["json"], found["frame"]
    assert isinstance(half, dict) and isinstance(frame, dict)
    share = half["p99"]["value"] / half["median"]["value"]
    assert frame["tail_share"] == pytest.approx(share)
    assert "Tail" in found["table"] and "tail share, %" in found["workbook"]
    assert "### Tail" in str(found["reference"])


STACK = """    stack_kib: Annotated[Count | None, P(
        "stack of each thread; null: the system's", "KiB", suffix="KiBstack", label="stack",
        asked=Annotated[int, Field(ge=0, le=65536)], initial=0, rare=True,
        meaning="KiB of stack of each thread; 0: the system's")] = None
"""

PLANNED = """
import json
from pathlib import Path
from busmark.adapters import Adapter
from busmark.model import naming as dimensions
from busmark.compare.matching import is_neutral
from busmark.plan import expand
from busmark.scenario import Scenario
from busmark.store.columns import CASES

can = {"transports": ["udp"], "payloads": ["octet"], "waits": ["listener"], "qos": [],
       "options": [], "features": [], "max_body_bytes": 1000, "reach": ["network"]}
matrix = {"adapter": "udp", "stack_kib": [64, 128]}
scenario = Scenario.model_validate({"name": "x", "matrix": matrix})
cases = expand(scenario, {"udp": Adapter("udp", Path("/udp.so"), can, None)})
flats = [dimensions.flatten(case.params) for case in cases]
try:
    Scenario.model_validate({"name": "x", "matrix": {**matrix, "stack_kib": -1}})
except ValueError as error:
    refused = str(error)
print(json.dumps({
    "ids": [case.id for case in cases],
    "values": [case.params.stack_kib for case in cases],
    "columns": [column.name for column in CASES],
    "labels": [dimensions.choice_text(n, f[n]) for f in flats for n in dimensions.varying(flats)],
    "schema": Scenario.model_json_schema()["$defs"]["Matrix"]["properties"]["stack_kib"],
    "neutral": [is_neutral("stack_kib", value) for value in (None, 64)],
    "refused": refused,
}))
"""


def test_a_new_parameter_is_a_field(tmp_path: Path) -> None:
    before = "    load: Annotated["
    code = changed(tmp_path / "code", "parameters.py", before, STACK + before)
    done = subprocess.run(
        [sys.executable, "-c", PLANNED], env={**os.environ, "PYTHONPATH": str(code)},
        capture_output=True, text=True, cwd=code, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["values"] == [64, 128] and found["neutral"] == [True, False]
    assert [name.rsplit("-", 1)[1] for name in found["ids"]] == ["64KiBstack", "128KiBstack"]
    assert "stack_kib" in found["columns"] and found["labels"] == ["stack 64", "stack 128"]
    assert found["schema"]["description"].startswith("KiB of stack")
    assert "greater than or equal to 0" in found["refused"]


RULE = '''
"""Cases of one round."""

from busmark.findings.rule import Observation, Rule

RULE = Rule(
    id="one-round", title="One round only", cause="The scenario asks for one.", remedy="Ask for 5.",
    check_case=lambda view: [Observation("note", "1 round")] if view.ok.height == 1 else [],
)
'''

FOUND = """
import json, sys
from pathlib import Path
from busmark.findings import campaign_findings
from busmark.store import Result
from tools.pages.findings import page

found = [one.id for one in campaign_findings(Result(Path(sys.argv[1])))]
print(json.dumps({"found": found, "page": page()}))
"""


def test_a_new_finding_is_a_file(result: Path, tmp_path: Path) -> None:
    code = copied(tmp_path / "code")
    (code / "busmark/findings/rules/one_round.py").write_text(RULE)
    rows = result / "cases.parquet"
    pl.read_parquet(rows).filter(pl.col("round") == 0).write_parquet(rows)
    done = subprocess.run(
        [sys.executable, "-c", FOUND, str(result)], env={**os.environ, "PYTHONPATH": str(code)},
        capture_output=True, text=True, cwd=code, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert "one-round" in found["found"] and "One round only" in found["page"]
