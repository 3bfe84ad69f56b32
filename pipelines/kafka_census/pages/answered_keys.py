"""How many keys each keyed walk had to ask for, and how many of them no page answers.

One pass over listings and answers, without a join: each key collects the walks that know it, one bit per walk.
"""

from collections.abc import Sequence

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from kafka_census.declarations.walk import Walk, joined
from kafka_census.lake.union import union
from kafka_census.pages.header import Header, WalkName, latest
from kafka_census.pages.named_keys import ITEM, NamedKeys, held_open, listed_keys, named_keys
from kafka_census.pages.page_chain import Keys
from kafka_census.pages.read import LandedPages

_EXAMPLES = 3
_BITS = 63
"""Bits of a non-negative bigint, one per keyed walk: no census has as many keyed walks."""

_UNKNOWN = {"listing": "0", "asked": "0L", "answered": "0L", "left_out": "0L"}
"""Of a key: the number of its listing, and one bit per walk that must ask for the key, has answered it, or skips it."""


def answered_keys(pages: LandedPages, walks: Sequence[Walk], headers: Sequence[Header]) -> dict[WalkName, Keys]:
    """By keyed walk: its listed and lost keys; `headers` are those of the walks. Raises CorruptLake."""
    keyed = [(walk, walk.keys) for walk in walks if walk.keys and walk.answered_by]
    if not keyed:
        return {}
    listings = list(dict.fromkeys(keys for _, keys in keyed))
    named, held = [], []
    for number, listing in enumerate(listings):
        asked = sum(1 << bit for bit, (_, keys) in enumerate(keyed) if keys == listing)
        of = {**_UNKNOWN, "listing": f"{number}"}
        named.append(listed_keys(listing, {**of, "asked": f"{asked}L"}))
        if listing.unless:
            named.append(listed_keys(listing.unless, {**of, "left_out": "-1L"}))
    for bit, (walk, keys) in enumerate(keyed):
        answered = {**_UNKNOWN, "listing": f"{listings.index(keys)}", "answered": f"{1 << bit}L"}
        named.append(NamedKeys(walk.name, joined(walk.answered_by, ITEM), answered))
        failed = _failed(walk, headers)
        held += [held_open(pages, failed, answered)] if failed else []
    by_key = (
        union([named_keys(pages, named), *held], one_task=pages.is_one_task)
        .groupBy("listing", "key")
        .agg(*[F.bit_or(bits).alias(bits) for bits in ("asked", "answered", "left_out")])
        .withColumn("asked", F.col("asked").bitwiseAND(F.bitwise_not("left_out")))
        .select("key", "asked", F.col("asked").bitwiseAND(F.bitwise_not("answered")).alias("lost"))
    )
    counted = by_key.groupBy("asked", "lost").count().collect()
    examples = _lost_keys(by_key) if any(row["lost"] for row in counted) else {}
    found = {}
    for bit, (walk, _) in enumerate(keyed):
        listed = sum(row["count"] for row in counted if row["asked"] >> bit & 1)
        lost = sum(row["count"] for row in counted if row["lost"] >> bit & 1)
        if listed:
            found[walk.name] = Keys(listed, lost, examples.get(bit, ()))
    return found


def _failed(walk: Walk, headers: Sequence[Header]) -> list[Header]:
    """Failed pages that hold keys open: these count as answered, since the page itself is reported as missing."""
    return [
        page
        for (of, _), pages in latest(headers).items()
        for page in pages
        if page.failed and page.open_key_count and of == walk.name
    ]


def _lost_keys(by_key: DataFrame) -> dict[int, tuple[str, ...]]:
    """By the bit of a walk: the first of its keys without an answer."""
    bits = F.explode(F.sequence(F.lit(0), F.lit(_BITS - 1))).alias("bit")
    mine = by_key.where("lost != 0").select("key", "lost", bits).where("shiftright(lost, bit) & 1 = 1")
    order = F.row_number().over(Window.partitionBy("bit").orderBy("key"))
    first = mine.withColumn("order", order).where(F.col("order") <= _EXAMPLES).orderBy("bit", "key").collect()
    bits_lost = dict.fromkeys(row["bit"] for row in first)
    return {bit: tuple(row["key"] for row in first if row["bit"] == bit) for bit in bits_lost}
