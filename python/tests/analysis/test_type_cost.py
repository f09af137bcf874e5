"""What a type costs is the difference to the same bytes as octets, round by round."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from busmark.compare.campaign import summarise
from busmark.model.text import THIN
from synthetic_campaign import Builder

from busmark.store import Result

TYPE, OCTETS = "000-type", "001-octets"


def sentences(folder: Path, extra_ns: float, rounds: int = 5, **octets: object) -> list[str]:
    builder = Builder(folder)
    builder.case(TYPE, payload="type", size=1000, adapter="fastdds")
    builder.case(OCTETS, **{"payload": "octet", "size": 1000, "adapter": "fastdds", **octets})
    for number in range(rounds):
        # A slow round is slow for both: the difference does not see it.
        base = np.full(200, 20_000.0 + 5_000 * number)
        for case, times in ((TYPE, base + extra_ns + 10 * number), (OCTETS, base)):
            builder.pings(case, number, times)
            builder.rows[-1]["median_ns"] = float(np.median(times))
    builder.finish()
    campaign = summarise(Result(folder), with_series=False)
    return [answer.sentence for answer in campaign.answers if "octets" in answer.sentence]


def test_the_cost_is_told_with_its_interval(tmp_path: Path) -> None:
    (told,) = sentences(tmp_path, 8_000)
    figure = "4.01 [4.00, 4.02] µs"
    assert told.startswith(f"the type costs {figure} more than the same 1{THIN}000 B as octets")
    assert "5 rounds" in told and "one serialisation and one deserialisation" in told


def test_a_difference_that_may_be_none_is_no_cost(tmp_path: Path) -> None:
    (told,) = sentences(tmp_path, -20)
    assert told.startswith("The cost of the type is undecided, compared with the same")


def test_a_type_may_cost_less(tmp_path: Path) -> None:
    (told,) = sentences(tmp_path, -8_000)
    assert "less than the same" in told and "\N{MINUS SIGN}" not in told


def test_one_round_gives_no_interval(tmp_path: Path) -> None:
    (told,) = sentences(tmp_path, 8_000, rounds=1)
    assert told.startswith("the type differs by 4.00 µs from the same")


def test_octets_of_another_workload_are_no_counterpart(tmp_path: Path) -> None:
    assert sentences(tmp_path, 8_000, size=999) == []
