"""ARCHITECTURE.md and the pages of docs/internals agree with folders, imports, dependencies."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from docs_pages import ROOT, imports

PACKAGE = ROOT / "python" / "busmark"
TEXT = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
INTERNALS = ROOT / "docs" / "internals"
SECTION = (INTERNALS / "imports.md").read_text(encoding="utf-8")
CORE, _, PLUGINS = SECTION.partition("| plug-in |")
ROWS = re.findall(r"^\| `(\w+)` \| (.*?) \|", CORE, re.MULTILINE)
OF_PLUGINS = dict(re.findall(r"^\| `(\w+)` \| (.*?) ?\|", PLUGINS, re.MULTILINE))
ALLOWED = {package: set(re.findall(r"`(\w+)`", imports)) for package, imports in ROWS}
FLOORS = {
    package: int(number)
    for number, row in re.findall(r"^\| (\d+) \| (`.*) \|$", TEXT, re.MULTILINE)
    for package in re.findall(r"`(\w+)`", row)
}
DEPENDENCIES = (INTERNALS / "dependencies.md").read_text(encoding="utf-8")


def imported(package: str) -> set[str]:
    """Return the packages of Busmark that one package's modules import, type checking included."""
    place = PACKAGE / package
    files = place.rglob("*.py") if place.is_dir() else [place.with_suffix(".py")]
    whole = [f"{module}.{name}".split(".") for path in files for module, name in imports(path)]
    found = {names[1] for names in whole if names[0] == "busmark" and not names[1].startswith("_")}
    return found - {package, ""}


def own_packages() -> set[str]:
    """Return the packages, and the modules beside them."""
    packages = {p.parent.name for p in PACKAGE.glob("*/__init__.py")}
    modules = {p.stem for p in PACKAGE.glob("*.py") if not p.stem.startswith("_")}
    return packages | modules


def test_the_table_lists_every_package() -> None:
    assert set(ALLOWED) == own_packages()


@pytest.mark.parametrize("package", sorted(ALLOWED))
def test_a_package_imports_what_the_table_says(package: str) -> None:
    if package not in ("cli", "plugins"):
        assert imported(package) == ALLOWED[package]


def test_imports_go_down_and_never_sideways() -> None:
    assert set(FLOORS) == own_packages()
    wrong = {
        (package, other)
        for package in FLOORS
        for other in imported(package) & set(FLOORS)
        if FLOORS[other] >= FLOORS[package]
    }
    assert not wrong


def test_the_table_of_imports_follows_the_floors() -> None:
    floors = [FLOORS[package] for package in ALLOWED]
    assert floors == sorted(floors)


def of_plugins(path: Path) -> set[str]:
    """Return the plug-ins that a module imports."""
    names = [f"{module}.{name}" for module, name in imports(path)]
    return {name.split(".")[2] for name in names if name.startswith("busmark.plugins.")}


def test_the_core_imports_no_plugin() -> None:
    own = PACKAGE / "plugins"
    core = [path for path in PACKAGE.rglob("*.py") if own not in path.parents]
    assert {str(path): found for path in core if (found := of_plugins(path))} == {}


@pytest.mark.parametrize("name", sorted(OF_PLUGINS))
def test_a_plugin_imports_the_plugins_that_the_table_allows(name: str) -> None:
    own = PACKAGE / "plugins" / name
    modules = (path for path in own.rglob("*.py") if own / "tests" not in path.parents)
    found = set().union(*map(of_plugins, modules))
    assert found - {name} <= set(re.findall(r"`(\w+)`", OF_PLUGINS[name]))


def test_the_table_lists_every_plugin() -> None:
    assert set(OF_PLUGINS) == {p.parent.name for p in PACKAGE.glob("plugins/*/__init__.py")}


def manifests() -> list[Path]:
    """Return the manifests of the core's crates and of the adapters."""
    return [*ROOT.glob("crates/*/Cargo.toml"), *ROOT.glob("adapters/*/Cargo.toml")]


def test_every_rust_dependency_has_its_reason() -> None:
    needed: set[str] = set()
    for path in manifests():
        manifest = tomllib.loads(path.read_text(encoding="utf-8"))
        for key in ("dependencies", "build-dependencies"):
            needed |= set(manifest.get(key, {}))
    named = set(re.findall(r"`([\w-]+)`", DEPENDENCIES))
    assert {name for name in needed if not name.startswith("busmark")} <= named


def test_every_python_dependency_has_its_reason() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = {k: v for k, v in project["optional-dependencies"].items() if k != "dev"}
    texts = [*project["dependencies"], *(text for extra in extras.values() for text in extra)]
    needed = {re.split(r"[<>=\[ ]", text)[0] for text in texts}
    assert needed <= set(re.findall(r"`([\w-]+)`", DEPENDENCIES))


def test_every_folder_in_the_table_exists() -> None:
    section = TEXT.partition("## Folders")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)
    for folder in re.findall(r"`([^`]+)`", " ".join(rows)):
        assert (ROOT / folder).exists(), folder
