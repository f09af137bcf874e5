"""Files of a report in a folder that holds others: only an earlier report's change."""

from __future__ import annotations

from pathlib import Path

import pytest

from busmark.errors import UserError
from busmark.present.replace import LIST, replaced


def make(folder: Path, *names: str) -> None:
    with replaced(folder) as place:
        for name in names:
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_text(f"report: {name}")


def files(folder: Path) -> set[str]:
    found = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if not p.is_dir()}
    return found - {LIST}


def test_what_an_earlier_report_made_is_replaced_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    make(tmp_path, "index.md", "data/a", "data/b")
    (tmp_path / "data" / "mine").write_text("mine")
    make(tmp_path, "index.md", "data/b", "c")
    assert files(tmp_path) == {"mine.txt", "data/mine", "index.md", "data/b", "c"}
    assert (tmp_path / "data" / "b").read_text() == "report: data/b"


@pytest.mark.parametrize("taken", ["index.md", "data", "data/b/c"])
def test_a_file_of_the_user_in_the_way_is_told_and_nothing_changes(
    tmp_path: Path, taken: str
) -> None:
    (tmp_path / taken).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / taken).write_text("mine")
    with pytest.raises(UserError, match="no report has made it"):
        make(tmp_path, "a", "index.md", "data/b")
    assert files(tmp_path) == {taken}
    assert (tmp_path / taken).read_text() == "mine"
    assert not (tmp_path / LIST).exists()


def test_a_report_that_fails_leaves_the_earlier_one(tmp_path: Path) -> None:
    make(tmp_path, "index.md", "a")
    with pytest.raises(ZeroDivisionError), replaced(tmp_path) as place:
        (place / "index.md").write_text("half")
        raise ZeroDivisionError
    assert files(tmp_path) == {"index.md", "a"}
    assert (tmp_path / "index.md").read_text() == "report: index.md"


def test_a_list_that_names_other_files_deletes_none_outside(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "mine").write_text("mine")
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "link").symlink_to("../outside")
    (folder / "file").symlink_to("../outside/mine")
    mine = tmp_path / "outside" / "mine"
    (folder / LIST).write_text(f"../outside/mine\nlink/mine\n{mine}\nlink\n.\nfile\n\n")
    make(folder, "a")
    assert mine.read_text() == "mine"
    assert (folder / "link").is_symlink()
