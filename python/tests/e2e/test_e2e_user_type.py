"""A type of the user's, from its IDL to the sentence that says what it costs."""

from __future__ import annotations

import importlib.util
import json
import shutil
import sys

import pytest
from e2e_harness import Ended, Lab

IDL = """
module sensors {
  enum Kind { FLOATS, OCTETS };
  struct Field { string name; Kind kind; };
  struct Sweep { long sec; sequence<Field> fields; double pose[3]; };
};
"""
VALUE = {"sec": 7, "fields": [{"name": "x", "kind": "OCTETS"}], "pose": [0.5, 1, 2]}

needs_package = pytest.mark.skipif(
    importlib.util.find_spec("cyclonedds") is None,
    reason=f"needs: {sys.executable} -m pip install cyclonedds",
)
needs_fastddsgen = pytest.mark.skipif(
    shutil.which("fastddsgen") is None, reason="needs fastddsgen (make adapters)"
)


def build(lab: Lab, *more: str, name: str = "sensors::Sweep") -> Ended:
    (lab.folder / "sensors.idl").write_text(IDL, encoding="utf-8")
    value = lab.folder / "sweep.json"
    if not value.exists():
        value.write_text(json.dumps(VALUE), encoding="utf-8")
    words = ["type", "build", "sensors.idl", "--type", name, "--value", "sweep.json"]
    return lab.busmark(*words, "--out", "types/sweep", *more)


@needs_package
@needs_fastddsgen
def test_a_type_is_compiled_measured_and_its_cost_told(lab: Lab) -> None:
    ended = build(lab, "--adapter", "fastdds", "--adapter", "dustdds")
    assert ended.code == 0, ended.text
    assert "sensors::Sweep: 48 bytes of CDR in types/sweep/value.cdr" in ended.out
    assert "dustdds: none: not done:" in ended.out
    assert "Now type: busmark run types/sweep/scenario.toml" in ended.out
    quick = ["--set", "measure.duration_s=0.2", "--set", "rounds.min=2", "--set", "rounds.max=2"]
    verified = ["--set", "measure.verify=true", "--out", "result"]
    run = lab.busmark("run", "types/sweep/scenario.toml", *quick, *verified)
    assert run.code == 0, run.text
    shown = lab.busmark("show", "result", "--json")
    campaign = json.loads(shown.out)
    assert {case["status"] for case in campaign["cases"]} == {"ok"}
    corrupted = [a["corrupted"] for case in campaign["cases"] for a in case["attempts"]]
    assert set(corrupted) == {0}
    assert any("sensors::Sweep" in answer["lead"] for answer in campaign["answers"])


@needs_package
def test_a_value_that_does_not_fit_is_refused_by_its_member(lab: Lab) -> None:
    wrong = {**VALUE, "fields": [{"name": "x", "kind": "BYTES"}]}
    (lab.folder / "sweep.json").write_text(json.dumps(wrong), encoding="utf-8")
    ended = build(lab)
    assert ended.code == 2
    assert 'sweep.json: fields[0].kind: "BYTES" is no enumerator' in ended.err


@needs_package
def test_a_type_that_the_file_does_not_have_is_refused(lab: Lab) -> None:
    ended = build(lab, name="sensors::Swep")
    assert ended.code == 2
    assert "sensors::Swep: no such structure; did you mean sensors::Sweep?" in ended.err


def test_a_file_that_is_not_there_is_refused(lab: Lab) -> None:
    words = ["--type", "a::B", "--value", "v.json", "--out", "out"]
    ended = lab.quickly("type", "build", "none.idl", *words)
    assert ended.code == 2 and "none.idl: no such file" in ended.err


def test_without_the_package_the_command_says_how_to_get_it(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    (lab.folder / "sensors.idl").write_text(IDL, encoding="utf-8")
    (lab.folder / "sweep.json").write_text("{}", encoding="utf-8")
    words = ["--type", "sensors::Sweep", "--value", "sweep.json", "--out", "out"]
    ended = lab.quickly("type", "build", "sensors.idl", *words)
    assert ended.code == 2 and "-m pip install cyclonedds==" in ended.err


def test_an_adapter_that_is_no_dds_is_refused(lab: Lab) -> None:
    (lab.folder / "sensors.idl").write_text(IDL, encoding="utf-8")
    (lab.folder / "sweep.json").write_text("{}", encoding="utf-8")
    words = ["--type", "sensors::Sweep", "--value", "sweep.json", "--out", "out"]
    ended = lab.quickly("type", "build", "sensors.idl", *words, "--adapter", "udp")
    assert ended.code == 2 and "'udp' is no DDS adapter" in ended.err
