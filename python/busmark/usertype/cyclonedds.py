"""The adapter `cyclonedds` with a type of the user's: it links a static library of generated C."""

from __future__ import annotations

import shutil
from pathlib import Path

from busmark.usertype.source import UserType
from busmark.usertype.tools import Idlc, checkout, run


def compile_c(user: UserType, idlc: Idlc, folder: Path, log: Path) -> Path:
    """The folder of `libbusmark_user_sample.a`."""
    generated = folder / "generated"
    shutil.rmtree(generated, ignore_errors=True)
    generated.mkdir(parents=True)
    idl = checkout() / "idl"
    includes: list[str | Path] = ["-I", idl, "-I", user.idl.parent]
    sample = generated / "user_sample.idl"
    sample.write_text(_sample(user, idl / "user_sample.idl.in"), encoding="utf-8")
    # Without type information matching goes by name alone, as in every adapter of Busmark.
    idlc.compile(sample, "c", generated, "-t", *includes)
    # What it includes is compiled to headers of its own, which lie as the IDL files do.
    for file in idlc.included(sample, generated, *includes):
        root = next((r for r in (idl, user.idl.parent) if file.is_relative_to(r)), file.parent)
        place = generated / file.relative_to(root).parent
        idlc.compile(file, "c", place, "-t", *includes)
    objects = folder / "user_sample.o"
    headers = [word for path in (generated, *idlc.includes) for word in ("-I", path)]
    source = generated / "user_sample.c"
    run(["cc", "-O2", "-fPIC", "-w", "-c", source, *headers, "-o", objects], log=log)
    library = folder / "lib"
    library.mkdir(exist_ok=True)
    run(["ar", "rcs", library / "libbusmark_user_sample.a", objects], log=log)
    return library


def _sample(user: UserType, template: Path) -> str:
    text = template.read_text(encoding="utf-8")
    text = text.replace("@BUSMARK_USER_FILE@", user.idl.name)
    return text.replace("@BUSMARK_USER_TYPE@", user.name)
