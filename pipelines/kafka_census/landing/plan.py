"""The plan: a requests frame, one row a chain to walk (`source.schema.REQUEST`).

- A walk of every node: a chain a node. A node without an endpoint gets a chain that
  is a refusal.
- A walk that any node may answer: one chain, or, where it has keys, a chain a window
  of keys, spread over the alive nodes, or at the nodes where landed items place the keys
  (their coordinator or leader). The keys come from a landed listing and stay on the
  executors: they are cut into windows by hash, without a global sort. Keys that are
  already answered, or belong to a chain that is still open, are left out, so that the
  same plan serves a fresh census and a resumed one.
- Chains that landed but did not end go on from their last page (`again`). One whose broker
  gave a cursor twice goes round: it ends in an error, however many waves it took to show. Each
  knows how many waves and empty pages it has behind it, which the pager bounds.
"""

from dataclasses import dataclass

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import IntegerType, StructType

from kafka_census import error_codes
from kafka_census.census import Census
from kafka_census.landing.pages import landed_items, landed_pages
from kafka_census.landing.route import Node
from kafka_census.source.schema import REQUEST
from kafka_census.tables.lake import Lake
from kafka_census.tables.landed import Keys, Landed, joined
from kafka_census.tables.rows import local_frame

ENDPOINT = StructType([field for field in REQUEST.fields if field.name in ("node_id", "host", "port")])


ANYWHERE = -1
"""The node of keys that any broker may be asked for."""


@dataclass(frozen=True)
class Wave:
    """What a plan is made for: a walk, its nodes, the wave's number, the size of a window, and the controller."""

    walk: Landed
    nodes: tuple[Node, ...]
    number: int
    keys_per_request: int
    controller_id: int = -1

    @property
    def alive(self) -> list[Node]:
        """Nodes that can be asked, in order of id."""
        return [node for node in self.nodes if node.endpoint is not None]

    @property
    def controller(self) -> list[Node]:
        """The controller, for a walk that only it may answer; none where that is not alive, or any node will do."""
        return [node for node in self.alive if self.walk.at_controller and node.node_id == self.controller_id]


def initial(spark: SparkSession, lake: Lake, census: Census, wave: Wave, *, landed: bool) -> DataFrame | None:
    """Chains of this walk that were never planned; None when there are none to plan.

    `landed` says whether the walk has any page yet: where it has none, none is looked for.
    """
    walk = wave.walk
    if walk.keys is not None:
        return _windows(spark, lake, census, wave, landed=landed)
    done: set[str] = set()
    if landed:
        chains = landed_pages(spark, lake, census, walk.rpc, walk.scope).select("chain_id").distinct()
        done = {row.chain_id for row in chains.collect()}
    owed = wave.nodes if walk.every_node else (wave.controller or wave.alive)[:1]
    rows = []
    for node in owed:
        chain_id = f"{walk.scope}-{node.node_id}" if walk.every_node else walk.scope
        if chain_id in done:
            continue
        # A broker is asked about itself by its id; other walks of nodes have no keys.
        keys = [str(node.node_id)] if walk.scope == "brokers" else []
        rows.append(_row(node, chain_id, keys))
    return local_frame(spark, rows, REQUEST) if rows else None


def again(spark: SparkSession, lake: Lake, census: Census, wave: Wave, *, retry: bool) -> DataFrame:
    """Chains that go on: those whose last page has a next cursor and, with `retry`, a retriable error.

    A whole answer that was too large or too late is asked for again by the keys of its fall-back.
    """
    pages = landed_pages(spark, lake, census, wave.walk.rpc, wave.walk.scope)
    last = last_pages(pages).join(_going_round(pages), on="chain_id", how="left").join(_behind(pages), on="chain_id")
    goes_on = is_open()
    if retry:
        goes_on = goes_on | is_retriable(wave.walk)
    failed = F.col("error_code") != 0
    keys = F.col("open_keys")
    if wave.walk.fallback is not None:
        every = _listed(spark, lake, census, wave.walk.fallback).agg(F.sort_array(F.collect_set("key")).alias("every"))
        last = last.crossJoin(F.broadcast(every))
        whole = F.col("error_code").isin(sorted(error_codes.SHRINKABLE)) & (F.size("open_keys") == 0)
        keys = F.when(whole, F.col("every")).otherwise(F.col("open_keys"))
    chains = last.where(goes_on).select(
        F.col("node_id"),
        F.col("chain_id"),
        F.when(failed, F.col("page_no")).otherwise(F.col("page_no") + 1).alias("page_no"),
        F.when(failed, F.col("try_no") + 1).otherwise(F.col("try_no")).alias("try_no"),
        F.when(failed, F.col("request_cursor")).otherwise(F.col("next_cursor")).alias("cursor"),
        keys.alias("keys"),
        F.when(F.col("goes_round"), error_codes.CURSOR_REPEATED).alias("refusal_code"),
        F.when(F.col("goes_round"), F.lit("a cursor was given twice in this walk")).alias("refusal"),
        "waves",
        "empty_pages",
        failed.alias("failed"),
        F.col("error_code").isin(sorted(error_codes.SHRINKABLE)).alias("asks_less"),
    )
    if wave.walk.every_node:
        return _placed(spark, chains, wave)
    # Whoever answers: after a failure, somebody else. Keys that have a place go on there, while it is alive.
    slot = F.pmod(F.abs(F.hash("chain_id")) + F.col("try_no"), F.lit(len(wave.alive)))
    stays = F.lit(wave.walk.at is not None) & F.col("node_id").isin([node.node_id for node in wave.alive])
    node = F.when(stays, F.col("node_id")).otherwise(_node_at(wave, slot))
    for controller in wave.controller:
        here = F.lit(controller.node_id)
        # In KRaft mode any broker is named: after a failure of its own, and not for want of room, somebody else.
        failed_there = F.col("failed") & (F.col("node_id") == here) & ~F.col("asks_less")
        others = [F.lit(one.node_id) for one in wave.alive if one is not controller] or [here]
        node = F.when(failed_there, F.element_at(F.array(*others), 1)).otherwise(here)
    return _placed(spark, chains.withColumn("node_id", node), wave)


