"""The true rows of tables of brokers, log dirs, configs, ACLs, quotas, the quorum and users for an emulated world.

Written from the data dictionary. A column with a sentence is `True` where a sentence is required.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any
from uuid import UUID

from harness.known_world import LIKE_4_3, KnownWorld, Row, leader_of, uuid_text
from harness.large_world import ACLS
from harness.true_transactions import moment
from kafka_emulator.acls import PATTERNS, PERMISSIONS
from kafka_emulator.arithmetic import mix
from kafka_emulator.authorization import Operation, Resource
from kafka_emulator.brokers import HOST
from kafka_emulator.config_levels import DEFAULT, DYNAMIC_BROKER, DYNAMIC_DEFAULT, STATIC, TOPIC
from kafka_emulator.configs import Config
from kafka_emulator.features import FINALIZED
from kafka_emulator.log_dirs import TOTAL_BYTES, path
from kafka_emulator.logs import START_TIME_MS

SOURCES = {
    TOPIC: "topic",
    DYNAMIC_BROKER: "dynamic_broker",
    DYNAMIC_DEFAULT: "dynamic_default",
    STATIC: "static",
    DEFAULT: "default",
}
BY_NATURE = frozenset({"broker.id", "node.id", "broker.rack", "process.roles"})
"""Configs of emulated brokers in which brokers always differ."""

UNITS = {
    "producer_byte_rate": "bytes/s",
    "consumer_byte_rate": "bytes/s",
    "request_percentage": "%",
    "controller_mutation_rate": "mutations/s",
    "connection_creation_rate": "connections/s",
}
FIRST_RECORDS = 1000
"""The metadata log's length before any object is created."""


def brokers(known: KnownWorld) -> Iterator[Row]:
    """A row per broker: all are alive, and the first one leads the quorum."""
    ids, states = known.world.brokers.ids, known.states.values()
    leaders = Counter(leader_of(state) for state in states)
    replicas = Counter(broker for state in states for broker in state.replicas)
    preferred = Counter(state.replicas[0] for state in states)
    elsewhere = Counter(state.replicas[0] for state in states if state.leader != state.replicas[0])
    out_of_sync = Counter(broker for state in states for broker in state.replicas if broker not in state.isr)
    offline = Counter(broker for state in states for broker in state.offline)
    led = sum(leaders[broker] for broker in ids)
    for broker in ids:
        yield {
            "broker_id": broker,
            "state": "alive",
            "host": HOST,
            "port": known.ports[broker],
            "rack": known.world.brokers.rack(broker),
            "release_at_least": "4.3",
            "features": tuple(
                (name, low, high, FINALIZED[LIKE_4_3.as_version].get(name))
                for name, (low, high) in sorted(LIKE_4_3.supported.items())
            ),
            "features_reason": False,
            "is_controller": broker == 1,
            "controller_reason": False,
            "replicas": replicas[broker],
            "leaders": leaders[broker],
            "preferred_leaders": preferred[broker],
            "preferred_elsewhere": elsewhere[broker],
            "preferred_imbalance": elsewhere[broker] / preferred[broker],
            "out_of_sync_replicas": out_of_sync[broker],
            "offline_replicas": offline[broker],
            "leader_skew": leaders[broker] * len(ids) / led,
            "replica_skew": replicas[broker] * len(ids) / replicas.total(),
            "counts_reason": False,
        }


def log_dir_usage(known: KnownWorld) -> Iterator[Row]:
    """A row per log dir of every broker; of an offline dir nothing is known."""
    world, count, size = known.world, Counter[tuple[str, int, str]](), Counter[tuple[str, int, str]]()
    for partition, state in known.states.items():
        for broker in state.replicas:
            log_dir, held = known.log_dir(partition, broker), known.held(partition, broker)
            if log_dir is not None and held is not None:
                for kind in ("replica", "leader") if broker == state.leader else ("replica",):
                    count[kind, broker, log_dir] += 1
                    size[kind, broker, log_dir] += held
    for partition, broker, into in known.futures:
        count["future", broker, into] += 1
        size["future", broker, into] += known.logs[partition].size // 2
    in_all = {at: held for at, held in size.items() if at[0] == "replica"}
    for broker in world.brokers.ids:
        of_broker = sum(held for at, held in in_all.items() if at[1] == broker)
        for number in range(world.declared.brokers.log_dirs):
            is_offline, name = number in world.offline_dirs(broker), path(number)
            held = size["replica", broker, name]
            known_of_it = {
                "total_bytes": TOTAL_BYTES,
                "usable_bytes": TOTAL_BYTES // 2,
                "replicas": count["replica", broker, name],
                "replica_bytes": held,
                "leader_replicas": count["leader", broker, name],
                "leader_bytes": size["leader", broker, name],
                "future_replicas": count["future", broker, name],
                "future_bytes": size["future", broker, name],
                "broker_bytes": of_broker,
                "share_of_broker": held / of_broker,
                "skew": held * len(in_all) / sum(in_all.values()),
            }
            yield {
                "broker_id": broker,
                "log_dir": name,
                "state": "offline" if is_offline else "online",
                "reason": is_offline,
                "is_cordoned": False,
                "leader_reason": False,
                **(dict.fromkeys(known_of_it) if is_offline else known_of_it),
            }


