"""A type of the user's: its IDL compiled into adapters, a value of it as CDR, and a scenario."""

from busmark.usertype.compare import scenario
from busmark.usertype.content import Types
from busmark.usertype.decode import decode
from busmark.usertype.encode import PLAIN_CDR, Wrong, encode, types
from busmark.usertype.libraries import BUILDERS, Made, build, candidates
from busmark.usertype.source import UserType, check
from busmark.usertype.tools import CYCLONEDDS, idl_compiler, python_generator
from busmark.usertype.value import serialise

__all__ = [
    "BUILDERS",
    "CYCLONEDDS",
    "PLAIN_CDR",
    "Made",
    "Types",
    "UserType",
    "Wrong",
    "build",
    "candidates",
    "check",
    "decode",
    "encode",
    "idl_compiler",
    "python_generator",
    "scenario",
    "serialise",
    "types",
]
