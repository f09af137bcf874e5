"""What other tools measured, in frames, tables, the workbook and the notebook: what their files do
not state stays absent."""

from __future__ import annotations

import sys
from pathlib import Path

import openpyxl
import pytest
from form_files import files
from import_harness import FILES, FORMATS, result_of

import busmark
from busmark.compare.campaign import summarise
from busmark.store import Result

sys.path.insert(0, str(Path(__file__).parents[1] / "importers"))


@pytest.fixture(scope="module", params=["perftest", "sockperf", "fastdds"])
def imported(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Result:
    names = [name for name in FORMATS if FORMATS[name] == request.param]
    assert all((FILES / name).exists() for name in names)
    return result_of(tmp_path_factory.mktemp("imported"), *names)


def test_frames_hold_samples_and_stated_figures(imported: Result) -> None:
    r = busmark.open(imported.directory)
    assert r.problems == []
    with_samples = r.cases.filter(r.cases["half_round_trip_count"] > 0)
    assert r.stated.height + with_samples.height > 0
    assert r.stated.height == 0 or r.stated["value_ns"].null_count() == 0
    for row in with_samples.iter_rows(named=True):
        found = r.latencies(row["case"])
        stated = r.cases.filter(case=row["case"])["half_round_trip_max_ns"].item()
        if found.height:
            assert found["latency_ns"].max() == pytest.approx(stated)


def test_every_form_is_written(imported: Result, tmp_path: Path) -> None:
    campaign = summarise(imported)
    assert files("csv", imported, campaign, tmp_path)
    assert files("csv-samples", imported, campaign, tmp_path)
    (path,) = files("xlsx", imported, campaign, tmp_path)
    rows = list(openpyxl.load_workbook(path)["Cases"].iter_rows(values_only=True))
    assert len([row for row in rows if row[0]]) == len(campaign.cases) + 4
    (path,) = files("notebook", imported, campaign, tmp_path)
    assert path.exists()
