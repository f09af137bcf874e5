"""JSON to CDR and back, run as a program of its own.

`codec.py FOLDER TYPE VALUE.json OUT` encodes a value. `codec.py FOLDER` decodes: a line of standard
input is a sample, `{"type": NAME, "bytes": HEX}` with its encapsulation, and a line of output what
is in it: `{"value": ...}`, `{"problem": ...}` where it cannot be read, or `{}` where the type is
none of the folder's.

FOLDER holds the classes that the IDL compiler made. What JSON stands for what: an object for a
structure, a list for a sequence or an array, the name for an enumerator, a list of names for a
bitmask, an object with one member for a union (and "discriminator" where that member has several).
"""

from __future__ import annotations

import dataclasses
import difflib
import enum
import importlib
import json
import math
import pkgutil
import struct
import sys
import typing
from pathlib import Path
from typing import Any

from busmark import files

INTEGERS = {
    "byte": (0, 2**8 - 1),
    "uint8": (0, 2**8 - 1),
    "int8": (-(2**7), 2**7 - 1),
    "uint16": (0, 2**16 - 1),
    "int16": (-(2**15), 2**15 - 1),
    "uint32": (0, 2**32 - 1),
    "int32": (-(2**31), 2**31 - 1),
    "uint64": (0, 2**64 - 1),
    "int64": (-(2**63), 2**63 - 1),
}

FLOAT32_MOST = struct.unpack("<f", b"\xff\xff\x7f\x7f")[0]
FLOAT32 = f" of 32 bits, up to {FLOAT32_MOST:.4g}"

PLAIN_CDR = b"\0\1\0\0"
"""Encapsulation of what the contract calls CDR: XCDR1, plain, little-endian."""


class Wrong(Exception):
    """A value that does not fit, and where it is."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f"{path}: {why}" if path else why)


def shown(value: Any) -> str:
    """Return a value in an error."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else f"{text[:37]}..."


def nearest(name: str, names: list[str]) -> str:
    """Return a hint for a name that is none of these."""
    near = difflib.get_close_matches(name, names, n=1)
    return f"did you mean {near[0]}?" if near else f"there are {', '.join(names) or 'none'}"


def value_of(hint: Any, value: Any, path: str) -> Any:
    """Return `value` of JSON as the type `hint` of a generated class has it."""
    if typing.get_origin(hint) is typing.Union:  # @optional
        return None if value is None else value_of(typing.get_args(hint)[0], value, path)
    if typing.get_origin(hint) is not typing.Annotated:
        return _plain(hint, None, value, path)
    # The type as Python has it, with its elements; and what IDL says of it beyond that.
    return _plain(typing.get_args(hint)[0], mark_of(hint), value, path)


def mark_of(hint: Any) -> Any:
    """Return the annotation of a type, through typedefs; None where there is none."""
    hint = _resolved(hint)
    if typing.get_origin(hint) is not typing.Annotated:
        return None
    found = typing.get_args(hint)[1]
    return mark_of(found.subtype) if type(found).__name__ == "typedef" else found


def _resolved(hint: Any) -> Any:
    """Return the type; generated classes name some by module and name."""
    if not isinstance(hint, str):
        return hint
    module, _, name = hint.rpartition(".")
    return getattr(importlib.import_module(module), name)


def _plain(hint: Any, mark: Any, value: Any, path: str) -> Any:
    kind = type(mark).__name__
    if kind in ("array", "sequence"):
        return _many(typing.get_args(hint)[0], mark, value, path)
    if isinstance(mark, str) and mark in INTEGERS:
        low, high = INTEGERS[mark]
        whole = isinstance(value, int) and not isinstance(value, bool)
        _expect(value, whole and low <= value <= high, f"a whole number from {low} to {high}", path)
        return int(value)
    if hint is bool:
        return _expect(value, isinstance(value, bool), "true or false", path)
    if hint is float:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        number = number and (mark != "float32" or not FLOAT32_MOST < abs(value) < math.inf)
        return float(_expect(value, number, "a number" + FLOAT32 * (mark == "float32"), path))
    if mark == "char":
        one = isinstance(value, str) and len(value) == 1 and ord(value) < 256
        return _expect(value, one, "a text of one character", path)
    if hint is str:
        return _text(mark, value, path)
    return _named(hint, value, path)


def _expect(value: Any, fits: bool, what: str, path: str) -> Any:
    if not fits:
        raise Wrong(path, f"{shown(value)} is not {what}")
    return value


def _text(mark: Any, value: Any, path: str) -> str:
    fits = isinstance(value, str) and "\0" not in value
    # JSON can escape halves of characters, which UTF-8 does not have.
    fits = fits and not any("\ud800" <= letter <= "\udfff" for letter in value)
    _expect(value, fits, "a text", path)
    most = getattr(mark, "max_length", None)
    if most is not None and len(value.encode()) > most:
        raise Wrong(path, f"{shown(value)} is longer than {most} bytes")
    return str(value)


def _many(element: Any, mark: Any, value: Any, path: str) -> list[Any]:
    _expect(value, isinstance(value, list), "a list", path)
    exact, most = getattr(mark, "length", None), getattr(mark, "max_length", None)
    if exact is not None and len(value) != exact:
        raise Wrong(path, f"has {len(value)} elements, the array has {exact}")
    if most is not None and len(value) > most:
        raise Wrong(path, f"has {len(value)} elements, at most {most}")
    return [value_of(element, item, f"{path}[{index}]") for index, item in enumerate(value)]


