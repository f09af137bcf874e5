"""The pipelines in docs/examples: valid YAML, and their comparison gates as they say."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from compare_results import campaign
from docs_pages import ROOT
from seams import done
from test_docs_commands import parse

EXAMPLES = ROOT / "docs" / "examples"


def document(name: str) -> dict[str, Any]:
    """Read a YAML file with the system's Python, for Busmark itself needs no YAML."""
    convert = "import json, sys, yaml; print(json.dumps(yaml.safe_load(sys.stdin)))"
    done = subprocess.run(["/usr/bin/python3", "-c", convert], capture_output=True, text=True,
                          input=(EXAMPLES / name).read_text(), check=False)  # fmt: skip
    if "No module named" in done.stderr:
        pytest.skip("not installed: python3-yaml")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def github_steps() -> list[dict[str, Any]]:
    steps: list[dict[str, Any]] = document("github-actions.yml")["jobs"]["compare"]["steps"]
    return steps


def github_script() -> str:
    (step,) = (step for step in github_steps() if step.get("name") == "Compare")
    return str(step["run"])


def gitlab_script() -> str:
    lines = document("gitlab-ci.yml")["compare"]["script"]
    return "\n".join(line for line in lines if line.startswith("busmark compare"))


def test_both_have_the_same_gate() -> None:
    assert shlex.split(github_script().replace("\\\n", " ")) == shlex.split(gitlab_script())


def test_every_command_exists() -> None:
    scripts = [step["run"] for step in github_steps() if "run" in step]
    jobs = document("gitlab-ci.yml")
    scripts += [line for job in jobs.values() if isinstance(job, dict)
                for line in job.get("script", [])]  # fmt: skip
    lines = [line for text in scripts for line in text.replace("\\\n", " ").splitlines()]
    commands = [line.split(" > ")[0] if "doctor" in line else line
                for line in lines if line.strip().startswith("busmark ")]  # fmt: skip
    assert len(commands) >= 5
    for command in commands:
        parse(shlex.split(command)[1:])


def test_the_workflow_of_the_page_names_files_that_its_command_writes(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "tasks" / "use-in-ci.md").read_text(encoding="utf-8")
    workflow = page.partition("```yaml\n")[2].partition("```")[0]
    (report,) = (line for line in workflow.splitlines() if "busmark report" in line)
    parse(shlex.split(report)[1:])
    named = set(re.findall(r"figures/(\S+)", workflow))
    result = campaign(tmp_path / "result", samples=50, rounds=2)
    done("report", result, "--to", "github,bencher", "--out", tmp_path / "out")
    assert named <= {path.name for path in (tmp_path / "out").rglob("*.json")}


def test_a_baseline_is_stored_under_the_key_by_which_it_is_fetched() -> None:
    by_name = {step.get("name"): step for step in github_steps()}
    fetched, stored = by_name["Fetch the baseline"]["with"], by_name["Store the baseline"]["with"]
    assert fetched["path"] == stored["path"] == "baseline"
    assert stored["key"].startswith(fetched["restore-keys"])
    assert fetched["key"].startswith(fetched["restore-keys"])
    jobs = document("gitlab-ci.yml")
    first, second = jobs["baseline"]["cache"], jobs["compare"]["cache"]
    assert (first["key"], first["paths"]) == (second["key"], second["paths"])
    assert (first["policy"], second["policy"]) == ("push", "pull")


@pytest.mark.parametrize(("factor", "code"), [(1.0, 0), (1.3, 1)])
def test_the_gate_of_the_examples_works(tmp_path: Path, factor: float, code: int) -> None:
    """As the runners run it: in a shell that ends with the first error."""
    from compare_results import Builder, flood

    for name, seed, own in (("baseline", 1, 1.0), ("result", 2, factor)):
        build = Builder(tmp_path / name, seed=seed)
        flood(build, [400_000.0, 401_000.0, 399_000.0])
        campaign(build.directory, own, seed=seed, build=build)
    command = tmp_path / "busmark"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m busmark "$@"\n')
    command.chmod(0o755)
    search = os.pathsep.join([str(tmp_path), os.environ["PATH"]])
    environment = {**os.environ, "PATH": search, "PYTHONPATH": str(ROOT / "python")}
    done = subprocess.run(["bash", "-e", "-c", github_script()], cwd=tmp_path, env=environment,
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert done.returncode == code, done.stderr
    suites = ElementTree.parse(tmp_path / "gate.xml").getroot()
    assert len(suites) == 4
    assert bool(suites.findall("*/testcase/failure")) == bool(code)
    for name in ("gate.md", "comparison.html"):
        assert (tmp_path / name).stat().st_size > 500
