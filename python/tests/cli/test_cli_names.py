"""Commands take results by name, and the newest where none is named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner, Result
from jsonschema import validate
from synthetic_campaign import small

import busmark
from busmark.adapters import libraries
from busmark.cli.main import busmark as command
from busmark.errors import UserError


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a working directory with two results."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    for day, name in ((1, "before"), (2, "after")):
        directory = Path("busmark-results") / name
        directory.mkdir(parents=True)
        small(directory)
        path = directory / "manifest.json"
        manifest = json.loads(path.read_text())
        manifest["created_utc"] = f"2026-01-{day:02d}T10:00:00Z"
        manifest["finished_utc"] = manifest["created_utc"]
        manifest["cookie"] = f"{day:016x}"
        path.write_text(json.dumps(manifest, indent=2))
    return tmp_path


def run(*words: object, code: int = 0) -> Result:
    ended = CliRunner().invoke(command, [str(word) for word in words], catch_exceptions=False)
    assert ended.exit_code == code, ended.output
    return ended


@pytest.mark.parametrize("words", [("show", "--json"), ("report", "--to", "csv"), ("predict",)])
def test_without_a_directory_it_is_the_newest_and_that_is_reported(
    home: Path, words: tuple[str, ...]
) -> None:
    ended = CliRunner().invoke(command, list(words))
    assert "busmark-results/after: the newest result" in ended.stderr
    assert "newest result" not in ended.stdout


def test_what_is_shown_by_name_is_that_result(home: Path) -> None:
    shown = run("show", "@last~1", "--json")
    assert json.loads(shown.stdout)["created_utc"].startswith("2026-01-01")
    assert "@last~1 is busmark-results/before" in shown.stderr
    assert not run("show", "@before", "--json").stderr


def test_a_case_of_a_named_result(home: Path) -> None:
    assert run("show", "@last#null-65536", "--json").stdout == run(
        "show", "busmark-results/after#null-65536", "--json"
    ).stdout  # fmt: skip


def test_a_case_alone_is_of_the_newest_result_or_of_the_one_here(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (
        run("show", "#null-64", "--json").stdout == run("show", "@after#null-64", "--json").stdout
    )
    monkeypatch.chdir(home / "busmark-results" / "before")
    here = run("show", "#null-64", "--json")
    assert json.loads(here.stdout)["created_utc"].startswith("2026-01-01")


def test_what_another_account_wrote_here_is_found_here_alone(
    home: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(home / "of-another-account"))
    assert run("show", "@last", "--json").stderr.startswith("@last is busmark-results/after")
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    with pytest.raises(UserError, match="no result is known"):
        run("show", "@last")


def test_compare_without_names_takes_the_newest_and_the_one_before(home: Path) -> None:
    alone = run("compare", "--json")
    assert "after: the newest result of this folder, against busmark-results/before" in (
        alone.stderr
    )
    named = run("compare", "@last~1", "@after", "--json")
    assert json.loads(alone.stdout) == json.loads(named.stdout)
    by = run("compare", "--by", "adapter", "--json")
    assert "busmark-results/after: the newest result" in by.stderr


def test_python_opens_by_name(home: Path) -> None:
    assert busmark.open("@last~1").directory == Path("busmark-results/before")


def test_an_unknown_name_is_an_error_of_its_own(home: Path) -> None:
    for words in (("show", "@befor"), ("report", "@befor"), ("compare", "@befor", "@last"),
                  ("run", "--resume", "--out", "@befor")):  # fmt: skip
        with pytest.raises(UserError, match="Did you mean @before"):
            run(*words)


def test_a_list_in_a_pipe_is_not_cut(home: Path) -> None:
    lines = run("list").stdout.splitlines()
    assert lines[2].split()[0] == "after" and lines[3].split()[0] == "before"
    assert lines[2].rstrip().endswith(str(home / "busmark-results" / "after"))


def test_a_list_as_json_has_a_schema(home: Path) -> None:
    document = json.loads(run("list", "--json").stdout)
    schema = Path(__file__).parents[3] / "schemas" / "listing.schema.json"
    validate(document, json.loads(schema.read_text(encoding="utf-8")))
    assert [each["name"] for each in document["results"]] == ["after", "before"]


def completed(*words: str) -> list[str]:
    complete = ShellComplete(command, {}, "busmark", "_BUSMARK_COMPLETE")
    return [each.value for each in complete.get_completions(list(words[:-1]), words[-1])]


@pytest.mark.parametrize(
    ("words", "offers"),
    [
        ("latency ud", "udp"),
        ("latency udp --qos reliable,keep_l", "reliable,keep_last"),
        ("latency udp --ro", "--rounds"),
        ("ini", "init"),
    ],
)
def test_a_shell_completes_adapters_policies_options_and_commands(words: str, offers: str) -> None:
    if "udp" not in libraries():
        pytest.skip("not built here: udp")
    assert offers in completed(*words.split())


def test_a_shell_completes_names(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert completed("show", "@") == ["@last", "@last~1", "@after", "@before"]
    assert completed("compare", "@last", "@b") == ["@before"]
    assert completed("run", "--resume", "--out", "@a") == ["@after"]
    assert not capsys.readouterr().err


def test_what_is_imported_has_a_name_of_its_own(home: Path) -> None:
    files = Path(__file__).parents[2] / "busmark" / "plugins" / "imports" / "tests" / "files"
    source = files / "perftest_throughput.csv"
    run("import", source, "--out", "@theirs")
    newest = json.loads(run("list", "--json").stdout)["results"][0]
    assert (newest["name"], newest["state"], newest["machine"]) == ("theirs", "imported", None)
    assert newest["directory"] == str(home / "busmark-results" / "theirs")
    assert run("show", "@theirs").stdout == run("show").stdout
