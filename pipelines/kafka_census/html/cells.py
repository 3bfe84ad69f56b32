"""Values of a figure as text in a cell: units, times, lists; what is not known, and names that would not end."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from kafka_census.display import printable
from kafka_census.human import human_bytes, human_time

UNKNOWN = "?"
"""A number that was not read, or cannot be known; never shown as 0."""


@dataclass(frozen=True)
class Form:
    """How the values of a column are written.

    show   a value that is not null as text
    right  whether it stands on the right, as numbers do
    null   what null means in such a column
    most   characters of a cell; Kafka takes group ids of 32,767
    """

    show: Callable[[Any], str]
    right: bool = True
    null: str = UNKNOWN
    most: int = 200

    def text(self, value: object) -> str:
        """The cell: one line, printable, and not too long."""
        shown = printable(self.null if value is None else self.show(value))
        return shown if len(shown) <= self.most else f"{shown[: self.most - 1]}…"


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(_text, value)) or "none"
    return "''" if value == "" else str(value)


def _number(value: float) -> str:
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"


def _moment(value: datetime) -> str:
    return f"{value.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


TEXT = Form(_text, right=False, null="–")
PROSE = Form(_text, right=False, null="–", most=600)
NUMBER = Form(_number)
BYTES = Form(human_bytes)
SPEED = Form(lambda value: f"{human_bytes(value)}/s")
THROTTLE = replace(SPEED, null="–")
SECONDS = Form(human_time)
RATIO = Form(lambda value: f"{value:.2f}")
SHARE = Form(lambda value: f"{value:.0%}")
TIME = Form(_moment, right=False)
