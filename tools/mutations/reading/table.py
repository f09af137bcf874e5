"""A table of a result: its bytes against its checksum, and its values against the format."""

from __future__ import annotations

from pathlib import Path
from random import Random

from tools.mutations import values
from tools.mutations.material import make
from tools.mutations.results import changed

from busmark.errors import UserError
from busmark.store import tables
from busmark.store.rows import loads_by_kind

CASES = "cases"
CASES_OF = 20
"""One input in this many is a table of rounds, which has a hundred columns and takes ten times as
long as another."""


class Table:
    """Those of whole results."""

    def __init__(self, folder: Path) -> None:
        files = sorted(path for whole in make(folder) for path in whole.rglob("*.parquet"))
        known = [(_name(path), tables.read(path), path.read_bytes()) for path in files]
        self.cases = [each for each in known if each[0] == CASES]
        self.others = [each for each in known if each[0] != CASES]
        self.file = folder / "damaged.parquet"

    def input(self, number: int, rng: Random) -> None:
        """One of them: other values, or other bytes."""
        name, frame, content = rng.choice(self.others if number % CASES_OF else self.cases)
        if rng.randrange(4) == 0:
            self.file.write_bytes(values.octets(content, rng))
            tables.load_table(self.file, name)
            return
        frame = tables.shaped(changed(frame, rng), self.file, name, None)
        if name == CASES:
            _rows, text = tables.rows(loads_by_kind(frame))
        else:
            text = [wrong] if (wrong := tables.damage(name, frame)) else []
        if text:
            raise UserError(text[0])


def _name(path: Path) -> str:
    """The table's name: files of single rounds are in a folder of that name."""
    return path.stem if path.stem in (CASES, "summaries") else path.parent.name
