"""Plug-ins are found, switched off, and added from outside; a faulty one harms nothing else."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Sequence
from pathlib import Path

import polars as pl
import pytest

from busmark.plugin import SWITCH, beside, installed

CAPTURED = Path(__file__).parents[1] / "oracles" / "results" / "captured.tar.xz"
OWN = [each.name for each in installed() if each.own]
COMMANDS = {
    each.name: [command.name for command in each.plugin.commands]
    for each in installed()
    if each.plugin is not None
}
NEEDING = {
    "security": '[matrix]\nsecurity = ["tls"]\nadapter = ["tcp"]\n',
    "capture": '[matrix]\nadapter = ["udp"]\n[capture]\n',
    "papers": 'document = "pother-2008"\n[matrix]\nadapter = ["udp"]\n',
    "lab": '[matrix]\nadapter = ["udp"]\nwriter_on = ["n1"]\nreader_on = ["n2"]\n[lab]\n'
    "nodes = 2\n",
}
"""Scenarios whose cases need a plug-in."""


def busmark(
    *words: object, off: str = "", path: Path | None = None, folder: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own, with a third party's plug-in if one is in `path`."""
    paths = [str(path)] if path else []
    environment = os.environ | {SWITCH: off, "PYTHONPATH": os.pathsep.join([*paths, *sys.path])}
    return subprocess.run(
        [sys.executable, "-m", "busmark", *map(str, words)],
        env=environment, cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip


def install(
    folder: Path, name: str, source: str, *, entry: str | None = None, version: str = "1.2"
) -> Path:
    """Lay out a distribution with one plug-in, as pip leaves it."""
    folder.mkdir(exist_ok=True)
    (folder / f"{name}_plugin.py").write_text(source, encoding="utf-8")
    declared = folder / f"busmark_{name}-{version}.dist-info"
    declared.mkdir()
    text = f"[busmark.plugins]\n{name} = {entry or f'{name}_plugin:PLUGIN'}\n"
    (declared / "entry_points.txt").write_text(text, encoding="utf-8")
    return folder


ACME = '''
import click
from busmark.findings.rule import Observation, Rule
from busmark.plugin import Command, DocumentKind, Plugin
from busmark.present.document import Document, Section, Text

FORMAT = ("acme", "Acme's log")
FLAWS = ()
RULE = Rule(
    id="acme-rounds", title="Acme counted the rounds", cause="Acme counts.", remedy="Let it count.",
    check_campaign=lambda result: [Observation("note", f"{result.cases.height} rounds")],
)

@click.command()
def command():
    """Greet Acme."""
    click.echo("hello from acme")

def block(campaign):
    return Section("Acme", [Text("line", {"line": f"{len(campaign.cases)} cases for Acme"})])

def sheet(campaign):
    return Document("Sheet of Acme", [], [block(campaign)])

def recognise(text):
    return text.startswith("acme")

def read(source):
    raise ValueError

PLUGIN = Plugin(
    "acme", "Acme's own.",
    commands=(Command("acme", "Greet Acme.", "acme_plugin:command", group="acme's commands"),),
    findings=("acme_plugin",), blocks=("acme_plugin:block",), importers=("acme_plugin",),
    documents=(DocumentKind("acme", "acme_plugin:sheet", "Ask Acme."),),
)
'''


@pytest.mark.parametrize("name", OWN)
def test_a_plugin_can_be_switched_off_and_the_rest_works(name: str, kept: Path) -> None:
    off = f"-{name}"
    listed = busmark("--help", off=off)
    shown = [line.split()[0] for line in listed.stdout.splitlines() if line.startswith("  ")]
    assert listed.returncode == 0 and "quickstart" in shown
    assert not set(COMMANDS[name]) & set(shown)
    for other in set(OWN) - {name}:
        assert set(COMMANDS[other]) <= set(shown)
    ended = busmark("show", kept / "first" / "result", off=off)
    assert ended.returncode == 0, ended.stderr
    for command in COMMANDS[name][:1]:
        ended = busmark(command, off=off)
        assert ended.returncode == 2
        assert f"{command}: needs the plug-in {name}, which is switched off" in ended.stderr
        assert f"Take -{name} out of {SWITCH}." in ended.stderr


def test_all_can_be_switched_off(kept: Path) -> None:
    off = ",".join(f"-{name}" for name in OWN)
    assert {each["state"] for each in json.loads(busmark("plugins", "--json", off=off).stdout)} == {
        "off"
    }
    for words in (("plan", "ab"), ("show", kept / "first" / "result"), ("--help",)):
        assert busmark(*words, off=off).returncode == 0


MODULES = """
import atexit, sys
atexit.register(lambda: print(*sys.modules, sep="\\n", file=sys.stderr))
from busmark.cli.main import main
main()
"""


def imported(words: Sequence[object], off: str = "") -> set[str]:
    """Run the command; return the modules of plug-ins that it imported."""
    environment = os.environ | {SWITCH: off, "PYTHONPATH": os.pathsep.join(sys.path)}
    ended = subprocess.run(
        [sys.executable, "-c", MODULES, *map(str, words)],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    return set(re.findall(r"^busmark\.plugins\.(\S+)$", ended.stderr, re.MULTILINE))


@pytest.mark.parametrize("command", [("show",), ("report", "--out")])
def test_a_result_of_no_paper_imports_the_declaration_of_papers_alone(
    command: tuple[str, ...], kept: Path, tmp_path: Path
) -> None:
    shutil.copytree(kept / "first" / "result", tmp_path / "result")
    name, *options = command
    words = [name, tmp_path / "result", *options, *([tmp_path / "out"] if options else [])]
    found = imported(words)
    assert {module for module in found if module.startswith("papers")} == {"papers"}
    assert not {
        module
        for module in imported(words, off="-papers,-capture")
        if module.startswith(("papers", "capture"))
    }


@pytest.mark.parametrize("name", NEEDING)
def test_cases_that_need_a_plugin_are_refused_without_it(name: str, tmp_path: Path) -> None:
    scenario = tmp_path / "it.toml"
    scenario.write_text(f'name = "it"\n{NEEDING[name]}', encoding="utf-8")
    ended = busmark("plan", scenario, off=f"-{name}")
    assert ended.returncode == 2
    assert f"needs the plug-in {name}, which is switched off" in ended.stderr, ended.stderr


def test_scenarios_of_a_plugin_that_is_off_are_not_listed() -> None:
    assert "pother-2008/quick" in busmark("run", "--help").stdout
    listed = busmark("run", "--help", off="-papers").stdout
    assert "quickstart" in listed and "pother-2008" not in listed
    for name in ("pother-2008", "scenarios/pother-2008/full.toml"):
        ended = busmark("plan", name, off="-papers")
        assert ended.returncode == 2
        assert f"{name}: needs the plug-in papers, which is switched off" in ended.stderr
    assert "no such scenario file" in busmark("plan", "pother-2009", off="-papers").stderr


def test_a_third_party_brings_scenarios(tmp_path: Path) -> None:
    source = ACME.replace('"Acme\'s own.",', '"Acme\'s own.", scenarios="acme_plugin:acme",')
    path = install(tmp_path / "site", "acme", source)
    (path / "acme" / "own").mkdir(parents=True)
    scenario = path / "acme" / "own" / "quick.toml"
    scenario.write_text('name = "own"\n[matrix]\nadapter = ["null"]\n', encoding="utf-8")
    assert "own/quick" in busmark("run", "--help", path=path).stdout
    assert busmark("plan", "own", path=path).returncode == 0


def test_a_comparison_with_a_paper_needs_its_plugin(kept: Path) -> None:
    ended = busmark("show", kept / "first" / "result", "--document", off="-papers")
    assert ended.returncode == 2
    assert "needs the plug-in papers, which is switched off" in ended.stderr


@pytest.mark.parametrize(("off", "said"), [
    ("-bsu", "no plug-in 'bsu'"), ("bus", f"Write {SWITCH}=-bus"), ("-bus,-", "no plug-in ''"),
])  # fmt: skip
def test_a_wrong_switch_is_refused_by_every_command(off: str, said: str) -> None:
    for words in (("--help",), ("list",), ("plugins",)):
        ended = busmark(*words, off=off)
        assert ended.returncode == 2
        assert said in ended.stderr and f"{SWITCH}={off}" in ended.stderr


def test_a_third_party_adds_a_command_a_finding_and_documents(tmp_path: Path) -> None:
    path = install(tmp_path / "site", "acme", ACME)
    listed = busmark("--help", path=path)
    assert "Acme's commands:" in listed.stdout and "Greet Acme." in listed.stdout
    assert busmark("acme", path=path).stdout == "hello from acme\n"
    assert "acme: Acme's log" in " ".join(busmark("import", "--help", path=path).stdout.split())
    ran = busmark("latency", "null", "--size", "64", "--rounds", "2", "--duration", "0.05",
                  "--out", "out", path=path, folder=tmp_path)  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    shown = busmark("show", "out", path=path, folder=tmp_path).stdout
    assert "cases for Acme" in shown and "Acme counted the rounds" in shown
    assert (
        "Sheet of Acme" in busmark("show", "out", "--document", path=path, folder=tmp_path).stdout
    )
    report = busmark("report", "out", path=path, folder=tmp_path)
    assert report.returncode == 0, report.stderr
    assert "acme.html" in (tmp_path / "out" / "report" / "report.html").read_text(encoding="utf-8")
    assert "Sheet of Acme" in (tmp_path / "out" / "report" / "acme.html").read_text(
        encoding="utf-8"
    )
    # Without the plug-in the result opens, with the finding that is stored in it.
    alone = busmark("show", "out", folder=tmp_path)
    assert alone.returncode == 0, alone.stderr
    assert "Acme counted the rounds" in alone.stdout and "cases for Acme" not in alone.stdout


@pytest.mark.parametrize(("source", "entry", "said"), [
    ("import there_is_no_such_module", None, "ModuleNotFoundError"),
    ("PLUGIN = 3", None, "is of type int, not busmark.plugin.Plugin"),
    ("PLUGIN = 3", "acme_plugin:OTHER", "AttributeError"),
    (ACME.replace('    "acme", ', '    "other", '), None, "has the name 'other'"),
])  # fmt: skip
def test_a_faulty_plugin_is_reported_and_harms_nothing_else(
    source: str, entry: str | None, said: str, tmp_path: Path, kept: Path
) -> None:
    path = install(tmp_path / "site", "acme", source, entry=entry)
    ended = busmark("show", kept / "first" / "result", path=path)
    assert ended.returncode == 0
    assert said in ended.stderr and f"{SWITCH}=-acme" in ended.stderr
    ended = busmark("acme", path=path)
    assert ended.returncode == 2 and said in ended.stderr
    (row,) = [
        each for each in json.loads(busmark("doctor", "--json", path=path).stdout)["plugins"]
        if each["name"] == "acme"
    ]  # fmt: skip
    assert row["state"] == "faulty" and said in row["fault"]
    quiet = busmark("plan", "ab", path=path, off="-acme")
    assert quiet.returncode == 0 and "acme" not in quiet.stderr


def test_parts_that_fail_are_left_out(tmp_path: Path, kept: Path) -> None:
    source = ACME.replace("acme_plugin:block", "acme_plugin:gone")
    path = install(tmp_path / "site", "acme", source.replace("acme_plugin:command", "gone:command"))
    shown = busmark("show", kept / "first" / "result", path=path)
    assert shown.returncode == 0
    assert "gone" in shown.stderr and "It is left out." in shown.stderr
    ended = busmark("acme", path=path)
    assert ended.returncode == 2
    assert "acme: gone:command of the plug-in acme (busmark_acme 1.2)" in ended.stderr


def test_two_plugins_with_one_command_are_named(tmp_path: Path) -> None:
    path = install(tmp_path / "site", "acme", ACME)
    twin = ACME.replace("acme_plugin", "twin_plugin").replace('"acme", "Acme', '"twin", "Acme')
    install(path, "twin", twin, version="2.0")
    ended = busmark("acme", path=path)
    assert ended.returncode == 2
    assert "acme (busmark_acme 1.2) and twin (busmark_twin 2.0)" in ended.stderr
    assert busmark("acme", path=path, off="-twin").stdout == "hello from acme\n"


def test_no_command_of_the_core_is_replaced(tmp_path: Path) -> None:
    path = install(tmp_path / "site", "acme", ACME.replace('Command("acme"', 'Command("list"'))
    ended = busmark("list", path=path)
    assert ended.returncode == 0 and "hello" not in ended.stdout
    assert "busmark has a command `list` already" in ended.stderr


QUANTITIES = """
from busmark.model.entry import Number
OF_CASES = (Number(key="{}", meaning="Acme's count", pick=lambda case: 1),)
"""
COLUMNS = """[cases]
{} = ["int", "", "Acme's count"]
"""


@pytest.mark.parametrize(("kind", "name", "owner"), [
    ("scenario", "quickstart", "busmark"),
    ("scenario", "pother-2008/quick", "the plug-in papers"),
    ("scenario key", "matrix", "busmark"),
    ("scenario key", "document", "the plug-in papers"),
    ("column", "cases.median_ns", "busmark"),
    ("column", "cases.wire_bytes", "the plug-in capture"),
    ("rule", "link-loss", "busmark"),
    ("quantity", "goodput_mbit_per_s", "busmark"),
    ("quantity", "wire_bytes_per_sample", "the plug-in capture"),
])  # fmt: skip
def test_what_exists_already_is_refused(
    kind: str, name: str, owner: str, tmp_path: Path, kept: Path
) -> None:
    source = ACME.replace("Plugin\n", "Plugin, ScenarioKey\n", 1)
    path = tmp_path / "site"
    if kind == "rule":
        source = source.replace('id="acme-rounds"', f'id="{name}"')
    else:
        parts = {
            "scenario": 'scenarios="acme_plugin:acme"',
            "scenario key": f'keys=(ScenarioKey("{name}", "Acme"),)',
            "column": 'columns="acme_plugin:acme.toml"',
            "quantity": 'quantities="acme_quantities"',
        }
        source = source.replace('"Acme\'s own.",', f'"Acme\'s own.", {parts[kind]},')
    install(path, "acme", source)
    (path / "acme.toml").write_text(COLUMNS.format(name.partition(".")[2]), encoding="utf-8")
    (scenario := path / "acme" / f"{name}.toml").parent.mkdir(parents=True)
    scenario.write_text("", encoding="utf-8")
    (path / "acme_quantities.py").write_text(QUANTITIES.format(name), encoding="utf-8")
    words = ("show", kept / "first" / "result", "--findings") if kind == "rule" else ("plan", "ab")
    ended = busmark(*words, path=path)
    assert ended.returncode == 2, ended.stdout
    said = f"declares the {kind} {name}, which {owner} has already"
    assert f"plug-in acme of busmark_acme 1.2: {said}" in ended.stderr, ended.stderr
    assert f"switch the plug-in off: {SWITCH}=-acme" in ended.stderr
    assert busmark(*words, path=path, off="-acme").returncode == 0


def columns(name: str, table: str) -> set[str]:
    """Return the columns that a plug-in adds to a table."""
    source = next(each.plugin.columns for each in installed() if each.plugin and each.name == name)
    return set(tomllib.loads(beside(source).read_text(encoding="utf-8"))[table])


def test_no_column_of_a_plugin_that_is_off_is_stored(tmp_path: Path) -> None:
    run = ("latency", "null", "--size", "64", "--rounds", "2", "--duration", "0.05")
    found = imported((*run, "--out", tmp_path / "out"), off="-papers,-capture")
    assert not {module for module in found if module.startswith(("papers", "capture"))}
    read = pl.read_parquet_schema(tmp_path / "out" / "cases.parquet")
    assert "median_ns" in read and not set(read) & columns("capture", "cases")
    assert not {path.stem for path in (tmp_path / "out").iterdir()} & {"hops", "wire"}
    # With it, the same result is whole: what was not stored is null.
    shown = busmark("show", "out", folder=tmp_path)
    assert shown.returncode == 0, shown.stderr


def test_a_result_with_columns_of_a_plugin_that_is_off_is_readable(tmp_path: Path) -> None:
    with tarfile.open(CAPTURED) as archive:
        archive.extractall(tmp_path, filter="data")
    for off in ("", "-capture"):
        ended = busmark("show", tmp_path / "result", off=off)
        assert ended.returncode == 0, ended.stderr
