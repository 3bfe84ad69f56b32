"""Windows of keys: the requests of a level's keyed walks, which Spark computes from landed pages.

The keys stay on the executors. One pass over listings, coordinators or leaders, and answers, without a join: each key
collects the walks that must ask for it, one bit per walk, and the broker that answers it (its coordinator or leader).
Keys that are answered, or that an unfinished chain holds, are left out, so that the same plan serves a new
census and a resumed one. Keys are cut into windows by hash, without a global sort.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from kafka_census.lake.union import union
from kafka_census.landing.request import Brokers
from kafka_census.pages.header import Header, WalkName
from kafka_census.pages.read import LandedPages
from kafka_census.source.schema import REQUEST
from kafka_census.tables.walk import Keys, Located, Walk, joined

ANYWHERE = -1
"""The node id of keys that any broker may answer."""


@dataclass(frozen=True)
class Windows:
    """Plans the windows of some keyed walks of one census.

    pages  the landed pages of the census
    walks  the walks, which `keys` identifies by their position
    """

    spark: SparkSession
    pages: LandedPages
    walks: Sequence[Walk]
    brokers: Brokers

    def keys(self, begun: Collection[WalkName] = (), unended: Sequence[Header] = ()) -> DataFrame:
        """Each key that a walk must ask for: `walk` (its position), `at` (the id of its broker, or ANYWHERE), `key`.

        begun    walks with landed pages: keys that these pages answer are not asked for again
        unended  the last pages of their unfinished chains: keys that such a chain holds are left to it
        """
        spaces = dict.fromkeys(map(_space, self.walks))
        known = [part for number, space in enumerate(spaces) for part in self._listed(number, space)]
        for position, walk in enumerate(self.walks):
            if walk.name in begun:
                space = list(spaces).index(_space(walk))
                answers = [_keyed(self._items(*walk.name), joined(walk.answered_by))]
                held = [page for page in unended if page.walk == walk.name and page.open_key_count]
                answers += [self._held(held)] if held else []
                known += [_known(keys, space, has=1 << position) for keys in answers]
        by_key = (
            union(known, one_task=self.pages.is_one_task)
            .groupBy("space", "key")
            .agg(F.bit_or("asks").alias("asks"), F.bit_or("has").alias("has"), F.max("at").alias("at"))
            .withColumn("asks", F.col("asks").bitwiseAND(F.bitwise_not("has")))
            .where("asks <> 0")
        )
        positions = ", ".join(map(str, range(len(self.walks))))
        asking = F.expr(f"filter(array({positions}), position -> shiftright(asks, position) & 1 = 1)")
        return by_key.select(F.explode(asking).alias("walk"), F.coalesce("at", F.lit(ANYWHERE)).alias("at"), "key")

    def cut(self, keys: DataFrame, counts: Iterable[tuple[int, int, int]], size: int, wave: int) -> DataFrame:
        """A requests frame: these keys in windows of `size`; `counts` has their number, as (walk, at, number)."""
        # Buckets hold a little less than a window, so that few need a second window.
        buckets: dict[int, list[Column]] = {position: [] for position in range(len(self.walks))}
        for walk, at, count in counts:
            buckets[walk] += [F.lit(at), F.lit(max(1, -(-count * 5 // (size * 4))))]
        names = F.array(*[_struct(rpc=walk.rpc, scope=walk.scope) for walk in self.walks])
        sizes = F.array(*[F.create_map(*some) if some else F.lit(None) for some in buckets.values()])
        position = F.col("walk") + 1
        bucketed = (
            keys.withColumn("buckets", F.element_at(F.element_at(sizes, position), F.col("at")))
            .where("buckets IS NOT NULL")
            .groupBy("walk", "at", F.pmod(F.xxhash64("key"), "buckets").cast("int").alias("bucket"))
            .agg(F.sort_array(F.collect_list("key")).alias("all_keys"))
            .select("*", F.posexplode(F.expr(f"sequence(1, size(all_keys), {size})")).alias("part", "start"))
            .withColumn("name", F.element_at(names, position))
        )
        alive = [(node.node_id, node.endpoint) for node in self.brokers.alive if node.endpoint]
        turn, anywhere = F.col("bucket") + F.col("part"), F.col("at") == ANYWHERE
        nodes = [_struct(node_id=node_id, host=at.host, port=at.port) for node_id, at in alive]
        placed = zip(alive, nodes, strict=True)
        by_id = F.create_map(*[one for (node_id, _), node in placed for one in (F.lit(node_id), node)])
        anyone = F.element_at(F.array(*nodes), (F.pmod(turn, F.lit(len(alive))) + 1).cast("int"))
        windows = bucketed.withColumn("node", F.when(anywhere, anyone).otherwise(F.element_at(by_id, F.col("at"))))
        name, numbers = f"%s-w{wave}-%06d-%d", ("bucket", "part")
        there = F.format_string(name.replace("%06d", "n%d-%06d"), "name.scope", "at", *numbers)
        columns = {field.name: F.lit(None).cast(field.dataType) for field in REQUEST.fields}
        columns |= {name: F.lit(0) for name in ("task", "page_no", "try_no", "waves", "empty_pages")}
        columns |= {name: F.col(f"name.{name}") for name in ("rpc", "scope")}
        columns |= {name: F.col(f"node.{name}") for name in ("node_id", "host", "port")}
        columns |= {
            "turn": turn,
            "chain_id": F.when(anywhere, F.format_string(name, "name.scope", *numbers)).otherwise(there),
            "keys": F.slice("all_keys", F.col("start"), F.lit(size)),
        }
        return windows.select(*[columns[field.name].cast(field.dataType).alias(field.name) for field in REQUEST.fields])

    def _listed(self, number: int, space: "_Space") -> Iterator[DataFrame]:
        """The keys that a space's listings name: the walks that ask for each, its broker, and whether to skip it."""
        keys, located = space.keys, space.located
        asking = [
            F.when(F.expr(walk.keys.only.sql if walk.keys.only else "TRUE"), F.lit(1 << position)).otherwise(F.lit(0))
            for position, walk in enumerate(self.walks)
            if walk.keys and _space(walk) == space
        ]
        asks = reduce(Column.bitwiseOR, asking)
        # One listing names both the partitions and their leaders.
        listed_there = located is not None and (located.keys.rpc, located.keys.scope) == (keys.rpc, keys.scope)
        node = self._alive(located.node) if located and listed_there else None
        yield _known(_keyed(self._items(keys.rpc, keys.scope), joined(keys.columns), asks, node), number)
        if located is not None and not listed_there:
            locating = self._items(located.keys.rpc, located.keys.scope)
            yield _known(_keyed(locating, located.keys.sql, at=self._alive(located.node)), number)
        if keys.unless is not None:
            left_out = _keyed(self._items(keys.unless.rpc, keys.unless.scope), keys.unless.sql)
            yield _known(left_out, number, has=-1)

    def _alive(self, column: str) -> Column:
        """The broker id in a column, null where that broker is not alive."""
        return F.when(F.col(column).isin([node.node_id for node in self.brokers.alive]), F.col(column))

    def _items(self, rpc: str, scope: str) -> DataFrame:
        return self.pages.of_walk(rpc, scope).select(F.inline("items"))

    def _held(self, pages: Sequence[Header]) -> DataFrame:
        """The keys that these pages hold open."""
        return _keyed(self.pages.those(pages).select(F.explode("open_keys").alias("key")), "key")


