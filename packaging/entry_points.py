"""Entry points of the wheel. maturin packs a program or entry points, not both: they are put in
afterwards."""

from __future__ import annotations

import base64
import hashlib
import zipfile
from pathlib import Path

TEXT = Path(__file__).with_name("entry_points.txt")
COMPRESSION = zipfile.ZIP_DEFLATED


def add(wheel: Path) -> None:
    """Put `entry_points.txt` among the metadata of a wheel, and into its list of files.

    The times of the wheel's other files are kept, so that two wheels are still the same.
    """
    partial = wheel.with_suffix(".partial")
    content = TEXT.read_bytes()
    with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(partial, "w", COMPRESSION) as new:
        (record,) = (each for each in old.infolist() if each.filename.endswith(".dist-info/RECORD"))
        name = record.filename.replace("RECORD", TEXT.name)
        for each in old.infolist():
            if each.filename != record.filename:
                new.writestr(each, old.read(each), compress_type=COMPRESSION)
        added = zipfile.ZipInfo(name, record.date_time)
        added.external_attr = record.external_attr
        new.writestr(added, content, compress_type=COMPRESSION)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
        listed = old.read(record).decode() + f"{name},sha256={digest},{len(content)}\n"
        new.writestr(record, listed, compress_type=COMPRESSION)
    partial.replace(wheel)
