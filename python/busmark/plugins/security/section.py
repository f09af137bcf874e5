"""What a scenario says of security documents."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Self

from pydantic import AfterValidator, Field, model_validator

from busmark.scenario.section import ScenarioSection


def _whole(path: str) -> str:
    """Make a path absolute, for a campaign may be resumed elsewhere."""
    return str(Path(path).expanduser().absolute()) if path else ""


Named = Annotated[str, Field(max_length=4000), AfterValidator(_whole)]


class SecuritySection(ScenarioSection):
    """`[security]`: documents of secured cases (`matrix.security`). Without this table a run makes
    its own, for its own participants, and deletes them when it ends."""

    directory: Named = Field(
        default="",
        description="made by `busmark security init`; empty: the run makes its own",
    )
    passphrase_file: Named = Field(
        default="",
        description="its first line is the passphrase of the private keys; empty: they have none",
    )

    @model_validator(mode="after")
    def _is_of_a_directory(self) -> Self:
        if self.passphrase_file and not self.directory:
            raise ValueError("passphrase_file goes with directory: a run's own keys have none")
        return self


SecurityKey = SecuritySection | None
