"""Tests go through the doors of packages, so that what is behind them can change."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from docs_pages import ROOT, imports

PACKAGE = ROOT / "python" / "busmark"
TESTS = ROOT / "python" / "tests"

DOORS = """
adapters.compliance cli.documents cli.main cli.options cli.output cli.places compare.campaign
control.roles estimate.all_cases estimate.capacity estimate.columns estimate.frames
estimate.one_case estimate.rounds findings.registry findings.rule findings.view host.readings
model.case model.figure model.limits model.naming
model.parameters model.statistics model.stream model.text model.units plan.counts plan.extent
plan.refusals plugins.lab.lab present.blocks.report
present.charts.look present.charts.shapes present.document present.figures present.formats
present.layout scenario.requirement store.checksum store.named store.samples
"""
"""Modules that another package imports, and so may a test; one more is a decision."""

INSIDE = {
    "busmark.cli.live.campaign_app": "Textual's pilot drives the application itself",
    "busmark.plugins.papers.repetition": "oracles keep verdicts that no file has in numbers",
    "busmark.present.display": "notebooks that we write import it",
    "busmark.present.drawings": "of each document one chart of a kind is drawn on paper",
    "busmark.present.sinks.notebook": "a kernel that ends, and cells that fail",
    "busmark.present.sinks.tables": "types of columns, which a CSV file does not have",
    "busmark.present.sinks.panels": "looks of overlaid cases, which the page's script draws",
    "busmark.present.vega.parts": "a legend whose names have several lines",
    "busmark.present.texts": "every sentence of documents is reviewed once, by its template",
}
"""Modules behind a door that a test may import all the same, each with its reason."""

FOLDERS = {folder: "-" for folder in TESTS.iterdir() if any(folder.glob("*.py"))} | {
    path: path.parent.name for path in PACKAGE.glob("plugins/*/tests")
}
"""Folders of tests, each with its plug-in: tests of a plug-in belong to it, and see its modules."""


def name_of(path: Path) -> str:
    """Return the name by which a file of the package is imported."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__")


MODULES = {
    name_of(path): path
    for path in PACKAGE.rglob("*.py")
    if "tests" not in path.relative_to(PACKAGE).parts
}


def part(module: str) -> str:
    """Return the package of a module: one of the core, or a plug-in."""
    names = module.split(".")
    return ".".join(names[1 : 3 if names[1:2] == ["plugins"] else 2])


@cache
def exported(package: str) -> set[str]:
    """Return the names that a package imports from its modules."""
    path = MODULES.get(package, Path())
    return {name for _, name in imports(path)} if path.name == "__init__.py" else set()


def modules(path: Path) -> Iterator[str]:
    """Yield every module of Busmark's that a file imports; for a name that a package has, yield the
    package."""
    for module, name in imports(path):
        within = f"{module}.{name}"
        found = within if within in MODULES and name not in exported(module) else module
        if found in MODULES:
            yield found


@pytest.fixture(scope="module")
def doors() -> set[str]:
    """Return packages, modules beside them and `DOORS`; another package imports each of `DOORS`."""
    listed = {f"busmark.{name}" for name in DOORS.split()}
    assert listed <= {
        module
        for own, path in MODULES.items()
        for module in modules(path)
        if part(module) != part(own)
    }
    return listed | {
        name for name, path in MODULES.items() if path.name == "__init__.py" or name.count(".") == 1
    }


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_test_imports_doors_only(folder: Path, doors: set[str]) -> None:
    behind = {
        (path.name, module)
        for path in folder.rglob("*.py")
        for module in modules(path)
        if part(module) != f"plugins.{FOLDERS[folder]}"
    }
    assert {(file, module) for file, module in behind if module not in doors | {*INSIDE}} == set()


def test_no_module_is_listed_in_vain(doors: set[str]) -> None:
    imported = {name for each in FOLDERS for path in each.rglob("*.py") for name in modules(path)}
    assert imported >= {f"busmark.{name}" for name in DOORS.split()} | {*INSIDE}
    assert not doors & {*INSIDE}
