"""CDR to JSON: `decode.py FOLDER`, run as a program of its own.

FOLDER holds the classes that the IDL compiler made. A line of standard input is a sample,
`{"type": NAME, "bytes": HEX}` with its encapsulation, and a line of output what is in it:
`{"value": ...}` as `encode.py` has values, `{"problem": ...}` where it cannot be read, or `{}`
where the type is none of these.
"""

from __future__ import annotations

import dataclasses
import enum
import json
import sys
import typing
from pathlib import Path
from typing import Any

from busmark.plugins.own_types.encode import types

HEADER = 4
"""Bytes of an encapsulation."""
ALIGNMENT = 4
"""Serialised data may be padded up to a multiple of this, bytes."""
PLAIN = {0x00: 1, 0x06: 2}
"""Versions of XCDR by encapsulations without lists of parameters, but for the byte order
(DDS-XTypes 1.3, 7.6.3.1.2)."""


def plain(value: Any) -> Any:
    """Return a value of a generated class as JSON has it."""
    bases = {base.__name__ for base in type(value).__mro__}
    if isinstance(value, enum.Enum):
        return value.name
    if "IdlBitmask" in bases:
        fields = (field.name for field in dataclasses.fields(value))
        return [name for name in fields if getattr(value, name)]
    if "IdlUnion" in bases:
        return _union(value)
    if dataclasses.is_dataclass(value):
        fields = (field.name for field in dataclasses.fields(value))
        return {name: plain(getattr(value, name)) for name in fields}
    if isinstance(value, bytes | bytearray | list | tuple):
        return [plain(item) for item in value]
    return value


def _union(value: Any) -> dict[str, Any]:
    """Return the chosen member, and the discriminator where the member does not say it."""
    chosen = value.discriminator
    for name, hint in typing.get_type_hints(type(value), include_extras=True).items():
        case = typing.get_args(hint)[1]
        labels = getattr(case, "labels", [])
        if chosen in labels or (not labels and type(case).__name__ == "default"):
            text = {} if len(labels) == 1 else {"discriminator": plain(chosen)}
            return {**text, name: plain(value.value)}
    return {"discriminator": plain(chosen)}


def decode(known: dict[str, Any], name: str, data: bytes) -> dict[str, Any]:
    """Return what is in a sample."""
    if name not in known:
        return {}
    if len(data) < HEADER:
        return {"problem": f"has {len(data)} bytes, less than an encapsulation"}
    try:
        value = known[name].deserialize(data)
        again = _again(value, data[1])
    except Exception as error:  # the package has no class for its own
        return {"problem": f"is no value of the type in the IDL file: {error}"}
    # The package reads zeros where there is nothing more.
    if again is not None and not 0 <= len(data) - len(again) < ALIGNMENT:
        lengths = f"it has {len(data)} bytes, and such a value {len(again)}"
        return {"problem": f"is no value of the type in the IDL file: {lengths}"}
    return {"value": plain(value)}


def _again(value: Any, encapsulation: int) -> bytes | None:
    """Return the value serialised as it was; None where one value has several lengths."""
    from cyclonedds.idl._support import Endianness

    order = Endianness.Little if encapsulation & 1 else Endianness.Big
    version = PLAIN.get(encapsulation & ~1)
    if version is None:
        return None
    again: bytes = value.serialize(endianness=order, use_version_2=version == 2)
    return again


def main(folder: str) -> None:
    """Decode until the input ends."""
    # Behind everything else: no module of the user's takes the place of another.
    sys.path.append(folder)
    known = types(Path(folder))
    for line in sys.stdin:
        one = json.loads(line)
        # JSON has neither infinities nor NaN; Python's writes and reads them all the same.
        print(json.dumps(decode(known, one["type"], bytes.fromhex(one["bytes"]))), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
