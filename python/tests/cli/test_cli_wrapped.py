"""Messages as wide as the terminal."""

from __future__ import annotations

import pytest

from busmark.cli.output import wrapped

MESSAGE = """busmark: f.toml:3: one two three four
  Did you mean five, six or seven?
    a = 1 + 2 + 3 + 4 + 5 + 6"""


def test_lines_break_between_words_and_source_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "24")
    assert wrapped(MESSAGE).splitlines() == [
        "busmark: f.toml:3: one",
        "  two three four",
        "  Did you mean five, six",
        "    or seven?",
        "    a = 1 + 2 + 3 + 4 + 5 + 6",
    ]


def test_a_pipe_gets_whole_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "24")
    assert wrapped(MESSAGE) == MESSAGE


def test_a_command_is_not_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "30")
    told = wrapped("x: not built here: use `make adapters` now", err=False)
    assert told.splitlines() == ["x: not built here: use", "  `make adapters` now"]
    assert wrapped("a" * 20 + " " + "b" * 20) == "a" * 20 + " " + "b" * 20  # the other stream
