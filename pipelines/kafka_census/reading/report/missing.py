"""The answers that a census did not read, from its rows of `publications` or `refusals`."""

from collections.abc import Sequence
from dataclasses import replace

from kafka_census.census.gate.causes import Cause, gathered
from kafka_census.pages.missing_read import MissingRead, read_back
from kafka_census.reading.censuses import Record

Missing = tuple[tuple[MissingRead, tuple[str, ...]], ...]
"""Answers that were not read, each with the tables that lack it."""


def missing_of(judged: Sequence[Record]) -> Missing:
    """The answers that were not read, without duplicates, with the tables that lack them."""
    lacking: dict[tuple[str, int | None, str, str], set[str]] = {}
    for row in judged:
        for each in row["missing"]:
            key = each["rpc"], each["broker_id"], each["error"] or "", each["reason"] or ""
            lacking.setdefault(key, set()).add(row["table_name"])
    keys = sorted(lacking, key=lambda key: (key[0], -1 if key[1] is None else key[1], *key[2:]))
    return tuple((read_back(*key), tuple(sorted(lacking[key]))) for key in keys)


def lacking(missing: Missing) -> list[tuple[MissingRead, str]]:
    """Each answer with one table that lacks it."""
    return [(read, table) for read, tables in missing for table in tables]


def causes_of(missing: Missing) -> tuple[Cause, ...]:
    """The causes of answers that published tables lack, without advice, because the configuration accepted them."""
    return tuple(replace(cause, advice="") for cause in gathered(lacking(missing)))
