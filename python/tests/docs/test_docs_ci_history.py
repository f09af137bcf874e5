"""The pipelines in docs/examples that keep a history: valid YAML, and they do as they say."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from compare_results import campaign
from docs_pages import ROOT
from seams import done
from test_docs_ci import document
from test_docs_commands import parse

from busmark.stats import LEAST_BESIDE_STEP
from busmark.track import CONFIRMATIONS

STEP = 9
"""The first result that is slower."""
FAILING = STEP + LEAST_BESIDE_STEP - 1 + CONFIRMATIONS - 1
"""The result with which the step is confirmed, and new."""


def github_steps() -> dict[str, dict[str, Any]]:
    steps = document("github-actions-history.yml")["jobs"]["history"]["steps"]
    return {step.get("name", ""): step for step in steps}


def commands(script: str) -> list[list[str]]:
    lines = script.replace("\\\n", " ").splitlines()
    return [shlex.split(line) for line in lines if line.strip().startswith("busmark ")]


def of_github() -> list[list[str]]:
    return [words for step in github_steps().values() for words in commands(step.get("run", ""))]


def of_gitlab() -> list[list[str]]:
    return commands("\n".join(document("gitlab-ci-history.yml")["history"]["script"]))


def test_both_run_the_same_commands_and_these_exist() -> None:
    assert of_github() == of_gitlab()
    assert [words[1] for words in of_github()] == ["run", "history", "history"]
    for words in of_github():
        parse(words[1:])


def test_the_history_is_stored_under_the_key_by_which_it_is_fetched() -> None:
    steps = github_steps()
    fetched, stored = steps["Fetch the history"]["with"], steps["Keep the history"]["with"]
    assert fetched["path"] == stored["path"] == "busmark-history.jsonl"
    assert stored["key"].startswith(fetched["restore-keys"])
    # Kept before the check, which may fail.
    names = list(steps)
    assert names.index("Keep the history") < names.index("Check")
    cache = document("gitlab-ci-history.yml")["history"]["cache"]
    assert (cache["paths"], cache["when"]) == (["busmark-history.jsonl"], "always")


def test_the_steps_of_the_examples_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the runner runs them: in a shell that ends with the first error. Results of which no check
    is wanted are added without one."""
    monkeypatch.chdir(tmp_path)
    command = tmp_path / "busmark"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m busmark "$@"\n')
    command.chmod(0o755)
    search = os.pathsep.join([str(tmp_path), os.environ["PATH"]])
    environment = {**os.environ, "PATH": search, "PYTHONPATH": str(ROOT / "python"),
                   "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a", "GIT_COMMITTER_NAME": "a",
                   "GIT_COMMITTER_EMAIL": "a"}  # fmt: skip

    def shell(script: str) -> int:
        done = subprocess.run(["bash", "-e", "-c", script], cwd=tmp_path, env=environment,
                              capture_output=True, text=True, check=False)  # fmt: skip
        assert done.returncode in (0, 1), done.stderr
        return done.returncode

    assert shell("git init -q") == 0
    steps = github_steps()
    ended = []
    for number in range(FAILING + 1):
        shutil.rmtree("result", ignore_errors=True)
        campaign(tmp_path / "result", 1.1 if number >= STEP else 1.0, seed=number, rounds=3,
                 samples=300, cases=({"adapter": "udp"},))  # fmt: skip
        date = f"GIT_COMMITTER_DATE=2026-02-{number + 1:02d}T12:00:00Z"
        assert shell(f"{date} git commit -q --allow-empty -m {number}") == 0
        if number in (0, FAILING):
            assert shell(steps["Add"]["run"]) == 0
            ended.append(shell(steps["Check"]["run"]))
        else:
            done("history", "add", "result", "--history", "busmark-history.jsonl")
    assert ended == [0, 1]
    for name in ("gate.md", "history.html"):
        assert (tmp_path / name).stat().st_size > 300
