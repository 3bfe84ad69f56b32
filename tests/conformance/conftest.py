"""Both clusters: a real one with the objects of the scenario `conformance`, and emulated ones of the same scenario."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from conformance.test_fresh_cluster import asked_first
from e2e.listing import await_rest
from emulator.asking import serving
from harness.kafka_cluster import KafkaCluster
from harness.realized import cluster_of, realized
from harness.workload import admin
from kafka_emulator.__main__ import server_of
from kafka_emulator.declared import TopicSection
from kafka_emulator.scenario import Scenario
from kafka_emulator.scenario_file import read
from kafka_emulator.topics import INTERNAL

SCENARIO = "conformance"


@pytest.fixture(scope="package")
def fresh() -> Iterator[KafkaCluster]:
    """Kafka 4.4.0, which no client has used."""
    with cluster_of(read(SCENARIO)) as cluster:
        yield cluster


@pytest.fixture(scope="package")
def of_fresh(fresh: KafkaCluster) -> list[tuple[list[int], list[int]]]:
    """What who asks for coordinators first is told."""
    return asked_first(fresh.bootstrap_servers)


@pytest.fixture(scope="package")
def real(fresh: KafkaCluster, of_fresh: object) -> Iterator[KafkaCluster]:
    """The same cluster with the declared objects, after all groups are stable."""
    with realized(fresh, read(SCENARIO)):
        await_rest(fresh.bootstrap_servers, "share-live", range(4))
        yield fresh


@pytest.fixture(scope="package")
def scenario(real: KafkaCluster) -> Scenario:
    """The declared scenario, with the configs that the harness sets on all brokers and internal topics' replicas."""
    client, declared = admin(real.admin_servers), read(SCENARIO)
    found = client.list_topics(timeout=20).topics
    placed = {name: sorted(found[name].partitions.values(), key=lambda one: one.id) for name in sorted(INTERNAL)}
    made = (TopicSection(name=name, assignment=tuple(tuple(one.replicas) for one in of)) for name, of in placed.items())
    topics = declared.topics.model_copy(update={"declared": (*declared.topics.declared, *made)})
    of = [dict(line.split("=", 1) for line in one.config.read_text().splitlines()) for one in real.brokers.values()]
    reported = dict(set.intersection(*(set(one.items()) for one in of)))
    brokers = declared.brokers.model_copy(update={"configs": reported})
    return declared.model_copy(update={"topics": topics, "brokers": brokers})


@pytest.fixture(scope="package")
def emulated(scenario: Scenario) -> Iterator[Callable[..., str]]:
    """Bootstrap servers of the emulated scenario: with KIP-1062 or without, some brokers fenced; each started once."""
    made: dict[tuple[bool, tuple[int, ...]], str] = {}
    with ExitStack() as alive:

        def servers(*, kip_1062: bool = False, fenced: tuple[int, ...] = ()) -> str:
            key = kip_1062, fenced
            if key not in made:
                brokers = scenario.brokers.model_copy(update={"fenced": fenced})
                changed = scenario.model_copy(update={"kip_1062": kip_1062, "brokers": brokers})
                made[key] = alive.enter_context(serving(server_of(changed))).bootstrap_servers
            return made[key]

        yield servers
