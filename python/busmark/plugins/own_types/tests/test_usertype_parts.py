"""What `busmark type build` is given, what tools say, and the scenario that it writes."""

from __future__ import annotations

from pathlib import Path

import pytest

from busmark.adapters import adapter_facts
from busmark.errors import UserError
from busmark.plugins.own_types.compare import scenario
from busmark.plugins.own_types.libraries import BUILDERS, candidates
from busmark.plugins.own_types.source import UserType
from busmark.scenario import parse


def idl(folder: Path, name: str = "sensors.idl") -> Path:
    path = folder / name
    path.write_text("module sensors { struct Point { long x; }; };\n", encoding="utf-8")
    return path


def test_a_type_is_named_with_its_modules(tmp_path: Path) -> None:
    path = idl(tmp_path)
    assert UserType.from_file(path, "::sensors::Point") == UserType(path, "sensors::Point")
    for name in ("sensors.Point", "sensors::", "", "a b"):
        with pytest.raises(UserError, match="not a valid type name"):
            UserType.from_file(path, name)


def test_a_file_of_busmarks_own_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="has a file of that name"):
        UserType.from_file(idl(tmp_path, "busmark.idl"), "sensors::Point")


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such file"):
        UserType.from_file(tmp_path / "none.idl", "sensors::Point")


def test_every_dds_has_a_builder_or_says_why_not() -> None:
    for name in candidates():
        assert (name in BUILDERS) != bool(adapter_facts()[name].no_user_type), name


def test_the_scenario_compares_the_type_with_octets() -> None:
    user = UserType(Path("/x/sensors.idl"), "sensors::Point")
    libraries = [Path("libbusmark_fastdds.so"), Path("types/p/libbusmark_cyclonedds.so")]
    made = parse(scenario(user, libraries, Path("types/p/value.cdr"), 4), "made", [])
    assert made.matrix.payload == ["type", "octet"]
    assert made.matrix.size == ["file"]
    assert made.measure.body_file == "types/p/value.cdr"
    assert made.matrix.adapter == ["./libbusmark_fastdds.so", "types/p/libbusmark_cyclonedds.so"]
