"""The user's own configuration of a middleware is taken where it is asked for, and nowhere else."""

from __future__ import annotations

from e2e_harness import Lab, need_adapters, rows, scenario

import busmark

WHOLE = "<CycloneDDS><Domain>{}</Domain></CycloneDDS>"
GOOD = WHOLE.format("<Internal><WriteBatch>false</WriteBatch></Internal>")
BAD = WHOLE.format("<General><MaxMesageSize>1400B</MaxMesageSize></General>")


def test_a_file_and_the_environment_count_only_where_they_are_asked_for(lab: Lab) -> None:
    need_adapters("cyclonedds")
    good, bad = lab.folder / "good.xml", lab.folder / "bad.xml"
    good.write_text(GOOD)
    bad.write_text(BAD)
    matrix = 'adapter = "cyclonedds"'
    config = f"{matrix}\noption.cyclonedds.config"
    also = f'[[also]]\n{config} = "{good}"\n[[also]]\n{config} = "env"\n'
    lab.scenario(scenario(matrix, rounds="min = 1\nretries = 0", also=also))
    variables = {"CYCLONEDDS_URI": f"file://{bad}"}
    ended = lab.busmark("run", "scenario.toml", "--out", "result", variables=variables)
    assert ended.code == 1, ended.text
    neither, file, environment = rows(lab.folder / "result")
    assert (neither["status"], file["status"]) == ("ok", "ok")
    assert environment["status"] == "failed" and "MaxMesageSize" in environment["reason"]
    (case,) = (
        c for c in busmark.open(lab.folder / "result").manifest.cases if c.id == file["case"]
    )
    assert str(good) in str(case.params)
