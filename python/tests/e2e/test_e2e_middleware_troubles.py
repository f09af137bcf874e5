"""What real middleware fails with, the user's own configuration of it and a server to discover each
other included: reported per case, in its own words, while the campaign continues."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from e2e_harness import Lab, need_adapters, rows, scenario

from busmark.adapters import libraries
from busmark.store import Result

URI = "<CycloneDDS><Domain>{}</Domain></CycloneDDS>"
FILES = {
    "good.xml": URI.format("<Internal><WriteBatch>false</WriteBatch></Internal>"),
    "bad.xml": URI.format("<General><MaxMesageSize>1400B</MaxMesageSize></General>"),
}
FOREIGN = {"RMW_IMPLEMENTATION": "rmw_of_nobody", "ROS_DOMAIN_ID": "3"}
"""What a shell for ROS 2 may have set."""
WORKS = " samples, at least 9999999 are asked for (criteria.min_samples)"
"""All that is wrong with a case that works."""


@dataclass(frozen=True)
class Case:
    """Adapters of a case, the rest of its matrix, and what is said of it."""

    adapters: tuple[str, ...]
    more: str
    says: tuple[str, ...]

    @property
    def works(self) -> bool:
        return self.says == (WORKS,)

    @property
    def matches(self) -> bool:
        return not any("matched 0 of 1" in part for part in self.says)


CASES = {
    "nothing": Case(("null",), "", (WORKS,)),
    # One announces itself to the ports of loopback only, the other to a multicast group.
    "a writer that never matches": Case(
        ("cyclonedds", "dustdds"), 'peer = "dustdds"',
        ("unmatched", "passive", "active", "matched 0 of 1 within 1 s")),
    **{
        f"a discovery server of the run, {name}": Case(
            (name,), f'option.{name}.discovery = "server"', (WORKS,))
        for name in ("fastdds", "fastdds3", "rmw")
    },
    "no discovery server": Case(
        ("fastdds",), 'option.fastdds.server = "127.0.0.1:9"', ("matched 0 of 1",)),
    "a write that fails": Case(
        ("reference",), "option.reference.fail = 1",
        ("write failed after 0 samples", "fails on purpose (option fail)")),
    "a loan of shared memory that is off": Case(
        ("fastdds",), 'option.fastdds.loan = "in_place"', ("in_place needs data_sharing=on",)),
    "a server whose program is missing": Case(
        ("mqtt",), "", ("the server mosquitto is not installed: apt-get install mosquitto",)),
    "a configuration in the environment": Case(("cyclonedds",), "", (WORKS,)),
    "a configuration in a file": Case(
        ("cyclonedds",), 'option.cyclonedds.config = "{folder}/good.xml"', (WORKS,)),
    "the environment is asked for": Case(
        ("cyclonedds",), 'option.cyclonedds.config = "env"', ("MaxMesageSize",)),
    "an environment of ROS": Case(("rmw",), 'transport = "shipped"', (WORKS,)),
    "the environment of ROS is asked for": Case(
        ("rmw",), 'transport = "shipped"\noption.rmw.config = "env"',
        ("rmw_of_nobody cannot be loaded",)),
}  # fmt: skip


def without_mosquitto() -> list[str]:
    """Return the prefix of commands that do not find the program of the server."""
    program = shutil.which("mosquitto", path=f"{os.environ['PATH']}:/usr/sbin")
    if os.geteuid() != 0 or program is None:
        return []
    hidden = f'mount --bind /dev/null {Path(program).resolve()} && exec "$@"'
    return ["unshare", "--mount", "sh", "-c", hidden, "sh"]


@pytest.fixture(scope="module")
def campaign(shared_lab: Lab) -> tuple[str, dict[str, dict[str, Any]]]:
    """Run campaigns of all cases that can be here; return what they said and each case's round."""
    need_adapters("null")
    for name, text in FILES.items():
        (shared_lab.folder / name).write_text(text)
    hidden = without_mosquitto()
    names = [
        name for name, case in CASES.items()
        if {*case.adapters} <= {*libraries()} and (hidden or "mqtt" not in case.adapters)
    ]  # fmt: skip
    variables = {"CYCLONEDDS_URI": f"file://{shared_lab.folder / 'bad.xml'}", **FOREIGN}
    said, found = "", {}
    # Those who never find each other need not be waited for as long as others on a busy machine.
    for out, matches, patience_s in (("unmatched", False, 1), ("result", True, 60)):
        # Further matrices have the keys of the first.
        chosen = [n for n in names if n == "nothing" or CASES[n].matches == matches]
        first, *others = (
            f'adapter = "{CASES[name].adapters[0]}"\n'
            + CASES[name].more.replace("{folder}", str(shared_lab.folder))
            for name in chosen
        )
        text = scenario(
            first,
            measure="duration_s = 0.05\nwarmup_s = 0.01\nverify = true",
            rounds="min = 1\nretries = 0",
            criteria=f"min_samples = 9999999\nmatch_timeout_s = {patience_s}\nmin_rate = 0",
            also="\n".join(f"[[also]]\n{matrix}" for matrix in others),
        )
        said += shared_lab.campaign(text, out=out, code=1, variables=variables, prefix=hidden).text
        shared_lab.assert_nothing_left()
        table = {row["case"]: row for row in rows(shared_lab.folder / out)}
        cases = Result(shared_lab.folder / out).manifest.cases
        found |= {name: table[case.id] for name, case in zip(chosen, cases, strict=True)}
    return said, found


@pytest.mark.parametrize("name", CASES)
def test_a_case_fails_in_the_words_of_its_middleware_and_others_work(
    campaign: tuple[str, dict[str, dict[str, Any]]], name: str
) -> None:
    said, found = campaign
    if name not in found:
        need_adapters(*CASES[name].adapters)
        pytest.skip("hiding the program of the server needs root, and the program")
    row, case = found[name], CASES[name]
    assert row["status"] == ("marked" if case.works else "failed"), row["reason"]
    assert not row["lost"] and not row["corrupted"]
    for part in case.says:
        assert part in row["reason"], row["reason"]
    assert row["reason"].split(":")[0] in said


def test_settings_of_the_environment_that_are_not_read_are_reported(
    campaign: tuple[str, dict[str, dict[str, Any]]], shared_lab: Lab
) -> None:
    said, found = campaign
    assert "an environment of ROS" not in found or (
        "rmw does not read variables that are set" in said
    )
    logs = "".join(path.read_text() for path in (shared_lab.folder / "result/logs").glob("*"))
    assert "reference: warning: injects faults on purpose: fail=1" in logs
