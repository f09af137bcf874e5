"""The user's own configuration of a middleware is taken where it is asked for, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest
from e2e_harness import Lab, need_adapters, rows, scenario

import busmark

WHOLE = "<CycloneDDS><Domain>{}</Domain></CycloneDDS>"
GOOD = WHOLE.format("<Internal><WriteBatch>false</WriteBatch></Internal>")
BAD = WHOLE.format("<General><MaxMesageSize>1400B</MaxMesageSize></General>")


@pytest.fixture
def files(lab: Lab) -> dict[str, Path]:
    """A configuration that Cyclone DDS takes, and one with a misspelt element."""
    need_adapters("cyclonedds")
    found = {name: lab.folder / f"{name}.xml" for name in ("good", "bad")}
    found["good"].write_text(GOOD)
    found["bad"].write_text(BAD)
    return found


def run(lab: Lab, config: str | Path, uri: Path | None = None) -> tuple[int, str]:
    option = f'\noption.cyclonedds.config = "{config}"' if config else ""
    lab.scenario(scenario(f'adapter = "cyclonedds"{option}', rounds="min = 1\nretries = 0"))
    variables = {"CYCLONEDDS_URI": f"file://{uri}"} if uri else {}
    ended = lab.busmark("run", "scenario.toml", "--out", "result", variables=variables)
    return ended.code, ended.text


def test_a_file_is_taken_and_kept_with_the_case(lab: Lab, files: dict[str, Path]) -> None:
    code, text = run(lab, files["good"])
    assert code == 0, text
    (case,) = busmark.open(lab.folder / "result").manifest.cases
    assert str(files["good"]) in str(case.params)


def test_the_environment_counts_only_where_it_is_asked_for(
    lab: Lab, files: dict[str, Path]
) -> None:
    code, text = run(lab, "", files["bad"])
    assert code == 0 and "cyclonedds does not read variables that are set" in text, text
    (row,) = rows(lab.folder / "result")
    assert row["status"] == "ok"


def test_the_environment_is_taken_where_it_is_asked_for(lab: Lab, files: dict[str, Path]) -> None:
    code, text = run(lab, "env", files["bad"])
    assert code != 0 and "MaxMesageSize" in text, text
