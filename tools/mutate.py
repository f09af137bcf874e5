"""Damages results, imports, scenarios, lines of the protocol, security documents and types of a
user, seeded, and counts what comes of it: an answer in words, or a traceback, a long wait, much
memory. Kinds that begin with `read-` only read what is damaged, and are ten to a hundred times as
fast.

    python tools/mutate.py                              # 2,000 inputs of each kind; minutes
    python tools/mutate.py imports --inputs 200000 --record
    python tools/mutate.py imports --first 1234 --inputs 1   # one input again

Exit code 1 if an input caused a traceback, took more than 10 s or more than 1 GiB. --record writes
the outcome to docs/reference/mutations.json; --parts FILE keeps the outcome of each batch, so that
the same command continues where it was ended, and runs again what failed.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "python"), str(ROOT)]

from tools.mutations.many import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main())
