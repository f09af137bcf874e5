"""Samples of types that nobody here knows: they are read and written by what their programs
announce."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from e2e_harness import DOMAIN, Lab, need_adapters
from test_e2e_bus import CYCLONE
from test_e2e_bus_found import FOREIGN, URI, ddsperf

PROGRAM = Path(__file__).with_name("plant.py")
WAIT = ("--wait", "60")

needs_package = pytest.mark.skipif(
    importlib.util.find_spec("cyclonedds") is None,
    reason=f"needs: {sys.executable} -m pip install cyclonedds",
)


@pytest.fixture
def plant() -> Iterator[subprocess.Popen[str]]:
    need_adapters("cyclonedds")
    process = subprocess.Popen(
        [sys.executable, str(PROGRAM), str(DOMAIN)],
        stdout=subprocess.PIPE, text=True, env={**os.environ, "CYCLONEDDS_URI": URI},
    )  # fmt: skip
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@needs_package
def test_samples_of_a_foreign_type_are_read_member_by_member(
    lab: Lab, plant: subprocess.Popen[str]
) -> None:
    read = lab.busmark("bus", "peek", "plant_state", *CYCLONE, *WAIT, "--count", "3", "--json")
    assert read.code == 0, read.err
    samples = [json.loads(line) for line in read.out.splitlines()]
    assert [sample["number"] for sample in samples] == [1, 2, 3]
    assert {sample["type_name"] for sample in samples} == {"plant::State"}
    first = samples[0]["value"]
    number = first["number"]
    assert first == {
        "name": "p7",
        "number": number,
        "kind": "PUMP",
        "path": [{"x": 1.5, "y": 2.25}, {"x": float(number), "y": 0.0}],
        "pose": [0.0, 0.5, 1.0],
        "reading": {"bar": 2.5},
        "tags": ["a"],
    }
    # None is twice, and none older than the one before.
    numbers = [sample["value"]["number"] for sample in samples]
    assert numbers == sorted(set(numbers))
    for_a_while = lab.busmark("bus", "peek", "plant_state", *CYCLONE, *WAIT, "--for", "1s")
    assert for_a_while.code == 0 and '"kind": "PUMP"' in for_a_while.out


@needs_package
def test_samples_of_a_foreign_type_are_written_with_the_qos_that_readers_ask_for(
    lab: Lab, plant: subprocess.Popen[str]
) -> None:
    topic = ("bus", "inject", "plant_order", *CYCLONE, *WAIT)
    assert plant.stdout is not None

    def heard() -> Any:
        return json.loads(plant.stdout.readline())

    said = lab.busmark(
        *topic, "name=valve 3", "number=7", "reading.open=true", 'path=[{"x": 2}]', "pose[1]=-1"
    )
    assert said.code == 0, said.err
    assert said.out.startswith("1 sample of plant::State written to 1 reader: {")
    # What is not given has the type's default.
    assert heard() == [
        "valve 3", 7, "VALVE", [[2.0, 0.0]], [0.0, -1.0, 0.0], ["VALVE", True], [],
    ]  # fmt: skip
    (lab.folder / "value.json").write_text(
        json.dumps({"kind": "PUMP", "reading": {"bar": 0.5}, "tags": ["x", "y"], "number": 1})
    )
    words = ("--value", "value.json", "number=2", "--count", "2", "--json")
    written = lab.busmark(*topic, *words)
    assert written.code == 0, written.err
    message = json.loads(written.out)
    assert (message["written"], message["readers"], message["acknowledged"]) == (2, 1, True)
    expected = ["", 2, "PUMP", [], [0.0, 0.0, 0.0], ["PUMP", 0.5], ["x", "y"]]
    assert [heard(), heard()] == [expected, expected]


WRONG = {
    ("number=70000",): "plant_order: number: 70000 is not a whole number from 0 to 65535",
    ("nmber=1",): "plant_order: nmber: no such member; did you mean number?",
    ("path.z=1",): "plant_order: path.z: no such member",
    ("reading.volt=1",): "plant_order: reading.volt: no such member; there are open, bar",
    ("kind=PIPE",): 'plant_order: kind: "PIPE" is no enumerator: there are VALVE, PUMP',
    ("pose=[1]",): "plant_order: pose: has 1 elements, the array has 3",
    ('tags=["a", "b", "c"]',): "plant_order: tags: has 3 elements, at most 2",
    ('path=[{"y": 1e39}]',): "plant_order: path[0].y: 1e+39 is not a number of 32 bits",
    ("path[0].x=1",): "plant_order: path[0]: has 0 elements: give the whole list as JSON",
    ("--size", "64"): "--size: the topic is of plant::State",
}


@needs_package
def test_what_is_no_value_of_a_foreign_type_is_refused_by_its_member(
    lab: Lab, plant: subprocess.Popen[str]
) -> None:
    for words, reason in WRONG.items():
        refused = lab.busmark("bus", "inject", "plant_order", *CYCLONE, *WAIT, *words)
        assert refused.code == 2 and reason in refused.err, (words, refused.text)
    # Nothing of it was written.
    last = lab.busmark("bus", "inject", "plant_order", *CYCLONE, *WAIT, "name=last")
    assert last.code == 0, last.err
    assert plant.stdout is not None and json.loads(plant.stdout.readline())[0] == "last"
    missing = lab.busmark("bus", "peek", "plant_stat", *CYCLONE, "--wait", "10")
    assert missing.code == 1
    assert "there are writers of plant_state" in missing.err


@needs_package
def test_a_program_in_c_is_read_too(lab: Lab) -> None:
    need_adapters("cyclonedds")
    with ddsperf("pub", "20Hz", "size", "40"):
        read = lab.busmark("bus", "peek", FOREIGN, *CYCLONE, *WAIT, "--count", "1", "--json")
    assert read.code == 0, read.err
    value = json.loads(read.out)["value"]
    assert set(value) == {"seq", "keyval", "baggage"} and len(value["baggage"]) == 28