def _going_round(pages: DataFrame) -> DataFrame:
    """Chains (chain_id, goes_round) in which two pages give the same cursor, since they last started."""
    good = pages.where((F.col("error_code") == 0) & (F.col("part_no") == 0))
    starts = good.where(F.col("request_cursor").isNull()).groupBy("chain_id").agg(F.max("page_no").alias("start"))
    since = good.join(starts, on="chain_id", how="left").where(F.col("page_no") >= F.coalesce("start", F.lit(0)))
    given = since.where(F.col("next_cursor").isNotNull()).groupBy("chain_id", "next_cursor").count()
    return given.where(F.col("count") > 1).select("chain_id", F.lit(True).alias("goes_round")).distinct()


def _behind(pages: DataFrame) -> DataFrame:
    """Of each chain (chain_id, waves, empty_pages): its waves, and its pages by cursor after the last with an item."""
    full = F.max(F.when((F.col("item_count") > 0) | (F.col("paging") != "cursor"), F.col("page_no")))
    empty = F.max(F.when((F.col("error_code") == 0) & (F.col("paging") == "cursor"), F.col("page_no")))
    return pages.groupBy("chain_id").agg(
        F.size(F.collect_set("wave")).alias("waves"),
        F.greatest(F.coalesce(empty, F.lit(-1)) - F.coalesce(full, F.lit(-1)), F.lit(0)).alias("empty_pages"),
    )


def last_pages(pages: DataFrame) -> DataFrame:
    """Of each chain the page that it has reached."""
    ends = pages.groupBy("chain_id").agg(F.max("page_no").alias("page_no"))
    return pages.where(F.col("part_no") == 0).join(ends, on=["chain_id", "page_no"], how="left_semi")


def is_open() -> Column:
    """Whether a chain's last page says that there is more."""
    return (F.col("error_code") == 0) & F.col("next_cursor").isNotNull()


def is_retriable(walk: Landed) -> Column:
    """Whether a chain's last page ended in an error that may pass, or that asking for less may heal."""
    return F.col("error_code").isin(
        sorted(error_codes.RETRIABLE | (error_codes.SHRINKABLE if walk.fallback else frozenset()))
    )


def _listed(spark: SparkSession, lake: Lake, census: Census, keys: Keys) -> DataFrame:
    """The landed keys of a walk, as column `key`, each as often as it was listed."""
    items = landed_items(spark, lake, census, keys.rpc, keys.scope)
    listed = items.select(F.expr(keys.sql).alias("key")).where(F.col("key").isNotNull())
    if keys.unless is None:
        return listed
    return listed.distinct().join(_listed(spark, lake, census, keys.unless), on="key", how="left_anti")


