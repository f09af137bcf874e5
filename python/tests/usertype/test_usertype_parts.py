"""What `busmark type build` is given, what tools say, and the scenario that it writes."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from busmark.adapters import known
from busmark.errors import UserError
from busmark.scenario import parse
from busmark.plugins.own_types.libraries import BUILDERS, candidates
from busmark.plugins.own_types.tools import CYCLONEDDS
from busmark.plugins.own_types.source import UserType
from busmark.plugins.own_types.compare import scenario
from busmark.plugins.own_types.tools import cause

ROOT = Path(__file__).resolve().parents[3]


def idl(folder: Path, name: str = "sensors.idl") -> Path:
    path = folder / name
    path.write_text("module sensors { struct Point { long x; }; };\n", encoding="utf-8")
    return path


def test_a_type_is_named_with_its_modules(tmp_path: Path) -> None:
    path = idl(tmp_path)
    assert UserType.of(path, "::sensors::Point") == UserType(path, "sensors::Point")
    for name in ("sensors.Point", "sensors::", "", "a b"):
        with pytest.raises(UserError, match="not a valid type name"):
            UserType.of(path, name)


def test_a_file_of_busmarks_own_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="has a file of that name"):
        UserType.of(idl(tmp_path, "busmark.idl"), "sensors::Point")


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such file"):
        UserType.of(tmp_path / "none.idl", "sensors::Point")


@pytest.mark.parametrize(
    ("output", "told"),
    [
        (
            "-- ok\nCMake Error at CMakeLists.txt:20 (message):\n  fastddsgen is missing; on\n"
            "  Debian: apt-get install fastddsgen\n\n\n-- Configuring incomplete\n",
            "fastddsgen is missing; on Debian: apt-get install fastddsgen",
        ),
        (
            "CMake Error at user_type.cmake:28 (message):\n  Loading templates...\n\n"
            "  \x1b[1ma.idl:14:4: \x1b[0m\x1b[1;31merror: \x1b[0m'::' was\n  not defined\n\n"
            "Call Stack (most recent call first):\n  CMakeLists.txt:50 (run)\n",
            "a.idl:14:4: error: '::' was not defined",
        ),
        (
            "   Compiling dust v0.1.0\nerror: busmark-adapter-dustdds@0.1.0: cannot compile x\n"
            "error: build script logged errors\n",
            "cannot compile x",
        ),
        ("cc -c x.c\nx.c:1:1: error: no\nmake: Error 1\n", "x.c:1:1: error: no"),
        ("starts\nsensors.idl:7:24: syntax error\n", "sensors.idl:7:24: syntax error"),
        ("only this\n", "only this"),
        ("", ""),
    ],
)
def test_the_cause_is_found_in_what_a_tool_says(output: str, told: str) -> None:
    assert cause(output) == told


def test_every_dds_has_a_builder_or_says_why_not() -> None:
    for name in candidates():
        assert (name in BUILDERS) != bool(known()[name].no_user_type), name


def test_the_scenario_compares_the_type_with_octets() -> None:
    user = UserType(Path("/x/sensors.idl"), "sensors::Point")
    libraries = [Path("libbusmark_fastdds.so"), Path("types/p/libbusmark_cyclonedds.so")]
    made = parse(scenario(user, libraries, Path("types/p/value.cdr"), 4), "made", [])
    assert made.matrix.payload == ["type", "octet"]
    assert made.matrix.size == ["file"]
    assert made.measure.body_file == "types/p/value.cdr"
    assert made.matrix.adapter == ["./libbusmark_fastdds.so", "types/p/libbusmark_cyclonedds.so"]


def test_the_package_that_is_asked_for_is_that_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["optional-dependencies"]["types"] == [CYCLONEDDS]
