"""Real results of older versions, as archives with the figures that those versions printed."""

from __future__ import annotations

import tarfile
from pathlib import Path

KEPT = Path(__file__).parent / "store" / "kept"
NAMES = sorted(path.name.removesuffix(".tar.xz") for path in KEPT.glob("*.tar.xz"))


def unpack(folder: Path) -> None:
    """Unpack all kept results, each into a folder of its name."""
    for name in NAMES:
        with tarfile.open(KEPT / f"{name}.tar.xz") as archive:
            archive.extractall(folder / name, filter="data")
