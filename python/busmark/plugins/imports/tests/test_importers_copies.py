"""One run counts once, however its file was copied; two runs count twice, however alike."""

from __future__ import annotations

from pathlib import Path

import pytest
from import_harness import FILES, FORMATS, text_of
from seams import done

from busmark.store import Result


def written(folder: Path, name: str, first: bytes, second: bytes) -> int:
    """Import two files with these contents; return how many rounds there are."""
    for place, content in (("a", first), ("b", second)):
        (folder / place).mkdir()
        (folder / place / name).write_bytes(content)
    done("import", folder / "a", folder / "b", "--out", folder / "out")
    return Result(folder / "out").cases.height


COPIES = {
    "byte order mark": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "UTF-16": lambda text: text.encode("utf-16"),
    "CRLF": lambda text: text.replace("\n", "\r\n").encode(),
    "blank end": lambda text: (text + "\n\n").encode(),
}


@pytest.mark.parametrize("copy", COPIES)
@pytest.mark.parametrize("name", [n for n in sorted(FORMATS) if not n.endswith(".json")])
def test_a_copy_in_another_encoding_is_the_same_file(tmp_path: Path, name: str, copy: str) -> None:
    text = text_of(name)
    done("import", FILES / name, "--out", tmp_path / "alone")
    alone = Result(tmp_path / "alone").cases.height
    assert written(tmp_path, name, text.encode(), COPIES[copy](text)) == alone


LOG = "performance_test.csv"


def test_a_copy_of_another_log_name_is_the_same_run(tmp_path: Path) -> None:
    text = text_of(LOG)
    renamed = text.replace("Logfile name: ", "Logfile name: copy-of-")
    assert renamed != text
    assert written(tmp_path, LOG, text.encode(), renamed.encode()) == 1


def test_a_log_that_was_cut_off_and_the_whole_one_are_one_run(tmp_path: Path) -> None:
    text = text_of(LOG)
    rows = text.rstrip("\n").split("\n")
    assert written(tmp_path, LOG, "\n".join([*rows[:-1], ""]).encode(), text.encode()) == 1


def test_two_runs_with_other_figures_are_two_rounds(tmp_path: Path) -> None:
    text = text_of(LOG)
    head, _, row = text.rstrip("\n").rpartition("\n")
    other = f"{head}\n{row.replace('1', '2')}\n".replace("Experiment id: ", "Experiment id: 1")
    assert other != text
    assert written(tmp_path, LOG, text.encode(), other.encode()) == 2