def config_drift(known: KnownWorld) -> Iterator[Row]:
    """The values that are set on topics and brokers, and the differences between brokers; all configs are read."""
    configs = known.world.configs
    shown = {one.name: one.value for one in configs.of_topic({}, 1, LIKE_4_3)}
    for topic in known.topics:
        for name, value in topic.configs.items():
            yield _drift("not_default", "topic", topic.name, name, value, shown[name], "topic")
    of_brokers = {broker: configs.of_broker(broker, LIKE_4_3) for broker in known.world.brokers.ids}
    for broker, reported in of_brokers.items():
        for one in reported:
            if one.source != DEFAULT:
                default = next((value for name, value, at in one.synonyms if (name, at) == (one.name, DEFAULT)), None)
                yield _of_broker("not_default", broker, one, default)
    for name in {one.name for reported in of_brokers.values() for one in reported} - BY_NATURE:
        having = {broker: one for broker, reported in of_brokers.items() for one in reported if one.name == name}
        ranked = Counter(one.value for one in having.values() if not one.sensitive).most_common()
        if len(ranked) > 1:
            is_majority = ranked[0][1] > ranked[1][1]
            most = ranked[0][0] if is_majority else None
            for broker, one in having.items():
                if not is_majority or one.value != most:
                    yield _of_broker("between_brokers", broker, one, most)


def _of_broker(kind: str, broker: int, one: Config, expected: str | None) -> Row:
    row = _drift(kind, "broker", str(broker), one.name, one.value, expected, SOURCES[one.source])
    return {**row, "is_sensitive": True, "value": None, "expected": None} if one.sensitive else row


def _drift(kind: str, what: str, of: str, name: str, value: str | None, expected: str | None, source: str) -> Row:
    return {
        "kind": kind,
        "resource_type": what,
        "resource_name": of,
        "name": name,
        "value": value,
        "expected": expected,
        "source": source,
        "is_sensitive": False,
        "reason": True,
        "previous_census_id": False,
    }


def acl_inventory(known: KnownWorld) -> Iterator[Row]:
    """A row per entry. The declared ACLs name their dangers; generated ACLs and denials are never dangerous."""
    judged = {tuple(entry): dangers for *entry, dangers in ACLS}
    patterns = {number: name for name, number in PATTERNS.items()}
    permissions = {number: name for name, number in PERMISSIONS.items()}
    for resource in known.world.acls:
        kind, pattern = Resource(resource.type).name, patterns[resource.pattern_type]
        for one in resource.entries:
            operation, permission = Operation(one.operation).name, permissions[one.permission]
            entry = (one.principal, operation, kind, resource.name, pattern)
            dangers = judged.get(entry, ()) if permission == "ALLOW" else ()
            yield {
                "resource_type": kind.lower(),
                "resource_name": resource.name,
                "pattern_type": pattern.lower(),
                "principal": one.principal,
                "host": one.host,
                "operation": operation.lower(),
                "permission": permission.lower(),
                "is_dangerous": bool(dangers),
                "dangers": dangers,
                "reason": bool(dangers),
            }


def quotas(known: KnownWorld) -> Iterator[Row]:
    """A row per declared quota."""
    for section in known.world.declared.security.quotas:
        names = {kind: "<default>" if name is None else name for kind, name in section.entity.items()}
        kinds = [kind for kind in ("user", "client-id", "ip") if kind in names]
        is_default = {kind: name is None for kind, name in section.entity.items()}
        for quota, value in section.values.items():
            yield {
                "entity": ", ".join(f"{kind} {_shown(section.entity[kind])}" for kind in kinds),
                "is_default": any(is_default.values()),
                "user_is_default": is_default.get("user", False),
                "client_id_is_default": is_default.get("client-id", False),
                "ip_is_default": is_default.get("ip", False),
                "quota": quota,
                "user": names.get("user"),
                "client_id": names.get("client-id"),
                "ip": names.get("ip"),
                "value": value,
                "unit": UNITS[quota],
            }


def _shown(name: str | None) -> str:
    """A name of an entity as one that cannot be taken for the default, nor for two."""
    if name is None:
        return "<default>"
    return name if name and not set(name) & set(" '<") else "'" + name.replace("'", "''") + "'"


def quorum(known: KnownWorld) -> Iterator[Row]:
    """The first three brokers vote, the first one leads, and no replica is behind."""
    world = known.world
    end = FIRST_RECORDS + world.topics.version + world.groups.version
    for broker in world.brokers.ids:
        directory = UUID(int=mix(world.seed, broker) << 64 | mix(broker, world.seed))
        yield {
            "replica_id": broker,
            "directory_id": uuid_text(directory),
            "role": "voter" if broker in world.brokers.voters else "observer",
            "is_leader": broker == 1,
            "leader_id": 1,
            "leader_epoch": 1 + world.topics.version,
            "high_watermark": end,
            "log_end_offset": end,
            "lag_offsets": 0,
            "lag_ms": 0,
            "last_fetch_at": moment(START_TIME_MS),
            "last_caught_up_at": moment(START_TIME_MS),
            "caught_up": True,
            "reason": False,
        }


def scram_users(known: KnownWorld) -> Iterator[Row]:
    """A row per declared credential."""
    for section in known.world.declared.security.scram_users:
        mechanisms: tuple[Any, ...] = tuple(sorted(section.mechanisms))
        for mechanism, iterations in section.mechanisms.items():
            yield {
                "user": section.user,
                "mechanism": mechanism,
                "iterations": iterations,
                "mechanisms": mechanisms,
                "only_sha_256": "SCRAM-SHA-512" not in mechanisms,
                "reason": False,
            }