def _named(cls: Any, value: Any, path: str) -> Any:
    """Return a structure, a union, an enumeration or a bitmask."""
    bases = {base.__name__ for base in getattr(cls, "__mro__", ())}
    if "IdlEnum" in bases:
        names = [entry.name for entry in cls]
        if value not in names:
            raise Wrong(path, f"{shown(value)} is no enumerator: {nearest(str(value), names)}")
        return cls[value]
    if "IdlBitmask" in bases:
        return _bits(cls, value, path)
    _expect(value, isinstance(value, dict), "an object", path)
    if "IdlUnion" in bases:
        return _union(cls, value, path)
    if "IdlStruct" not in bases:
        raise Wrong(path, f"values of {cls} cannot be given")
    return _structure(cls, value, path)


def _bits(cls: Any, value: Any, path: str) -> Any:
    _expect(value, isinstance(value, list), "a list of names", path)
    names = [field.name for field in dataclasses.fields(cls)]
    for name in value:
        if name not in names:
            raise Wrong(path, f"{shown(name)} is no bit: {nearest(str(name), names)}")
    return cls(**dict.fromkeys(value, True))


def _structure(cls: Any, value: dict[str, Any], path: str) -> Any:
    hints = hints_of(cls)
    for name in value:
        if name not in hints:
            raise Wrong(_below(path, name), f"no such member; {nearest(name, list(hints))}")
    members = {}
    for name, hint in hints.items():
        optional = typing.get_origin(hint) is typing.Union
        if name not in value and not optional:
            raise Wrong(_below(path, name), "is missing")
        members[name] = value_of(hint, value.get(name), _below(path, name))
    return cls(**members)


def _union(cls: Any, value: dict[str, Any], path: str) -> Any:
    hints = hints_of(cls)
    chosen = [name for name in value if name != "discriminator"]
    if len(chosen) != 1 or chosen[0] not in hints:
        raise Wrong(path, f"a union has one member of {', '.join(hints)}")
    name = chosen[0]
    optional, case = typing.get_args(hints[name])[:2]
    member = value_of(optional, value[name], _below(path, name))
    labels = getattr(case, "labels", [])
    if "discriminator" in value:
        of = _below(path, "discriminator")
        discriminator = value_of(_resolved(cls.__idl_discriminator__), value["discriminator"], of)
        # The member of a default case has no labels.
        if labels and discriminator not in labels:
            raise Wrong(of, f"{shown(value['discriminator'])} does not choose {name}")
    elif len(labels) == 1:
        discriminator = labels[0]
    else:
        raise Wrong(path, f'member {name} has several: give its "discriminator"')
    return cls(discriminator=discriminator, value=member)


_known: dict[Any, dict[str, Any]] = {}


def hints_of(cls: Any) -> dict[str, Any]:
    """Return the types of the members, base types first."""
    if cls not in _known:
        _known[cls] = typing.get_type_hints(cls, include_extras=True)
    return _known[cls]


def _below(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def types(folder: Path) -> dict[str, Any]:
    """Return every class that was made, by its name in IDL."""
    names = [module.name for module in pkgutil.walk_packages([str(folder)])]
    modules = {name: importlib.import_module(name) for name in names}
    found = {}
    for module in modules.values():
        # They name each other, but import what they name for type checkers only.
        vars(module).update({name: of for name, of in modules.items() if "." not in name})
        for entry in list(vars(module).values()):
            name = getattr(entry, "__idl_typename__", None)
            if isinstance(entry, type) and isinstance(name, str):
                found[name.replace(".", "::")] = entry
    return found


def encode(folder: Path, name: str, value: Path) -> bytes:
    """Return the value of the JSON file as CDR."""
    from cyclonedds.idl import IdlStruct
    from cyclonedds.idl._support import Endianness

    known = {n: t for n, t in types(folder).items() if issubclass(t, IdlStruct)}
    if name not in known:
        raise Wrong(name, f"no such structure; {nearest(name, sorted(known))}")
    try:
        given = json.loads(files.content(value))
    except ValueError as error:
        raise Wrong(str(value), f"is not JSON: {error}") from None
    try:
        built = value_of(known[name], given, "")
    except Wrong as error:
        raise Wrong(str(value), str(error)) from None
    try:
        cdr = built.serialize(endianness=Endianness.Little, use_version_2=False)
    except Exception as error:  # the package has no class for its own
        raise Wrong(str(value), f"cannot be serialised: {error}") from None
    if cdr[:4] != PLAIN_CDR:
        raise Wrong(name, "has no plain CDR; take @mutable from it")
    return bytes(cdr[4:])


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
        return _plain_union(value)
    if dataclasses.is_dataclass(value):
        fields = (field.name for field in dataclasses.fields(value))
        return {name: plain(getattr(value, name)) for name in fields}
    if isinstance(value, bytes | bytearray | list | tuple):
        return [plain(item) for item in value]
    return value


def _plain_union(value: Any) -> dict[str, Any]:
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


def decode_lines(known: dict[str, Any]) -> None:
    """Decode until the input ends."""
    for line in sys.stdin:
        one = json.loads(line)
        # JSON has neither infinities nor NaN; Python's writes and reads them all the same.
        print(json.dumps(decode(known, one["type"], bytes.fromhex(one["bytes"]))), flush=True)


def main(folder: str, *arguments: str) -> None:
    """Decode samples; with a type, a value and a file, encode that value, or say why not."""
    # Behind everything else: no module of the user's takes the place of another.
    sys.path.append(folder)
    if not arguments:
        decode_lines(types(Path(folder)))
        return
    name, value, out = arguments
    try:
        cdr = encode(Path(folder), name, Path(value))
    except Wrong as error:
        sys.exit(str(error))
    files.write(Path(out), cdr)


if __name__ == "__main__":
    main(*sys.argv[1:])
