"""The package as a whole: its table of contents and its cost to import."""

import subprocess
import sys

import busmark.stats


def test_every_listed_name_exists() -> None:
    assert sorted(busmark.stats.__all__) == sorted(set(busmark.stats.__all__))
    for name in busmark.stats.__all__:
        assert hasattr(busmark.stats, name)


def test_importing_it_imports_no_part_of_scipy() -> None:
    parts = "'scipy.' + part in sys.modules for part in scipy.__all__"
    code = f"import sys, scipy, busmark.stats; sys.exit(any({parts}))"
    subprocess.run([sys.executable, "-c", code], check=True)
