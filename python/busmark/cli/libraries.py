"""Settings of libraries, made before their import, so that large results are analysed sooner."""

from __future__ import annotations

import os

from busmark import platform

NUMPY = ("NPY_DISABLE_CPU_FEATURES", "X86_V4 AVX512_SKX")
"""Sorting, which is a good part of the analysis, takes six times as long with AVX-512 as with AVX2
on AMD's Zen 4, and is hardly slower without it elsewhere. The same set of instructions everywhere
also gives the same last digit. The second name is for numpy before 2.4; each version knows one of
them, and silently ignores what a machine does not have."""


def prepare() -> None:
    """Before any of them is imported. Whoever has set the variable is obeyed."""
    os.environ.setdefault(*NUMPY)
    platform.keep_memory()
