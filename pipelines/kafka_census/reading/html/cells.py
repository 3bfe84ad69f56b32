"""Values of a figure as text in a cell: units, times, lists, unknown values, and long names."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any, Literal

from kafka_census.terminal.display import printable
from kafka_census.terminal.human import human_bytes, human_time

UNKNOWN = "?"
"""The text for an unknown number, which is never shown as 0."""

Tone = Literal["critical", "warning", "good", "plain"]
"""The colour of a status. Its word is always shown, too."""


@dataclass(frozen=True)
class Form:
    """The format of the values of a column.

    show   converts a value that is not null to text
    right  whether the column is aligned to the right, like numbers
    null   the text for null
    most   the largest number of characters of a cell; Kafka accepts group ids of 32,767
    units  whether the text has units, so that only the number sorts it
    chip   whether the value is a status, with the colour of its word
    """

    show: Callable[[Any], str]
    right: bool = True
    null: str = UNKNOWN
    most: int = 200
    units: bool = False
    chip: bool = False

    def text(self, value: object) -> str:
        """The text of a cell: one printable line of limited length."""
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
CHIP = replace(TEXT, chip=True)
PROSE = replace(TEXT, most=600)
NUMBER = Form(_number)
BYTES = Form(human_bytes, units=True)
SPEED = Form(lambda value: f"{human_bytes(value)}/s", units=True)
THROTTLE = replace(SPEED, null="–")
SECONDS = Form(human_time, units=True)
RATIO = Form(lambda value: f"{value:.2f}")
SHARE = Form(lambda value: f"{value:.0%}")
TIME = Form(_moment, right=False)

_TONES: Mapping[Tone, tuple[str, ...]] = {
    "critical": ("OFFLINE", "UNDER", "offline", "not_alive", "hanging", "refuse", "worse", "wrong"),
    "warning": (
        *("AT", "UNDER_REPLICATED", "UNKNOWN", "unknown", "fenced", "gone", "unread", "not_read", "warn", "no"),
        *("after_end", "before_start", "NotReady", "not_desired", "partial", "unlucky"),
    ),
    "good": ("OK", "alive", "online", "pass", "better", "yes", "Stable", "proven", "fair"),
}
_TONE: Mapping[str, Tone] = MappingProxyType({word: tone for tone, words in _TONES.items() for word in words})


def tone(text: str) -> Tone:
    """The colour of a status by its word; a word that says neither good nor bad is plain."""
    return _TONE.get(text, "plain")
