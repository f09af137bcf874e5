"""Output directories that cannot be had, and results that are damaged."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from e2e_harness import (
    Lab,
    assert_complete,
    assert_intact,
    count,
    fingerprints,
    need_adapters,
    scenario,
)

GOOD = scenario('adapter = "null"', rounds="min = 2")


def in_own_mounts(setup: str) -> list[str]:
    """Return a prefix that runs the command where only it sees what `setup` mounts."""
    prefix = ["unshare", "--mount", "sh", "-c"]
    try:
        subprocess.run([*prefix, "mount -t tmpfs none /mnt"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("mounting needs root")
    return [*prefix, f'{setup} && exec "$@"', "sh"]


def test_a_directory_in_use_is_not_written_to(lab: Lab) -> None:
    need_adapters("null")
    lab.scenario(GOOD)
    (lab.folder / "mine").mkdir()
    (lab.folder / "mine" / "thesis.txt").write_text("years of work")
    ended = lab.busmark("run", "scenario.toml", "--out", "mine")
    assert ended.code == 2
    assert "mine: the output directory exists and is not empty" in ended.err
    assert "name another with --out" in ended.err
    assert [path.name for path in (lab.folder / "mine").iterdir()] == ["thesis.txt"]


@pytest.mark.parametrize("out", ["file", "file/below", "/proc/busmark"])
def test_a_place_where_no_directory_can_be_is_named(lab: Lab, out: str) -> None:
    need_adapters("null")
    lab.scenario(GOOD)
    (lab.folder / "file").write_text("precious")
    ended = lab.busmark("run", "scenario.toml", "--out", out)
    assert ended.code == 2
    assert f"busmark: {out}: " in ended.err
    assert "Name another directory with --out." in ended.err
    assert (lab.folder / "file").read_text() == "precious"


def test_a_directory_that_is_not_writable_is_named(lab: Lab) -> None:
    need_adapters("null")
    lab.scenario(GOOD)
    place = lab.folder / "sealed"
    place.mkdir()
    prefix = in_own_mounts(
        f"mount --bind '{place}' '{place}' && mount -o remount,bind,ro '{place}'"
    )
    ended = lab.busmark("run", "scenario.toml", "--out", place / "result", prefix=prefix)
    assert ended.code == 2
    assert "cannot be written to (Read-only file system)" in ended.err
    assert "Name another directory with --out." in ended.err


def test_a_disk_that_fills_up_keeps_the_rounds_before(lab: Lab) -> None:
    need_adapters("null")
    # A round is some 500 KiB.
    measure = "duration_s = 60\nwarmup_s = 0\nsamples = 12000\nmax_samples = 12000"
    lab.scenario(scenario('adapter = "null"', measure=measure, rounds="min = 8"))
    small = lab.folder / "small"
    small.mkdir()
    saved = lab.folder / "saved"
    prefix = in_own_mounts(f"mount -t tmpfs -o size=2m none '{small}'")
    # What is on the small disk is gone with the namespace, so it is copied from within.
    keep = ["sh", "-c", f'"$@"; code=$?; cp -a "{small}/result" "{saved}"; exit $code', "sh"]
    ended = lab.busmark("run", "scenario.toml", "--out", small / "result", prefix=[*prefix, *keep])
    assert ended.code == 2, ended.text
    assert "the result cannot be stored (No space left on device)" in ended.err
    assert str(small / "result") in ended.err
    assert "Make room, or make it writable, and continue with `busmark run --resume" in ended.err
    assert assert_intact(saved).cases.height > 0
    before = fingerprints(saved)
    assert lab.busmark("show", saved).code == 0
    # Rounds whose files are damaged are named, and run again.
    (cut_one, *_), (_, gone, *_) = (
        sorted((saved / folder).iterdir()) for folder in ("samples", "intervals")
    )
    cut(cut_one, 0.6)
    gone.unlink()
    ended = lab.busmark("run", "--resume", "--out", saved)
    assert ended.code == 0, ended.text
    assert_complete(saved, cases=1, rounds=8)
    assert count(saved, "round_lost") == 2
    again = {str(path.relative_to(saved)).partition("/")[2] for path in (cut_one, gone)}
    whole = {name: file for name, file in before.items() if name.partition("/")[2] not in again}
    assert len(whole) == len(before) - 4 and whole.items() <= fingerprints(saved).items()


# --- damaged results ------------------------------------------------------------------------------


@pytest.fixture
def result(lab: Lab, kept: Path) -> Path:
    """Copy a real result."""
    return Path(shutil.copytree(kept / "first" / "result", lab.folder / "result"))


def cut(path: Path, share: float) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])


def edit(path: Path, **changes: object) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


DAMAGE: dict[str, tuple[Callable[[Path], object], tuple[str, ...]]] = {
    "manifest cut": (
        lambda d: cut(d / "manifest.json", 0.5),
        ("manifest.json: damaged manifest: not JSON", "restore it from a copy"),
    ),
    "manifest of another kind": (
        lambda d: (d / "manifest.json").write_text("[1]"),
        ("manifest.json: damaged manifest: not a JSON object",),
    ),
    "manifest without seed": (
        lambda d: edit(d / "manifest.json", seed=None),
        ("manifest.json: damaged manifest: seed:",),
    ),
    "manifest gone": (
        lambda d: (d / "manifest.json").unlink(),
        ("not a result directory: it has no manifest.json", "busmark run --out DIR"),
    ),
    "newer format": (
        lambda d: edit(d / "manifest.json", format=99, cases="elsewhere", busmark_version="9.9"),
        ("manifest.json: written in result format 99; this Busmark reads up to", "(9.9)"),
    ),
    "table of rounds cut": (
        lambda d: cut(d / "cases.parquet", 0.7),
        ("cases.parquet: not a readable Parquet file: truncated or damaged", "--resume"),
    ),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_result_is_reported_by_every_command(lab: Lab, result: Path, name: str) -> None:
    damage, says = DAMAGE[name]
    damage(result)
    before = {path: path.stat().st_size for path in result.rglob("*.parquet")}
    for command in (["show"], ["report"], ["run", "--resume", "--out"]):
        ended = lab.quickly(*command, str(result))
        assert ended.code == 2
        for part in says:
            assert part in ended.err, ended.err
    assert {path: path.stat().st_size for path in result.rglob("*.parquet")} == before
