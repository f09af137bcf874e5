"""A second process that analyses cases beside this one gives the same campaign."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from busmark.compare.campaign import summarise
from synthetic_campaign import comparison

from busmark.cli import beside as cli_beside
from busmark.cli.beside import Beside, beside
from busmark.store import Result


class Counted:
    """A helper, and how often it was asked and has answered; it ends after `until` answers."""

    def __init__(self, real: Beside, until: int | None = None) -> None:
        self.real, self.until, self.sent, self.answers = real, until, 0, 0

    def send(self, item: object) -> None:
        self.real.send(item)
        self.sent += 1

    def receive(self) -> Any:
        if self.answers == self.until:
            self.real.process.kill()
            self.real.process.wait()
        found = self.real.receive()
        self.answers += 1
        return found


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return comparison(tmp_path_factory.mktemp("result"), samples=2000, rounds=3)


@pytest.fixture
def helper() -> Iterator[Beside]:
    found = Beside()
    yield found
    found.close()


@pytest.mark.parametrize("with_series", [True, False])
def test_with_a_helper_the_campaign_is_the_same(
    directory: Path, helper: Beside, with_series: bool
) -> None:
    alone = summarise(Result(directory), with_series=with_series)
    counted = Counted(helper)
    both = summarise(Result(directory), with_series=with_series, helper=counted)
    assert both.model_dump_json() == alone.model_dump_json()
    # The result as a whole and at least one case of it, each answered.
    assert counted.sent >= 2 and counted.answers == counted.sent - 1


def test_what_a_file_has_wrong_is_told_by_whoever_reads_it(tmp_path: Path, helper: Beside) -> None:
    directory = comparison(tmp_path / "damaged", samples=200, rounds=2)
    for path in (directory / "samples").iterdir():
        path.write_bytes(b"no table")
    alone = summarise(Result(directory))
    both = summarise(Result(directory), helper=Counted(helper))
    assert alone.problems and both.model_dump_json() == alone.model_dump_json()


@pytest.mark.parametrize("until", [0, 1])
def test_a_helper_that_is_ended_leaves_nothing_out(
    directory: Path, helper: Beside, until: int
) -> None:
    both = summarise(Result(directory), helper=Counted(helper, until))
    assert both.model_dump_json() == summarise(Result(directory)).model_dump_json()


def test_a_small_result_has_none_and_a_large_one_has(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with beside(directory) as none:
        assert none is None
    with beside(directory / "no such") as none:
        assert none is None
    monkeypatch.setattr(cli_beside, "LARGE", 1)
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1})
    with beside(directory) as one:
        assert one is not None
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0})
    with beside(directory) as none:
        assert none is None
