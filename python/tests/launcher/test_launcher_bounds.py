"""What a process prints has an end, wherever it goes."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from busmark.launcher import PIPE, STDOUT, Launched, PrintsWithoutEnd, Start, completed, python

MOST = 1 << 20
PATIENCE_S = 60.0
ENDLESS = ["sh", "-c", "exec yes words", "printer"]
ON_ERRORS = ["sh", "-c", "exec yes words >&2", "printer"]


@pytest.mark.parametrize("command", [ENDLESS, ON_ERRORS])
def test_what_prints_into_a_pipe_without_end_is_ended(command: list[str]) -> None:
    with (
        Launched(Start(command), None, stderr=PIPE, most_bytes=MOST) as process,
        pytest.raises(PrintsWithoutEnd, match="more than 1 MiB"),
    ):
        process.complete(PATIENCE_S)
    assert process.killed == "it was ended, for it printed more than 1 MiB"


@pytest.mark.parametrize("to", ["stdout", "stderr"])
def test_what_prints_into_a_file_without_end_is_ended_and_its_first_words_stay(
    tmp_path: Path, to: str
) -> None:
    path = tmp_path / "printed"
    outputs = {"stdout": path, "stderr": STDOUT} if to == "stdout" else {"stderr": path}
    command = ENDLESS if to == "stdout" else ON_ERRORS
    with Launched(Start(command), None, most_bytes=MOST, **outputs) as process:  # type: ignore[arg-type]
        assert process.wait(PATIENCE_S) is not None, "still prints"
        end = time.monotonic() + PATIENCE_S
        while path.stat().st_size > MOST and time.monotonic() < end:
            time.sleep(0.01)
    assert process.killed == "it was ended, for it printed more than 1 MiB"
    assert path.stat().st_size == MOST and path.read_bytes().startswith(b"words\nwords\n")


def test_input_and_both_outputs_pass_whole() -> None:
    data = bytes(range(256)) * 4096
    code, out, err = completed(
        ["sh", "-c", "tee /dev/stderr; exit 3"], data=data, within_s=PATIENCE_S
    )
    assert code == 3 and out == err == data.decode(errors="replace")


def test_an_input_that_nobody_reads_is_no_error() -> None:
    assert completed(["true"], data=b"x" * MOST, within_s=PATIENCE_S)[0] == 0


def test_a_log_is_not_written_through_a_link(tmp_path: Path) -> None:
    other, log = tmp_path / "other", tmp_path / "log"
    other.write_text("mine")
    log.symlink_to(other)
    with Launched(Start(["echo", "words"]), None, stdout=log) as process:
        assert process.wait(PATIENCE_S) == 0
    assert other.read_text() == "mine" and log.read_text() == "words\n"


def test_a_child_in_python_takes_no_module_from_where_it_is(tmp_path: Path) -> None:
    (tmp_path / "busmark").mkdir()
    (tmp_path / "busmark" / "__init__.py").write_text("print('owned')")
    (tmp_path / "busmark" / "__main__.py").write_text("print('owned')")
    code, out, err = completed(python("-m", "busmark", "--version"), folder=tmp_path)
    assert code == 0 and "owned" not in out and out.startswith("busmark"), out + err
