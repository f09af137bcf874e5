"""Documents as files that are reviewed: `BUSMARK_GOLDEN=write pytest` writes them anew."""

from __future__ import annotations

import sys
import tarfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import drawn_campaigns
import pytest
import synthetic_campaign
import varied_campaigns
from kept_results import KEPT
from seams import done, or_skip, reviewed

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from tools.browser import Browser, executable

FOLDER = Path(__file__).parent / "golden"
RECORDED = Path(__file__).parents[1] / "oracles" / "results"
IMPORTS = Path(__file__).parents[2] / "busmark" / "plugins" / "imports" / "tests"
MADE = {
    "comparison": lambda folder: synthetic_campaign.comparison(folder, samples=1500, rounds=3),
    "hostile": synthetic_campaign.hostile,
    "varied": varied_campaigns.varied,
    "alike": varied_campaigns.alike,
    "failed": varied_campaigns.failed,
    "named": varied_campaigns.named,
    "messages": varied_campaigns.messages,
    "interop": varied_campaigns.interop,
    "types": varied_campaigns.types,
    "applications": varied_campaigns.applications,
    "everything": drawn_campaigns.everything,
    "odd": drawn_campaigns.odd,
}
"""Results with known answers, by name. All others are recorded, kept or imported ones."""

Golden = Callable[[str, str], None]
Results = Callable[[str], Path]


@pytest.fixture(scope="session")
def golden() -> Golden:
    return lambda name, text: reviewed(FOLDER / name, text)


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a folder of results; whoever shows one from here has no names of this machine in it."""
    return tmp_path_factory.mktemp("results")


@pytest.fixture(scope="session")
def results(folder: Path) -> Results:
    """Return the directory of a result by its name; each is made once."""

    @cache
    def directory(name: str) -> Path:
        path = folder / name
        if name in MADE:
            return MADE[name](path)
        if name.startswith("import/"):
            done("import", IMPORTS / name.removeprefix("import/"), "--out", path)
            return path
        (packed,) = (
            p for p in (KEPT / f"{name}.tar.xz", RECORDED / f"{name}.tar.xz") if p.exists()
        )
        with tarfile.open(packed) as archive:
            archive.extractall(path, filter="data")
        return path / "result"

    return directory


@pytest.fixture(scope="session")
def installed() -> None:
    """Skip the test where there is no browser."""
    or_skip(executable)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory, installed: None) -> Iterator[Browser]:
    """Open a headless browser."""
    with Browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture(scope="module")
def path(results: Results, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the page of a comparison with everything in it."""
    folder = tmp_path_factory.mktemp("page")
    done("report", results("comparison"), "--out", folder)
    return folder / "report.html"
