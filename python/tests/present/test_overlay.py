"""Cases overlaid in one chart, whatever they differ in."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from seams import command as busmark

from busmark.errors import UserError

if TYPE_CHECKING:
    from conftest import Results


@pytest.fixture
def directory(results: Results) -> Path:
    return results("before-participants")


def test_the_command_writes_them_to_a_folder_of_their_own(directory: Path, tmp_path: Path) -> None:
    words = ["report", str(directory), "--to", "svg", "--out", str(tmp_path), "--overlay"]
    done = CliRunner().invoke(busmark, [*words, "#000,#001"], catch_exceptions=False)
    assert all((tmp_path / "overlay" / "svg") == Path(line).parent
               for line in done.stdout.splitlines())  # fmt: skip


@pytest.mark.parametrize(
    ("forms", "cases", "message"),
    [("svg", "nothing", "no case 'nothing'"), ("svg", "*", "a chart has one to 10"),
     ("svg", ",", "names 0 cases"), ("svg,html", "#000", "Name only png, svg, pdf, gnuplot")],
)  # fmt: skip
def test_what_cannot_be_overlaid_is_refused(
    directory: Path, tmp_path: Path, forms: str, cases: str, message: str
) -> None:
    words = ["report", str(directory), "--out", str(tmp_path), "--to", forms, "--overlay", cases]
    with pytest.raises(UserError, match=re.escape(message)):
        CliRunner().invoke(busmark, words, catch_exceptions=False)
