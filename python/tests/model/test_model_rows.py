"""A parameter is a field, a quantity and a statistic are rows, a finding is a file: all else has it
from there."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import openpyxl
import polars as pl
import pytest
from seams import row_of
from synthetic_campaign import Builder, samples_around

import busmark
from busmark.model.parameters import MEASURE
from busmark.model.quantities import OF_CASES
from busmark.model.statistics import POOLED, STATISTICS

ROOT = Path(__file__).resolve().parents[3]


def test_a_key_stands_for_one_figure() -> None:
    keys = [one.key for one in (*STATISTICS, *POOLED, *OF_CASES)]
    assert len(set(keys)) == len(keys)


PERCENTILE = "    percentile(95.0),\n"

TAIL = """
def _tail(case):
    found = case.rtt_2 and case.rtt_2.figure("p99")
    return found and found.model_copy(
        update={"value": found.value / case.rtt_2.median.value, "low": None, "high": None,
                "unit": "1"}
    )


TAIL_SHARE = EstimatedQuantity(
    key="tail_share", unit="1", meaning="99th percentile over the median", pick=_tail,
    explained=(Explained("Tail", (), "p99 over median.", "", "the figures", "Why.",
                         section="Latency"),),
)

OF_CASES = (TAIL_SHARE, """


@pytest.fixture
def result(tmp_path: Path) -> Path:
    """Write one case of three rounds."""
    build = Builder(tmp_path / "result")
    rng = np.random.default_rng(3)
    case = build.case("udp-64", adapter="udp")
    for number in range(3):
        build.pings(case, number, samples_around(20_000.0, 2000, rng))
    return build.finish()


def copied(folder: Path) -> Path:
    """Copy the package and the tools."""
    package = Path(busmark.__file__).parent
    shutil.copytree(package, folder / "busmark", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(package.parents[1] / "tools", folder / "tools",
                    ignore=shutil.ignore_patterns("__pycache__"))  # fmt: skip
    return folder


def changed(folder: Path, module: str, before: str, after: str) -> Path:
    """Copy the package, and change one file of `model`."""
    path = copied(folder) / "busmark" / "model" / module
    text = path.read_text()
    assert text.count(before) == 1
    path.write_text(text.replace(before, after))
    return folder


def ran(code: Path, *words: object) -> str:
    """Return the output of a program that uses this copy of the package."""
    done = subprocess.run(
        [sys.executable, *map(str, words)], env={**os.environ, "PYTHONPATH": str(code)},
        capture_output=True, text=True, cwd=code, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


REFERENCE = "from tools.pages.metrics import page; print(page())"


def test_a_new_percentile_is_a_row(result: Path, tmp_path: Path) -> None:
    before = "    MEAN,\n"
    code = changed(tmp_path / "code", "statistics.py", before, before + PERCENTILE)
    (case,) = json.loads(ran(code, "-m", "busmark", "show", result, "--json"))["cases"]
    names = ("median", "p95", "p99")
    median, p95, p99 = (row_of(case, "half_round_trip", name)["value"] for name in names)
    assert median < p95 < p99
    assert "p95 of a round" in ran(code, "-m", "busmark", "show", f"{result}#udp-64")
    files = ran(code, "-m", "busmark", "report", result, "--to", "xlsx,csv", "--out", tmp_path)
    assert "report.xlsx" in files
    cells = [cell.value for row in openpyxl.load_workbook(tmp_path / "report.xlsx")["Cases"]
             for cell in row]  # fmt: skip
    assert "half round trip p95, µs" in cells
    frame = pl.read_csv(tmp_path / "csv" / "cases.csv")
    assert frame["half_round_trip_p95_ns"].item() == pytest.approx(p95, rel=1e-3)
    assert frame["jitter_p95_ns"].item() is not None
    ran(code, "-m", "busmark", "show", result, "--require", "p95(half_round_trip) <= 1s")
    assert re.search(r"p95, p99(, p[\d.]+)* and p[\d.]+ of a round", ran(code, "-c", REFERENCE))


def test_a_new_quantity_is_a_row(result: Path, tmp_path: Path) -> None:
    code = changed(tmp_path / "code", "quantities/latency.py", "\nOF_CASES = (", TAIL)
    layout = code / "busmark" / "present" / "layout.py"
    row = '    Shown(latency.TAIL_SHARE, LATENCY, Heading("Tail", interval=False)),\n'
    layout.write_text(
        layout.read_text()
        .replace("HEADLINE = (\n", f"HEADLINE = (\n{row}")
        .replace("import OF_CASES, action, host,", "import OF_CASES, action, host, latency,")
    )
    (case,) = json.loads(ran(code, "-m", "busmark", "show", result, "--json"))["cases"]
    median, p99 = (row_of(case, "half_round_trip", name)["value"] for name in ("median", "p99"))
    ran(code, "-m", "busmark", "report", result, "--to", "csv", "--out", tmp_path)
    share = pl.read_csv(tmp_path / "csv" / "cases.csv")["tail_share"].item()
    assert share == pytest.approx(p99 / median, rel=1e-6)
    assert "Tail" in ran(code, "-m", "busmark", "show", result)
    assert "### Tail" in ran(code, "-c", REFERENCE)


STACK = """    stack_kib: Annotated[Count | None, P(
        "stack of each thread; null: the system's", "KiB", suffix="KiBstack", label="stack",
        asked=Annotated[int, Field(ge=0, le=65536)], initial=0, rare=True,
        meaning="KiB of stack of each thread; 0: the system's")] = None
"""

PLANNED = """
import json
from pathlib import Path
from busmark.adapters import Adapter
from busmark.store import TABLES
from busmark.plan import expand
from busmark.scenario import Scenario

can = {"transports": ["udp"], "payloads": ["octet"], "waits": ["listener"], "qos": [],
       "options": [], "features": [], "max_body_bytes": 1000, "reach": ["network"]}
matrix = {"adapter": "udp", "stack_kib": [64, 128]}
scenario = Scenario.model_validate({"name": "x", "matrix": matrix})
cases = expand(scenario, {"udp": Adapter("udp", Path("/udp.so"), can, None)})
try:
    Scenario.model_validate({"name": "x", "matrix": {**matrix, "stack_kib": -1}})
except ValueError as error:
    refused = str(error)
print(json.dumps({
    "ids": [case.id for case in cases],
    "values": [case.params.stack_kib for case in cases],
    "columns": [column.name for column in TABLES["cases"]],
    "schema": Scenario.model_json_schema()["$defs"]["Matrix"]["properties"]["stack_kib"],
    "refused": refused,
}))
"""


def test_a_new_parameter_is_a_field(tmp_path: Path) -> None:
    before = "    load: Annotated["
    code = changed(tmp_path / "code", "parameters.py", before, STACK + before)
    found = json.loads(ran(code, "-c", PLANNED))
    assert found["values"] == [64, 128]
    assert [name.rsplit("-", 1)[1] for name in found["ids"]] == ["64KiBstack", "128KiBstack"]
    assert "stack_kib" in found["columns"]
    assert found["schema"]["description"].startswith("KiB of stack")
    assert "greater than or equal to 0" in found["refused"]


GRACE = """    grace_s: Annotated[Seconds, P(
        role="effort", measure=Minute, initial=0.5, setup="schedule",
        meaning="seconds without a write")] = 0.0
"""

SENT = """
import json
from pathlib import Path
from busmark.adapters import Adapter
from busmark.control.roles import roles
from busmark.plan import expand
from busmark.plan.flows import flows
from busmark.scenario import Scenario

can = {"transports": ["udp"], "payloads": ["octet"], "waits": ["listener"], "qos": [],
       "options": [], "features": [], "max_body_bytes": 1000, "reach": ["network"]}
asked = {"name": "x", "matrix": {"adapter": "udp"}, "measure": {"grace_s": "20ms"}}
scenario = Scenario.model_validate(asked)
(case,) = expand(scenario, {"udp": Adapter("udp", Path("/udp.so"), can, None)})
made = roles(flows(case.params), case.params, 1)
sent = [role["schedule"] for own in made.values() for role in own if "schedule" in role]
print(json.dumps({"case": case.params.grace_s, "sent": [each["grace_ns"] for each in sent]}))
"""


def test_a_new_key_of_measure_is_a_field(tmp_path: Path) -> None:
    before = "    verify: Annotated["
    code = changed(tmp_path / "code", "parameters.py", before, GRACE + before)
    assert json.loads(ran(code, "-c", SENT)) == {"case": 0.02, "sent": [20_000_000]}


def test_a_worker_knows_the_keys_of_measure_by_their_names() -> None:
    """Rust has its own structures; the schema that it prints names their fields."""
    parts = json.loads((ROOT / "schemas" / "control.schema.json").read_text())["$defs"]
    roles = [shape["properties"] for shape in parts["RoleSpec"]["oneOf"]]
    known = {
        "schedule": {*parts["Schedule"]["properties"]},
        "stream": {*parts["StreamSpec"]["properties"]},
        "role": {name for properties in roles for name in properties},
    }
    assert not [
        each.name for each in MEASURE if each.setup and each.setting not in known[each.setup]
    ]


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
from busmark.store import Result
from busmark.findings import campaign_findings
from tools.pages.findings import page

found = [one.id for one in campaign_findings(Result(Path(sys.argv[1])))]
print(json.dumps({"found": found, "page": page()}))
"""


def test_a_new_finding_is_a_file(result: Path, tmp_path: Path) -> None:
    code = copied(tmp_path / "code")
    (code / "busmark/findings/rules/one_round.py").write_text(RULE)
    rows = result / "cases.parquet"
    pl.read_parquet(rows).filter(pl.col("round") == 0).write_parquet(rows)
    found = json.loads(ran(code, "-c", FOUND, result))
    assert "one-round" in found["found"] and "One round only" in found["page"]
