"""The package as a whole: its table of contents and its cost to import."""

import subprocess
import sys

import busmark.stats


def test_every_listed_name_exists() -> None:
    assert sorted(busmark.stats.__all__) == sorted(set(busmark.stats.__all__))
    for name in busmark.stats.__all__:
        assert hasattr(busmark.stats, name)


def test_importing_it_does_not_import_scipy() -> None:
    code = "import sys, busmark.stats; sys.exit('scipy' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
