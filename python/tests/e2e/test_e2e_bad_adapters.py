"""Adapter libraries that are missing, foreign, of another version, or crash: named, never fatal."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from e2e_harness import Ended, Lab, need_adapters, real_worker, rows, scenario

SOURCES = {
    "foreign": "int answer(void) { return 42; }",
    "old": """
        static const struct { unsigned abi_version, struct_size; } table = { 4711, 8 };
        const void *busmark_adapter(void) { return &table; }""",
    "empty": "const void *busmark_adapter(void) { return 0; }",
    "aborts": """
        #include <stdlib.h>
        __attribute__((constructor)) static void at_load(void) { abort(); }""",
    "segfaults": """
        const void *busmark_adapter(void) { return *(void * volatile *)8; }""",
    "leaves": """
        #include <stdlib.h>
        __attribute__((constructor)) static void at_load(void) { exit(0); }""",
    "unlinked": "extern int nowhere(void); const void *busmark_adapter(void) "
    "{ return (void *)(long)nowhere(); }",
}

HANGS = """
    #include <unistd.h>
    __attribute__((constructor)) static void at_load(void) { fork(); pause(); }"""

SAYS = {
    "foreign": "not a Busmark adapter: it does not export busmark_adapter()",
    "old": "speaks version 4711 of the adapter contract",
    "empty": "not a Busmark adapter",
    "aborts": "crashed while loading (SIGABRT)",
    "segfaults": "crashed while loading (SIGSEGV)",
    "leaves": "ended the worker while it was loaded",
    "unlinked": "undefined symbol: nowhere",
    "text": "cannot be loaded",
}


def build(compiler: str, folder: Path, name: str, source: str) -> None:
    file = folder / f"{name}.c"
    file.write_text(source)
    library = folder / f"libbusmark_{name}.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, file], check=True)


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a folder of libraries that are no usable adapters."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    folder = tmp_path_factory.mktemp("broken")
    for name, source in SOURCES.items():
        build(compiler, folder, name, source)
    (folder / "slow").mkdir()
    build(compiler, folder / "slow", "hangs", HANGS)
    (folder / "libbusmark_text.so").write_text("not a library\n")
    return folder


@pytest.mark.parametrize("name", SAYS)
def test_a_campaign_of_a_broken_adapter_only_is_refused(lab: Lab, broken: Path, name: str) -> None:
    library = broken / f"libbusmark_{name}.so"
    lab.scenario(scenario(f'adapter = "{library}"'))
    ended = lab.quickly("run", "scenario.toml", "--out", "result")
    assert ended.code == 2
    assert "no case of the scenario can run here" in ended.err
    assert f"{library}: " in ended.err and SAYS[name] in ended.err, ended.err
    assert "See `busmark adapters`" in ended.err
    assert not (lab.folder / "result").exists()
    lab.assert_nothing_left()


def listed(lab: Lab, folder: Path) -> Ended:
    """Run `busmark adapters` with these libraries and the worker of all other tests."""
    variables = {"BUSMARK_ADAPTER_PATH": folder, "BUSMARK_WORKER": real_worker()}
    return lab.busmark("adapters", "--wide", variables=variables)


def test_the_list_of_adapters_gives_the_reasons(lab: Lab, broken: Path) -> None:
    ended = listed(lab, broken)
    assert ended.code == 0
    for name, part in SAYS.items():
        lines = [line for line in ended.out.splitlines() if line.startswith(f"{name} ")]
        assert any(part in line for line in lines)


@pytest.mark.parametrize("what", ["absent", "text", "folder"])
def test_a_worker_that_cannot_be_started_is_named(lab: Lab, what: str) -> None:
    path = lab.folder / "my-worker"
    if what == "text":
        path.write_bytes(b"\x7fELF, but not really")
        path.chmod(0o755)
    if what == "folder":
        path.mkdir()
    lab.scenario(scenario('adapter = "null"'))
    ended = lab.busmark("run", "scenario.toml", variables={"BUSMARK_WORKER": path})
    assert ended.code == 2
    assert str(path) in ended.err
    assert "BUSMARK_WORKER" in ended.err


def test_others_are_run_with_what_was_proved_and_no_library_is_exchanged_in_between(
    lab: Lab, broken: Path
) -> None:
    from busmark.adapters import libraries

    need_adapters("null")
    ended = lab.busmark("adapters", "--check", "null", "--json")
    assert ended.code == 0, ended.text
    assert "checking null (1 of 1)" in ended.err
    table = json.loads(ended.out)
    assert list(table["checked"]) == ["null"]
    outcomes = {
        row["key"]: row["cells"]["null"]["outcome"]
        for section in table["sections"]
        for row in section["rows"]
    }
    assert outcomes["reliable"] == "proved"
    assert outcomes["keep_all"] == "untested"
    assert outcomes["best_effort"] is None

    library = lab.folder / "libbusmark_mine.so"
    shutil.copy(libraries()["null"], library)
    names = ["null", library, *(broken / f"libbusmark_{name}.so" for name in ("aborts", "old"))]
    matrix = f"adapter = [{', '.join(json.dumps(str(name)) for name in names)}]"
    lab.scenario(scenario(matrix, rounds="min = 1", also="[[also]]\nsize = 10000000000"))
    planned = lab.busmark("plan", "scenario.toml")
    assert planned.code == 0 and "2 to run, 6 unsupported" in planned.out
    ended = lab.busmark("run", "scenario.toml", "--out", "result")
    assert ended.code == 0, ended.text
    refused, begun = ended.err.partition("[1/2]")[::2]
    assert begun and refused.count("unsupported: ") == 3 and "at most" in refused
    result = lab.folder / "result"
    before = rows(result)
    assert {row["adapter"] for row in before} == {"null", str(library)}
    manifest = json.loads((result / "manifest.json").read_text())
    assert len(manifest["missing_adapters"]) == 2
    kept = manifest["adapters"]["null"]["conformance"]
    assert kept["failed"] == 0
    assert kept["results"]["c08_reliable_delivers_every_sample_in_order"][0] == "passed"
    assert ">proved</td>" in (result / "report" / "report.html").read_text(encoding="utf-8")

    # What is loaded leaves a mark: the directory may be a stranger's, and name any library.
    mark = lab.folder / "loaded"
    source = f"""
        #include <stdio.h>
        __attribute__((constructor)) static void at_load(void)
        {{ fclose(fopen("{mark}", "w")); }}"""
    build(shutil.which("cc") or "cc", lab.folder, "mine", source)
    ended = lab.busmark("run", "--resume", "--out", "result")
    assert ended.code == 2
    assert "Rounds of different builds are not mixed" in ended.err
    assert rows(result) == before and not mark.exists()