@dataclass(frozen=True)
class _Space:
    """Keys that mean the same to several walks: those of one listing, located by one RPC."""

    keys: Keys
    located: Located | None


def _space(walk: Walk) -> _Space:
    if walk.keys is None:
        raise ValueError(f"{walk.rpc} has no keys")
    return _Space(replace(walk.keys, only=None), walk.located)


def _struct(**values: object) -> Column:
    """A struct of literals."""
    return F.struct(*[F.lit(value).alias(name) for name, value in values.items()])


def _keyed(items: DataFrame, key: str, asks: Column | None = None, at: Column | None = None) -> DataFrame:
    """(key, asks, at), one row per item that names a key."""
    nobody, unknown = F.lit(0), F.lit(None)
    keyed = items.select(
        F.expr(key).alias("key"),
        (nobody if asks is None else asks).cast("bigint").alias("asks"),
        (unknown if at is None else at).cast("int").alias("at"),
    )
    return keyed.where("key IS NOT NULL")


def _known(keyed: DataFrame, space: int, has: int = 0) -> DataFrame:
    """(space, key, asks, has, at): `asks` and `has` have one bit per walk that asks for the key or need not."""
    return keyed.select(F.lit(space).alias("space"), "key", "asks", F.lit(has).cast("bigint").alias("has"), "at")
