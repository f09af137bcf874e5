"""Values of options that several commands have."""

from __future__ import annotations

import click


def names(_: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> list[str]:
    """Names joined by commas, of an option that can be repeated."""
    return [name.strip() for value in values for name in value.split(",") if name.strip()]


def share(_: click.Context, parameter: click.Parameter, value: str) -> float:
    """ "2%" and "0.02" are the same."""
    try:
        number = float(value.strip().removesuffix("%")) / (100 if "%" in value else 1)
    except ValueError:
        number = -1.0
    if not 0.0 < number <= 1.0:
        raise click.BadParameter(f"{value!r} is no share such as 2%", param=parameter)
    return number
