"""A type of the user's: its IDL compiled into adapters, a value of it as CDR, and a scenario."""

from busmark.plugins.own_types.compare import scenario
from busmark.plugins.own_types.content import Types
from busmark.plugins.own_types.libraries import BUILDERS, Made, build, candidates
from busmark.plugins.own_types.source import UserType
from busmark.plugins.own_types.tools import CYCLONEDDS, idl_compiler, python_generator
from busmark.plugins.own_types.value import serialise

__all__ = [
    "BUILDERS",
    "CYCLONEDDS",
    "Made",
    "Types",
    "UserType",
    "build",
    "candidates",
    "idl_compiler",
    "python_generator",
    "scenario",
    "serialise",
]
