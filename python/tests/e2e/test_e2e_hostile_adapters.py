"""Libraries that die, hang or tell what cannot be: `adapters`, `adapter check` and `run` say so."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from e2e_harness import Lab, need_adapters

ROOT = Path(__file__).resolve().parents[3]
SOURCE = ROOT / "crates/busmark-conformance/tests/c/hostile.c"


@pytest.fixture(autouse=True)
def _built() -> None:
    need_adapters("null")


def build(lab: Lab, habit: str) -> str:
    """Compile a hostile library in the commands' current folder; return its name with "./"."""
    name = f"libbusmark_{habit.lower()}.so"
    subprocess.run(
        ["cc", "-std=c11", "-shared", "-fPIC", "-O1", "-I", ROOT / "abi", f"-DHOSTILE_{habit}",
         SOURCE, "-o", lab.folder / name, "-lpthread"],
        check=True,
    )  # fmt: skip
    return f"./{name}"


@pytest.mark.parametrize(
    ("habit", "words"),
    [
        ("TITLE", "title is longer than 4096 bytes"),
        ("OPTIONS", "more than 256 options"),
        ("ESCAPE", "title has the control character U+001B"),
        ("TEXT", "title is not UTF-8"),
    ],
)
def test_what_is_declared_without_bounds_is_refused(lab: Lab, habit: str, words: str) -> None:
    library = build(lab, habit)
    assert words in " ".join(lab.busmark("adapters", library).text.split())
    ended = lab.busmark("adapter", "check", library)
    assert ended.code == 2 and words in ended.text, ended.text
    assert "\x1b[2J" not in ended.text


def test_an_end_with_code_0_is_no_pass(lab: Lab) -> None:
    ended = lab.busmark("adapter", "check", build(lab, "EXITS"), "--only", "C10")
    assert ended.code == 1, ended.text
    assert "ended with exit code 0: participant_create() had not returned" in ended.text


def test_a_library_in_the_current_folder_is_checked_listed_and_run(lab: Lab) -> None:
    library = build(lab, "HONEST")
    assert lab.busmark("adapter", "check", library, "--only", "C10").code == 0
    assert "Memory of one process" in lab.busmark("adapters", library).text
    assert "cannot be loaded" not in lab.busmark("adapters", library).text


def test_a_text_that_means_no_test_is_a_mistake(lab: Lab) -> None:
    ended = lab.busmark("adapter", "check", "null", "--only", "c99")
    assert ended.code == 2 and "no test is meant by --only" in ended.text
