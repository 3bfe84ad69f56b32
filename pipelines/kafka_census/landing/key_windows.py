"""Windows of keys: the requests of a level's keyed walks, which Spark computes from landed pages.

The keys stay on the executors. One pass over listings, coordinators or leaders, and answers, without a join: each key
collects the walks that must ask for it, one bit per walk, and the broker that answers it (its coordinator or leader).
Keys that are answered, or that an unfinished chain holds, are left out, so that the same plan serves a new
census and a resumed one. Keys are cut into windows by hash, without a global sort; the partitions of a topic that are
at one broker stay together, since a request names each of its topics once.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from kafka_census.declarations.walk import Keys, Located, Walk, joined
from kafka_census.lake.union import union
from kafka_census.landing.fetch.schema import REQUEST
from kafka_census.landing.request import Brokers
from kafka_census.pages.header import Header, WalkName
from kafka_census.pages.named_keys import ITEM, NamedKeys, held_open, listed_keys, named_keys
from kafka_census.pages.read import LandedPages

ANYWHERE = -1
"""The node id of keys that any broker may answer."""

_UNKNOWN = {"space": "0", "asks": "0L", "has": "0L", "at": "CAST(NULL AS INT)"}
"""Of a key: the number of its space, one bit per walk that asks for it or need not, and the id of its broker."""

_PARTITION = ("topic", "partition")
"""The columns of the key of a partition."""

_NODES = "map<string, struct<node_id: int, host: string, port: int>>"
"""Brokers by id."""


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
        spaces = list(dict.fromkeys(map(_space, self.walks)))
        named = [keys for number, space in enumerate(spaces) for keys in self._listed(number, space)]
        held = []
        for position, walk in enumerate(self.walks):
            if walk.name in begun:
                has = {**_UNKNOWN, "space": f"{spaces.index(_space(walk))}", "has": f"{1 << position}L"}
                named.append(NamedKeys(walk.name, joined(walk.answered_by, ITEM), has))
                pages = [page for page in unended if page.walk == walk.name and page.open_key_count]
                held += [held_open(self.pages, pages, has)] if pages else []
        by_key = (
            union([named_keys(self.pages, named), *held], one_task=self.pages.is_one_task)
            .groupBy("space", "key")
            .agg(F.bit_or("asks").alias("asks"), F.bit_or("has").alias("has"), F.max("at").alias("at"))
            .withColumn("asks", F.col("asks").bitwiseAND(F.bitwise_not("has")))
            .where("asks <> 0")
        )
        positions = ", ".join(map(str, range(len(self.walks))))
        asking = f"filter(array({positions}), position -> shiftright(asks, position) & 1 = 1)"
        return by_key.selectExpr(f"explode({asking}) AS walk", f"coalesce(at, {ANYWHERE}) AS at", "key")

    def cut(
        self, keys: DataFrame, counts: Iterable[tuple[int, int, int]], sizes: Sequence[int], wave: int
    ) -> DataFrame:
        """A requests frame: these keys in windows of their walk's size; `counts` are (walk, at, number of keys)."""
        # Buckets hold a little less than a window, so that few need a second window.
        buckets: dict[int, list[int]] = {position: [] for position in range(len(self.walks))}
        for walk, at, count in counts:
            buckets[walk] += [at, max(1, -(-count * 5 // (sizes[walk] * 4)))]
        numbers = ", ".join(f"map({', '.join(map(str, some))})" if some else "NULL" for some in buckets.values())
        asked = ", ".join(
            f"named_struct('rpc', '{walk.rpc}', 'scope', '{walk.scope}', 'keys', {size})"
            for walk, size in zip(self.walks, sizes, strict=True)
        )
        alive = {
            node.node_id: {"node_id": node.node_id, "host": node.endpoint.host, "port": node.endpoint.port}
            for node in self.brokers.alive
            if node.endpoint
        }
        anyone = f"map_values(nodes)[pmod(turn, {len(alive)})]"
        windows = (
            keys.selectExpr("*", f"element_at(element_at(array({numbers}), walk + 1), at) AS buckets")
            .where("buckets IS NOT NULL")
            .groupBy("walk", "at", F.expr(f"CAST(pmod(xxhash64({self._together()}), buckets) AS INT) AS bucket"))
            .agg(F.expr("sort_array(collect_list(key)) AS all_keys"))
            .selectExpr("*", f"element_at(array({asked}), walk + 1) AS asked")
            .selectExpr("*", "posexplode(sequence(1, size(all_keys), asked.keys)) AS (part, start)")
            .withColumn("nodes", F.from_json(F.lit(json.dumps(alive)), _NODES))
            .selectExpr("*", f"at = {ANYWHERE} AS anywhere", "bucket + part AS turn")
            .withColumn("node", F.expr(f"IF(anywhere, {anyone}, element_at(nodes, CAST(at AS STRING)))"))
        )
        by_node = f"format_string('%s-w{wave}-n%d-%06d-%d', asked.scope, at, bucket, part)"
        columns = dict.fromkeys(REQUEST.names, "NULL")
        columns |= dict.fromkeys(("task", "page_no", "try_no", "waves", "empty_pages"), "0")
        columns |= {name: f"asked.{name}" for name in ("rpc", "scope")}
        columns |= {name: f"node.{name}" for name in ("node_id", "host", "port")}
        columns |= {
            "turn": "turn",
            "chain_id": f"IF(anywhere, format_string('%s-w{wave}-%06d-%d', asked.scope, bucket, part), {by_node})",
            "keys": "slice(all_keys, start, asked.keys)",
        }
        types = {field.name: field.dataType.simpleString() for field in REQUEST.fields}
        return windows.selectExpr(*[f"CAST({columns[name]} AS {types[name]}) AS {name}" for name in REQUEST.names])

    def _together(self) -> str:
        """What keys of one window have in common: the topic of a partition, and of another key the key."""
        of_partitions = [n for n, walk in enumerate(self.walks) if walk.keys and walk.keys.columns == _PARTITION]
        topic = "substring_index(key, '/', 1)"
        return f"IF(walk IN ({', '.join(map(str, of_partitions))}), {topic}, key)" if of_partitions else "key"

    def _listed(self, number: int, space: "_Space") -> Iterator[NamedKeys]:
        """The keys that a space's listings name: the walks that ask for each, its broker, and whether to skip it."""
        keys, located = space.keys, space.located
        asks = " | ".join(
            f"IF({walk.keys.only.sql(ITEM) if walk.keys.only else 'TRUE'}, {1 << position}L, 0L)"
            for position, walk in enumerate(self.walks)
            if walk.keys and _space(walk) == space
        )
        # One listing names both the partitions and their leaders.
        listed_there = located is not None and (located.keys.rpc, located.keys.scope) == (keys.rpc, keys.scope)
        of = {**_UNKNOWN, "space": f"{number}"}
        at = self._at(located) if located and listed_there else {}
        yield listed_keys(keys, {**of, "asks": asks, **at})
        if located is not None and not listed_there:
            yield listed_keys(located.keys, {**of, **self._at(located)})
        if keys.unless is not None:
            yield listed_keys(keys.unless, {**of, "has": "-1L"})

    def _at(self, located: Located) -> Mapping[str, str]:
        """The id of the broker of a key, null where that broker is not alive."""
        node, alive = f"{ITEM}{located.node}", ", ".join(str(node.node_id) for node in self.brokers.alive)
        return {"at": f"CAST(IF({node} IN ({alive}), {node}, NULL) AS INT)"}


@dataclass(frozen=True)
class _Space:
    """Keys that mean the same to several walks: those of one listing, located by one RPC."""

    keys: Keys
    located: Located | None


def _space(walk: Walk) -> _Space:
    if walk.keys is None:
        raise ValueError(f"{walk.rpc} has no keys")
    return _Space(replace(walk.keys, only=None), walk.located)