def _windows(spark: SparkSession, lake: Lake, census: Census, wave: Wave, *, landed: bool) -> DataFrame | None:
    walk = wave.walk
    if walk.keys is None:
        raise ValueError(f"{walk.rpc} has no keys")
    todo = _listed(spark, lake, census, walk.keys).distinct()
    if landed:
        pages = landed_pages(spark, lake, census, walk.rpc, walk.scope)
        answered = pages.select(F.inline("items")).select(F.expr(joined(walk.answered_by)).alias("key"))
        unended = last_pages(pages).select(F.explode("open_keys").alias("key"))
        todo = todo.join(answered.unionByName(unended), on="key", how="left_anti")
    todo = todo.withColumn("node_id", F.lit(ANYWHERE)) if walk.at is None else _at(spark, lake, census, todo, wave)
    # A row a broker.
    counts = {row.node_id: row["count"] for row in todo.groupBy("node_id").count().collect()}
    if not counts:
        return None
    if walk.creates is not None and not _was_seen(spark, lake, census, walk.creates):
        return local_frame(spark, [_not_asked(wave, walk.creates)], REQUEST)
    # Buckets of a little less than a window, so that few need a second one.
    sizes = {node: max(1, -(-count * 5 // (wave.keys_per_request * 4))) for node, count in counts.items()}
    buckets = F.element_at(F.create_map(*[F.lit(one) for size in sizes.items() for one in size]), F.col("node_id"))
    bucketed = (
        todo.groupBy("node_id", F.pmod(F.xxhash64("key"), buckets).cast("int").alias("bucket"))
        .agg(F.sort_array(F.collect_list("key")).alias("all_keys"))
        .withColumn("starts", F.expr(f"sequence(1, size(all_keys), {wave.keys_per_request})"))
        .select("node_id", "bucket", "all_keys", F.posexplode("starts").alias("part", "start"))
    )
    anyone = _node_at(wave, F.pmod(F.col("bucket") + F.col("part"), F.lit(len(wave.alive))))
    name = f"{walk.scope}-w{wave.number}-%06d-%d" if walk.at is None else f"{walk.scope}-w{wave.number}-n%d-%06d-%d"
    numbers = ("bucket", "part") if walk.at is None else ("node_id", "bucket", "part")
    chains = bucketed.select(
        F.when(F.col("node_id") == ANYWHERE, anyone).otherwise(F.col("node_id")).alias("node_id"),
        F.format_string(name, *numbers).alias("chain_id"),
        F.lit(0).alias("page_no"),
        F.lit(0).alias("try_no"),
        F.lit(None).cast("string").alias("cursor"),
        F.slice("all_keys", F.col("start"), F.lit(wave.keys_per_request)).alias("keys"),
        F.lit(None).cast("int").alias("refusal_code"),
        F.lit(None).cast("string").alias("refusal"),
        F.lit(0).alias("waves"),
        F.lit(0).alias("empty_pages"),
    )
    return _placed(spark, chains, wave)


def _at(spark: SparkSession, lake: Lake, census: Census, todo: DataFrame, wave: Wave) -> DataFrame:
    """Keys with the alive node where they are; ANYWHERE without one: whoever is asked says so, and looks for it."""
    if wave.walk.at is None:
        raise ValueError(f"{wave.walk.rpc} is answered by any broker")
    keys, alive = wave.walk.at.keys, [node.node_id for node in wave.alive]
    items = landed_items(spark, lake, census, keys.rpc, keys.scope)
    places = items.select(F.expr(keys.sql).alias("key"), F.col(wave.walk.at.node).alias("node_id"))
    places = places.where(F.col("key").isNotNull() & F.col("node_id").isin(alive))
    nodes = places.groupBy("key").agg(F.max("node_id").alias("node_id"))
    return todo.join(nodes, on="key", how="left").withColumn("node_id", F.coalesce("node_id", F.lit(ANYWHERE)))


def _was_seen(spark: SparkSession, lake: Lake, census: Census, topic: str) -> bool:
    names = landed_items(spark, lake, census, "Metadata", "names")
    return not names.where(F.col("topic") == topic).isEmpty()


def _not_asked(wave: Wave, topic: str) -> tuple[object, ...]:
    why = f"{topic} was not seen (it does not exist, or an ACL hides it), and asking would create it"
    node = wave.alive[0]
    return (0, node.node_id, None, None, wave.walk.scope, 0, 0, None, [], error_codes.NOT_ASKED, why, 0, 0)


def _row(node: Node, chain_id: str, keys: list[str]) -> tuple[object, ...]:
    if node.endpoint is None:
        why = f"broker {node.node_id} is not alive, or not on the listener that was asked (known: {node.why})"
        return (0, node.node_id, None, None, chain_id, 0, 0, None, keys, error_codes.BROKER_NOT_ALIVE, why, 0, 0)
    return (0, node.node_id, node.endpoint.host, node.endpoint.port, chain_id, 0, 0, None, keys, None, None, 0, 0)


def _node_at(wave: Wave, slot: Column) -> Column:
    """The alive node at a position from 0."""
    ids = F.array(*[F.lit(node.node_id) for node in wave.alive])
    return F.element_at(ids, (slot + 1).cast(IntegerType()))


def _placed(spark: SparkSession, chains: DataFrame, wave: Wave) -> DataFrame:
    """Chains with the endpoints of their nodes."""
    rows = [(node.node_id, node.endpoint.host, node.endpoint.port) for node in wave.alive if node.endpoint]
    endpoints = local_frame(spark, rows, ENDPOINT)
    return chains.join(F.broadcast(endpoints), on="node_id", how="inner").select(
        F.lit(0).alias("task"),
        "node_id",
        "host",
        "port",
        "chain_id",
        F.col("page_no").cast("int"),
        F.col("try_no").cast("int"),
        "cursor",
        "keys",
        "refusal_code",
        "refusal",
        "waves",
        "empty_pages",
    )
