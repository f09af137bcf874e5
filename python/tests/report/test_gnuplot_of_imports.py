"""gnuplot files of samples whose source tells a round trip of each, and no times."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from form_files import files
from import_harness import result_of

from busmark.compare.campaign import summarise

sys.path.insert(0, str(Path(__file__).parents[1] / "importers"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    result = result_of(tmp_path_factory.mktemp("imported"), "fastdds_raw.csv")
    first, *_ = files("gnuplot", result, summarise(result), result.directory)
    return first.parent


def test_all_samples_are_in_the_data(folder: Path) -> None:
    files = list((folder / "data").glob("latency.*.gpd"))
    assert files
    for path in files:
        samples, *_ = path.read_text(encoding="utf-8").split("\n\n\n")
        table = np.genfromtxt(samples.splitlines(), comments="#")
        assert len(table) > 1
        assert np.isnan(table[:, 1]).all() and np.isfinite(table[:, 2]).all()
        assert list(table[:, 0]) == list(range(len(table)))


@pytest.mark.skipif(not shutil.which("gnuplot"), reason="gnuplot is not installed")
def test_they_are_plotted(folder: Path) -> None:
    done = subprocess.run(["gnuplot", "plot-all.gpi"], cwd=folder, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    pictures = list((folder / "images").iterdir())
    assert len(pictures) == len(list((folder / "scripts").iterdir())) > 0
