"""What the links of a lab are like, and how a user says so."""

from __future__ import annotations

from decimal import Decimal
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from busmark.errors import UserError
from busmark.model import units

LEAST_RATE, MOST_RATE = 1e4, 1e11
MOST_DELAY_S = 10.0


class Links(BaseModel):
    """Properties of every node's link, in the direction from the node to the switch."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    rate_bit_s: float = Field(default=0.0, description="0: as fast as the machine")
    loss: float = Field(default=0.0, description="share of IP packets lost, at random")
    delay_s: float = Field(default=0.0, description="of every frame")
    jitter_s: float = Field(
        default=0.0, description="greatest deviation from it, uniform; frames keep their order"
    )

    burst: float = Field(
        default=0.0, description="packets that are lost in a row, on average; 0: one by one"
    )
    reassembly: Literal["default", "tuned"] = Field(
        default="default", description="how the kernel of each node waits for IP fragments"
    )

    @property
    def forwarded(self) -> bool:
        """Return whether a process hands frames on, and not the kernel."""
        return self.delay_s > 0 or self.burst > 0

    def __str__(self) -> str:
        parts = [f"{self.rate_bit_s / 1e6:g} Mbit/s" if self.rate_bit_s else "no rate limit"]
        row = f" in bursts of {self.burst:g}" if self.burst else ""
        parts.append(f"{Decimal(f'{self.loss:.3g}'):f} lost{row}" if self.loss else "no loss")
        jitter = f" ± {self.jitter_s * 1e3:g} ms" if self.jitter_s else ""
        parts.append(f"{self.delay_s * 1e3:g} ms{jitter}" if self.delay_s else "no delay")
        if self.reassembly == "tuned":
            parts.append("reassembly tuned")
        return ", ".join(parts)


def links(
    rate: str, loss: str, delay: str, jitter: str, burst: float = 0.0, reassembly: str = "default"
) -> Links:
    """Return links as `100mbit`, `1%`, `2ms`, `0.2ms` say; an empty text stands for none.

    Raises `UserError` for a text that is none of these, and for links that cannot be.
    """
    found = Links(
        rate_bit_s=_number("--rate", rate, "bandwidth", "100mbit", LEAST_RATE, MOST_RATE),
        loss=_number("--loss", loss, "share", "1%", 0.0, 0.99),
        delay_s=_number("--delay", delay, "time", "2ms", 0.0, MOST_DELAY_S),
        jitter_s=_number("--jitter", jitter, "time", "0.2ms", 0.0, MOST_DELAY_S),
        # Without a loss there is nothing in a row.
        burst=burst if loss else 0.0,
        reassembly="tuned" if reassembly == "tuned" else "default",
    )
    if found.jitter_s > found.delay_s:
        raise UserError(
            f"{jitter} is more than the delay, and no frame arrives before it is sent",
            where="--jitter",
            remedy="Name a jitter up to the delay.",
        )
    return found


def _number(option: str, text: str, kind: str, example: str, least: float, most: float) -> float:
    if not text:
        return 0.0
    remedy = f"Write it as in {option} {example}."
    try:
        value = units.read(text, kind, bare=kind == "share")
    except ValueError as wrong:
        raise UserError(str(wrong).partition("\n")[0], where=option, remedy=remedy) from None
    if value != 0 and not least <= value <= most:
        shown = {"bandwidth": "10 kbit/s to 100 Gbit/s", "share": "0 to 99 %", "time": "0 to 10 s"}
        raise UserError(f"{text} cannot be: {shown[kind]} can", where=option, remedy=remedy)
    return value
