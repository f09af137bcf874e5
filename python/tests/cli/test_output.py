"""No text of a file or a library reaches the terminal as a command to it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from seams import run
from synthetic_campaign import small

import busmark.cli
from busmark.cli.output import wrapped

HOSTILE = "a\x1b]0;owned\x07\x1b[2J\x1b[1A\r\x08\x9b31mz\u202eb"


def is_harmless(printed: str) -> bool:
    """Return whether a text has no control characters but line ends and tabs, and is not turned."""
    return all(c in "\n\t" or (ord(c) >= 0x20 and not 0x7F <= ord(c) < 0xA0) for c in printed) and (
        "\u202e" not in printed
    )


def hostile(directory: Path) -> None:
    """Make every text of a manifest hostile."""
    path = directory / "manifest.json"
    document = json.loads(path.read_text())
    document["scenario"] |= {"name": HOSTILE, "question": HOSTILE}
    document["missing_adapters"] = {HOSTILE: HOSTILE}
    for adapter in document["adapters"].values():
        adapter["title"] = HOSTILE
    for finding in document["findings"]:
        finding |= {"title": HOSTILE, "remedy": HOSTILE}
    for case in document["cases"]:
        case["reason"] = HOSTILE
        case["params"]["transport"] = HOSTILE
    path.write_text(json.dumps(document))


@pytest.mark.parametrize("words", [["show"], ["show", "--json"], ["predict"], ["report"]])
def test_a_hostile_result_is_shown_harmlessly(tmp_path: Path, words: list[str]) -> None:
    directory = small(tmp_path / "r")
    hostile(directory)
    ended = run(words[0], directory, *words[1:])
    assert is_harmless(ended.out) and is_harmless(ended.text)


def test_an_output_without_unicode_is_no_error(tmp_path: Path) -> None:
    directory = small(tmp_path / "r")
    done = subprocess.run(
        [sys.executable, "-m", "busmark", "show", str(directory)],
        env={"PYTHONIOENCODING": "ascii", "PYTHONPATH": ":".join(sys.path)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "Median RTT/2, us" in done.stdout and "\\x" not in done.stdout + done.stderr
    assert "\\u" not in done.stdout + done.stderr


def test_every_command_prints_through_it() -> None:
    folder = Path(busmark.cli.__file__).parent
    for path in sorted(folder.glob("*.py")):
        if path.name not in ("output.py", "console.py", "documents.py"):
            text = path.read_text(encoding="utf-8")
            assert "click.echo(" not in text and "rich.console import Console" not in text, path


MESSAGE = """busmark: f.toml:3: one two three four
  Did you mean five, six or seven?
    a = 1 + 2 + 3 + 4 + 5 + 6
x: not built: `make adapters`"""


def test_a_message_is_as_wide_as_its_terminal_and_breaks_no_source_nor_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    assert wrapped(MESSAGE) == MESSAGE, "a pipe gets whole lines"
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    assert wrapped(MESSAGE).splitlines() == [
        "busmark: f.toml:3: one two", "  three four",
        "  Did you mean five, six or", "    seven?",
        "    a = 1 + 2 + 3 + 4 + 5 + 6",
        "x: not built: `make adapters`",
    ]  # fmt: skip
    assert wrapped("y: is not built: `make it`").splitlines() == ["y: is not built: `make it`"]
    assert wrapped("y: is not built here: `make it`").splitlines()[1] == "  `make it`"
