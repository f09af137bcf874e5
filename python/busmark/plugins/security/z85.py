"""Z85, in which ZeroMQ writes keys (RFC 32 of ZeroMQ): five characters for four bytes."""

from __future__ import annotations

from busmark.errors import UserError

ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
_VALUES = {character: value for value, character in enumerate(ALPHABET)}


def encode(data: bytes) -> str:
    """The text of bytes, whose number is a multiple of four."""
    if len(data) % 4:
        raise ValueError("Z85 encodes multiples of four bytes")
    found = []
    for at in range(0, len(data), 4):
        value = int.from_bytes(data[at : at + 4], "big")
        found += [ALPHABET[value // 85**power % 85] for power in (4, 3, 2, 1, 0)]
    return "".join(found)


def decode(text: str, where: str = "") -> bytes:
    """The bytes of a text."""
    wrong = UserError(
        "this is not a key in Z85", where=where, remedy="A key is 40 characters of Z85."
    )
    if len(text) % 5:
        raise wrong
    found = bytearray()
    for at in range(0, len(text), 5):
        value = 0
        for character in text[at : at + 5]:
            if character not in _VALUES:
                raise wrong
            value = value * 85 + _VALUES[character]
        if value >= 1 << 32:
            raise wrong
        found += value.to_bytes(4, "big")
    return bytes(found)
