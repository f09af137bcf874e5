"""Files that are cut off, damaged, foreign or ambiguous: a line is named, nothing half-written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from import_harness import FILES, FORMATS, read, result_of, text_of

from busmark.errors import UserError
from busmark.plugins.imports.read import import_results
from busmark.plugins.imports.registry import importer, recognised
from busmark.plugins.imports.text import SourceText


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_a_file_is_recognised_by_its_content_and_as_no_other(name: str) -> None:
    assert [found.name for found in recognised(text_of(name))] == [FORMATS[name]]


@given(st.sampled_from(sorted(FORMATS)), st.data())
@settings(max_examples=250, deadline=None)
def test_a_file_cut_off_anywhere_is_an_error_with_a_line_or_a_part_with_what_was_left_out(
    name: str, data: st.DataObject
) -> None:
    text = text_of(name)
    cut = text[: data.draw(st.integers(0, len(text)))]
    try:
        part = read(name, cut)
    except UserError as error:
        assert ", line " in error.where, str(error)
        return
    whole = read(name)
    assert part.runs
    # A cut between two lines cannot be seen.
    if cut.rpartition("\n")[2].strip() and cut.rstrip() != text.rstrip():
        fewer = _figures(part) < _figures(whole)
        assert part.left_out or not fewer or name.endswith("json"), cut[-80:]
    _subset(part, whole)


def _figures(found: object) -> int:
    runs = found.runs  # type: ignore[attr-defined]
    return sum(len(run.reported) for run in runs) + len(runs)


def _subset(part: object, whole: object) -> None:
    """Check that no value of a whole run changes because a file was cut, unless it is put together
    of parts."""
    known = {(s.key, s.value_ns) for run in whole.runs for s in run.reported}  # type: ignore[attr-defined]
    for run in part.runs:  # type: ignore[attr-defined]
        for s in run.reported:
            if s.line is not None:
                assert (s.key, s.value_ns) in known, s


@given(st.sampled_from(sorted(FORMATS)), st.data())
@settings(max_examples=250, deadline=None)
def test_a_damaged_character_gives_no_traceback(name: str, data: st.DataObject) -> None:
    text = text_of(name)
    place = data.draw(st.integers(0, len(text) - 1))
    other = data.draw(st.sampled_from('x0-9.,"{}[]\n\t :;eE#\u00b5') | st.characters(codec="utf-8"))
    try:
        read(name, text[:place] + other + text[place + 1 :])
    except UserError as error:
        assert ", line " in error.where, str(error)


@given(st.text(max_size=400), st.sampled_from(sorted(set(FORMATS.values()))))
@settings(max_examples=100, deadline=None)
def test_any_text_under_any_name_gives_no_traceback(text: str, form: str) -> None:
    found = importer(form)
    try:
        found.read(SourceText("some", text.encode("utf-8", "replace")))
    except UserError as error:
        assert ", line " in error.where, str(error)


def test_what_is_of_no_format_names_those_that_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("nothing of the kind\n", encoding="utf-8")
    with pytest.raises(UserError, match="of no known format") as caught:
        import_results([path], tmp_path / "out")
    assert "RTI Perftest" in caught.value.remedy
    assert not (tmp_path / "out").exists()


def test_a_named_format_is_taken_at_its_word(tmp_path: Path) -> None:
    both = tmp_path / "both.txt"
    both.write_text(text_of("ddsperf_ping.txt") + text_of("sockperf_ping_pong.txt"), "utf-8")
    result = import_results([both], tmp_path / "out", form="ddsperf")
    assert result.cases["adapter"].to_list() == ["cyclonedds"]


def test_an_unknown_format_names_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="Did you mean sockperf"):
        import_results([FILES / "omb.json"], tmp_path / "out", form="sockper")


def test_a_damaged_file_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(text_of("perftest_no_titles.csv").replace("39,", "x,"), encoding="utf-8")
    before = sorted(tmp_path.iterdir())
    with pytest.raises(UserError, match="is not a number"):
        import_results([path], tmp_path / "out")
    assert sorted(tmp_path.iterdir()) == before


def test_a_damaged_file_is_refused_and_the_others_are_imported(tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(text_of("perftest_no_titles.csv").replace("39,", "x,"), encoding="utf-8")
    lines: list[str] = []
    good = FILES / "perftest_latency.csv"
    result = import_results([good, path], tmp_path / "out", tell=lines.append)
    assert result.cases.height == 2
    assert [line.partition(": ")[0].partition(", ")[0] for line in lines] == [str(good), str(path)]
    assert "refused: " in lines[1] and "is not a number" in lines[1]
    assert result.manifest.source and lines[1] in result.manifest.source.left_out


def test_files_of_several_tools_are_no_one_result(tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught:
        import_results([FILES / "omb.json", FILES / "ddsperf_sub.txt"], tmp_path / "out")
    text = str(caught.value)
    assert all(word in text for word in ("omb.json", "ddsperf_sub.txt", "--format omb"))
    assert not list(tmp_path.iterdir())
    paths = [FILES / "omb.json", FILES / "ddsperf_sub.txt"]
    result = import_results(paths, tmp_path / "out", form="omb")
    assert result.manifest.source
    assert [file.form for file in result.manifest.source.files] == ["json"]


def test_a_directory_in_use_is_not_written_to(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "mine.txt").write_text("keep", encoding="utf-8")
    with pytest.raises(UserError, match="not empty"):
        import_results([FILES / "omb.json"], out)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert [path.name for path in out.iterdir()] == ["mine.txt"]


def test_an_empty_directory_may_be_there(tmp_path: Path) -> None:
    (tmp_path / "result").mkdir()
    assert result_of(tmp_path, "omb.json").cases.height == 1


def test_a_folder_gives_what_is_known_and_lists_the_rest(tmp_path: Path) -> None:
    folder = tmp_path / "results"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub" / "a.json").write_text(text_of("omb.json"), encoding="utf-8")
    (folder / "again.json").write_text(text_of("omb.json"), encoding="utf-8")
    (folder / "notes.txt").write_text("hello\n", encoding="utf-8")
    (folder / "image.png").write_bytes(b"\x89PNG\0\0")
    source = import_results([folder], tmp_path / "out").manifest.source
    assert source
    assert [Path(file.name).name for file in source.files] == ["again.json"]
    left = " ".join(source.left_out)
    assert "the same file again" in left
    assert "notes.txt, line 1: skipped: of no known format" in left
    assert "image.png: skipped: not a text file" in left


@pytest.mark.parametrize("what", ["missing", "empty", "folder"])
def test_nothing_to_import_is_reported(tmp_path: Path, what: str) -> None:
    path = tmp_path / what
    if what == "empty":
        path.write_text("", encoding="utf-8")
    if what == "folder":
        path.mkdir()
    with pytest.raises(UserError) as caught:
        import_results([path], tmp_path / "out")
    assert what in caught.value.where


@pytest.mark.parametrize("figure", ["latency_99", "latency_std"])
def test_a_time_below_zero_that_one_clock_gave_is_refused_with_its_line(
    figure: str, tmp_path: Path
) -> None:
    text, count = re.subn(rf'("{figure}": )[0-9.]+', r"\g<1>-1", text_of("perftest_cpp.json"))
    assert count
    path = tmp_path / "perftest.json"
    path.write_text(text)
    with pytest.raises(UserError, match="value_ns = -1000 cannot be") as refused:
        import_results([path], tmp_path / "out")
    assert ", line " in refused.value.where
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("name", "was", "sentence"),
    [
        ("omb.json", ("50050.0", "1e300"), "samples"),
        ("omb.json", ("50050.0", "5e22"), "samples"),
        ("performance_test.csv", ("\n2.000000,", "\n99999999999.5,"), "start_s"),
        ("ddsperf_sub.txt", ("delta 1004 ", "delta 99999999999999999 "), "samples_per_s"),
    ],
)
def test_a_figure_too_large_for_any_number_is_refused(
    tmp_path: Path, name: str, was: tuple[str, str], sentence: str
) -> None:
    text = text_of(name)
    assert was[0] in text
    (tmp_path / name).write_text(text.replace(*was))
    with pytest.raises(UserError, match=sentence):
        import_results([tmp_path / name], tmp_path / "result")
    assert not (tmp_path / "result").exists()
