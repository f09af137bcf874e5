"""`busmark report --to`: which forms there are, what becomes of a name that is none, and of a form
whose packages are not installed."""

from __future__ import annotations

import inspect
import os
import pkgutil
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path

import pytest
from synthetic_campaign import comparison

from busmark.errors import UserError
from busmark.present.formats import EXTRAS, FORMATS, MODULES, chosen

ROOT = Path(__file__).parents[3]
Completed = subprocess.CompletedProcess[str]


def test_each_form_is_written_by_its_sink_of_a_document_alone() -> None:
    for form in FORMATS.values():
        parameters = inspect.signature(pkgutil.resolve_name(form.sink)).parameters.values()
        needed = [
            p.name for p in parameters if p.default is p.empty and p.kind.name != "KEYWORD_ONLY"
        ]
        folders = [] if form.file else ["folder", "endings"] if form.is_drawn else ["folder"]
        assert needed == ["document", *folders], form.name


def test_forms_are_chosen_by_name_each_once() -> None:
    assert chosen(" html,html ") == [FORMATS["html"]]


@pytest.mark.parametrize("names", ["", ",", "html,hmtl"])
def test_a_form_that_does_not_exist_is_refused(names: str) -> None:
    with pytest.raises(UserError, match="html"):
        chosen(names)


def named(requirements: list[str]) -> set[str]:
    return {line.partition(">")[0] for line in requirements}


def test_the_extras_install_what_the_forms_need_and_nobody_else_has_to() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for extra, packages in EXTRAS.items():
        assert named(project["optional-dependencies"][extra]) == set(packages)
        assert not named(project["dependencies"]) & set(packages)
    assert {form.extra for form in FORMATS.values()} == {"", *EXTRAS}


@pytest.fixture(scope="module")
def without(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Variables of a Python that has all of this one's packages except the extras'."""
    hidden = {MODULES.get(name, name) for packages in EXTRAS.values() for name in packages}
    packages = tmp_path_factory.mktemp("packages")
    for path in Path(sysconfig.get_path("purelib")).iterdir():
        if path.name not in hidden and path.suffix != ".pth":
            (packages / path.name).symlink_to(path)
    return {**os.environ, "PYTHONPATH": f"{ROOT / 'python'}:{packages}"}


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return comparison(tmp_path_factory.mktemp("formats") / "r", samples=50, rounds=2)


def report(
    directory: Path, names: str, without: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    # Without `site`, so that the packages beside this Python are not found.
    program = [sys.executable, "-S", "-m", "busmark", "report", str(directory), "--to", names]
    return subprocess.run(program, env=without, capture_output=True, text=True)


@pytest.mark.parametrize(
    ("names", "absent", "extras"),
    [
        ("html,pdf,png", "pdf and png cannot be written without vl-convert-python", "print"),
        ("notebook", "ipykernel, nbclient and nbformat", "notebook"),
        ("svg,notebook", "svg and notebook cannot be written", "print,notebook"),
    ],
)
def test_a_form_whose_packages_are_missing_names_the_extra_and_nothing_is_written(
    names: str, absent: str, extras: str, directory: Path, without: dict[str, str]
) -> None:
    done = report(directory, names, without)
    assert done.returncode == 2, done.stderr
    assert absent in done.stderr and f"pip install 'busmark[{extras}]'" in done.stderr
    assert not (directory / "report").exists()


def test_the_other_forms_need_none_of_them(directory: Path, without: dict[str, str]) -> None:
    others = [name for name, form in FORMATS.items() if not form.extra]
    done = report(directory, ",".join(others), without)
    assert done.returncode == 0, done.stderr
    assert (directory / "report" / "report.html").exists()
