"""What the links of a lab are like, and how a user says so."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from busmark.errors import UserError

RATES = {"bit": 1.0, "kbit": 1e3, "mbit": 1e6, "gbit": 1e9}
TIMES = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0}

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
        """Whether a process hands frames on, and not the kernel."""
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
    """Links as `100mbit`, `1%`, `2ms`, `0.2ms` say; an empty text stands for none.

    Raises `UserError` for a text that is none of these, and for what cannot be.
    """
    found = Links(
        rate_bit_s=_number("--rate", rate, RATES, "100mbit", LEAST_RATE, MOST_RATE),
        loss=_number("--loss", loss, {"%": 0.01, "": 1.0}, "1%", 0.0, 0.99),
        delay_s=_number("--delay", delay, TIMES, "2ms", 0.0, MOST_DELAY_S),
        jitter_s=_number("--jitter", jitter, TIMES, "0.2ms", 0.0, MOST_DELAY_S),
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


def _number(
    option: str, text: str, units: dict[str, float], example: str, least: float, most: float
) -> float:
    if not text:
        return 0.0
    parsed = re.fullmatch(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*([a-zµ%]*)\s*", text.lower())
    if parsed is None or parsed[2] not in units:
        names = ", ".join(unit for unit in units if unit)
        raise UserError(
            f"{text!r} is not a number with a unit ({names})",
            where=option,
            remedy=f"Write it as in {option} {example}.",
        )
    # As written, without the last bit of a multiplication.
    value = float(f"{float(parsed[1]) * units[parsed[2]]:.12g}")
    if value != 0 and not least <= value <= most:
        scale = units[parsed[2]]
        raise UserError(
            f"{text} cannot be: {least / scale:g} to {most / scale:g} {parsed[2]} can",
            where=option,
            remedy=f"Write it as in {option} {example}.",
        )
    return value
