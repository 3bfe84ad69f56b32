"""Kafka's own message schemas, and messages filled in by them: Kafka's JSON, which its classes turn into bytes."""

from collections.abc import Iterator
from functools import cache
from itertools import count
from typing import Any

from harness.broker import LATEST
from tools.releases import messages

Json = dict[str, Any]

VARIANTS = ("full", "least", "bare")
"""full: all there is, two elements an array, some strings too long for a length of one byte.
least: one element per array, what is nullable in it null, numbers at their least.
bare: null or empty or the default, everywhere."""

_ZERO_UUID = "A" * 22
_LEAST: Json = {
    "bool": False,
    "int8": -(2**7),
    "int16": -(2**15),
    "uint16": 0,
    "int32": -(2**31),
    "int64": -(2**63),
    "float64": -1.5e300,
    "string": "",
    "bytes": "",
    "uuid": _ZERO_UUID,
}


_messages = cache(messages)


def versions(message: str) -> range:
    return _range(_messages(LATEST)[message]["validVersions"])


def body(message: str, version: int, variant: str) -> Json:
    """A message at a version in Kafka's JSON, each value of `full` another."""
    known = _messages(LATEST)[message]
    common = {struct["name"]: struct["fields"] for struct in known.get("commonStructs", [])}

    def struct(fields: list[Json], numbers: Iterator[int]) -> Json:
        return {
            field["name"][0].lower() + field["name"][1:]: value(field, numbers)
            for field in fields
            if version in _range(field["versions"])
        }

    def value(field: Json, numbers: Iterator[int]) -> Any:
        kind = field["type"].removeprefix("[]")
        nullable = version in _range(field.get("nullableVersions", "none"))
        fields = field.get("fields") or common.get(kind)
        if nullable and (variant == "bare" or (variant == "least" and not fields)):
            return None
        if field["type"] != kind:
            elements = range({"full": 2, "least": 1, "bare": 0}[variant])
            return [struct(fields, numbers) if fields else _leaf(kind, next(numbers), {}, variant) for _ in elements]
        return struct(fields, numbers) if fields else _leaf(kind, next(numbers), field, variant)

    return struct(known["fields"], count(1))


def _leaf(kind: str, number: int, field: Json, variant: str) -> Any:
    if variant == "least":
        return _LEAST[kind]
    if variant == "bare":
        return _default(kind, field.get("default", ""))
    long = "ö" * 64 if number % 8 == 0 else ""
    texts = {"string": f"ä{number}{long}", "bytes": f"{number:04}", "uuid": f"{number:022}", "bool": True}
    numbers = {"int8": number % 2**7, "float64": number + 0.5, "int64": 2**40 + number}
    wide = {"int16": 2**9 + number, "uint16": 2**15 + number, "int32": 2**20 + number}
    return (texts | numbers | wide)[kind]


def _default(kind: str, default: str | int | bool) -> Any:
    if kind in ("string", "bytes", "uuid"):
        return _ZERO_UUID if kind == "uuid" else default
    if kind == "bool":
        return str(default).lower() == "true"
    return float(default or 0) if kind == "float64" else int(str(default or 0), 0)


def _range(text: str) -> range:
    """Versions as Kafka writes them: 3, 1-4, 2+ or none."""
    if text == "none":
        return range(0)
    first, _, last = text.partition("-")
    return range(int(first.rstrip("+")), 2**15 if text.endswith("+") else int(last or first) + 1)
