"""Checks that everything a scenario names exists: brokers, topics, partitions, groups, config keys.

A name of a missing object would be ignored silently, or fail while it is served. Each mistake has
its location in the file and a sentence. Objects that an action creates count as existing.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

from kafka_emulator.authorization import CLUSTER_NAME, OPERATIONS, Operation, Resource
from kafka_emulator.config_keys import BROKER_KEYS, GROUP_KEYS, NUMBERS, THROTTLES, TOPIC_KEYS, Key
from kafka_emulator.config_ranges import what_is_wrong
from kafka_emulator.declared import TopicSection
from kafka_emulator.internal_topics import SHARES_PARTITIONS
from kafka_emulator.scenario import Scenario
from kafka_emulator.topic_names import is_possible
from kafka_emulator.topics import GROUPS_TOPIC, SHARES_TOPIC, TRANSACTIONS_TOPIC

OF_BROKERS = (*BROKER_KEYS, *THROTTLES)

Wrong = tuple[str, str]
"""A location in the file, with dots, and the mistake."""


def wrong(scenario: Scenario) -> Iterator[Wrong]:
    """Every mistake, section by section."""
    yield from _twice(scenario)
    yield from _configs(scenario)
    for location, brokers in _brokers(scenario):
        for beyond in sorted(set(brokers) - set(range(1, scenario.brokers.count + 1))):
            yield location, f"brokers are 1 to {scenario.brokers.count}; there is no broker {beyond}"
    for location, number in _log_dirs(scenario):
        if number >= scenario.brokers.log_dirs:
            yield location, f"brokers have {scenario.brokers.log_dirs} log dirs, not number {number}"
    sizes = _sizes(scenario)
    for location, topic, partition in _partitions(scenario):
        count = sizes.get(topic) or _generated_size(scenario, topic)
        if not count:
            yield location, f"there is no topic '{topic}'"
        elif not 0 <= partition < count:
            yield location, f"topic '{topic}' has {count} partitions, not number {partition}"
    yield from _groups(scenario)
    yield from _acls(scenario)


def _deeds(scenario: Scenario) -> Iterator[tuple[str, str, Any]]:
    """The actions of faults and events: location, name, and value."""
    faults = ((f"faults.{number}", fault.do) for number, fault in enumerate(scenario.faults))
    events = ((f"events.{number}", event.do) for number, event in enumerate(scenario.events))
    for location, action in chain(faults, events):
        yield f"{location}.do.{action.name}", action.name, getattr(action, action.name)


def _topics(scenario: Scenario) -> Iterator[tuple[str, TopicSection]]:
    """The topics that are declared, or created by actions."""
    yield from ((f"topics.declared.{number}", one) for number, one in enumerate(scenario.topics.declared))
    for location, name, said in _deeds(scenario):
        if name == "create_topics":
            yield from ((f"{location}.{number}", one) for number, one in enumerate(said))


def _twice(scenario: Scenario) -> Iterator[Wrong]:
    """Duplicate names: the first of the two would be lost."""
    security = scenario.security
    named: tuple[tuple[str, Iterable[str]], ...] = (
        ("brokers.listeners", (one.name for one in scenario.brokers.listeners)),
        ("topics.declared", (one.name for one in scenario.topics.declared)),
        ("groups.declared", (one.id for one in scenario.groups.declared)),
        ("transactions.declared", (one.id for one in scenario.transactions.declared)),
        ("security.quotas", (str(sorted(one.entity.items())) for one in security.quotas)),
        ("security.scram_users", (one.user for one in security.scram_users)),
    )
    for location, names in named:
        yield from ((location, f"'{name}' is there twice") for name, times in Counter(names).items() if times > 1)


def _brokers(scenario: Scenario) -> Iterator[tuple[str, Iterable[int]]]:
    brokers = scenario.brokers
    yield "brokers.stopped", brokers.stopped
    yield "brokers.fenced", brokers.fenced
    yield "brokers.advertised", (*brokers.advertised, *brokers.advertised.values())
    yield "brokers.offline_log_dirs", (broker for broker, _ in brokers.offline_log_dirs)
    yield "brokers.configs_of", brokers.configs_of
    yield "brokers.dynamic_configs_of", brokers.dynamic_configs_of
    yield from ((f"brokers.listeners.{at}.brokers", one.brokers or ()) for at, one in enumerate(brokers.listeners))
    yield "as_versions", scenario.as_versions
    yield "kip_1062_of", scenario.kip_1062_of
    yield from ((location, topic.brokers) for location, topic in _topics(scenario))
    for number, fault in enumerate(scenario.faults):
        yield f"faults.{number}.broker", () if fault.broker is None else (fault.broker,)
    for location, name, said in _deeds(scenario):
        if name in ("stop", "start"):
            yield location, (said,)
        if name in ("restart", "downgrade"):
            yield f"{location}.brokers", said.brokers or ()
        if name == "move_coordinators":
            yield f"{location}.to", (said.to,)


def _log_dirs(scenario: Scenario) -> Iterator[tuple[str, int]]:
    yield from (("brokers.offline_log_dirs", number) for _, number in scenario.brokers.offline_log_dirs)
    for location, topic in _topics(scenario):
        yield from ((f"{location}.futures.{at}.log_dir", one.log_dir) for at, one in enumerate(topic.futures))


def _sizes(scenario: Scenario) -> Mapping[str, int]:
    """The highest number of partitions of each topic; of internal topics as brokers would create them."""
    sizes = {
        GROUPS_TOPIC: scenario.groups.offsets_partitions,
        TRANSACTIONS_TOPIC: scenario.transactions.partitions,
        SHARES_TOPIC: int(scenario.brokers.configs.get(SHARES_PARTITIONS, "50")),
    }
    for _, topic in _topics(scenario):
        sizes[topic.name] = max(topic.count, sizes.get(topic.name, 0))
    return sizes


def _generated_size(scenario: Scenario, topic: str) -> int:
    number = scenario.topics.run.number(topic)
    return 0 if number is None else scenario.topics.partitions_of(number)


def _partitions(scenario: Scenario) -> Iterator[tuple[str, str, int]]:
    """The topics and partitions that sections name; for a whole topic its first partition."""
    for number, group in enumerate(scenario.groups.declared):
        location = f"groups.declared.{number}"
        yield from ((f"{location}.topics", topic, 0) for topic in group.topics)
        yield from (
            (f"{location}.offsets.{at}", one.topic, one.partition) for at, one in enumerate(group.offsets or ())
        )
    for number, transaction in enumerate(scenario.transactions.declared):
        location = f"transactions.declared.{number}"
        yield from ((f"{location}.partitions.{at}", *one) for at, one in enumerate(transaction.partitions))
        yield from ((f"{location}.hanging.{at}", *one) for at, one in enumerate(transaction.hanging))
    for location, name, said in _deeds(scenario):
        if name == "delete_topics":
            yield from ((location, topic, 0) for topic in said)
        if name == "move_coordinators":
            topic = GROUPS_TOPIC if said.of == "groups" else TRANSACTIONS_TOPIC
            yield from ((f"{location}.partitions", topic, partition) for partition in said.partitions or ())


def _groups(scenario: Scenario) -> Iterator[Wrong]:
    created = {group for _, name, said in _deeds(scenario) if name == "create_groups" for group in said}
    there = created | {group.id for group in scenario.groups.declared}
    for location, name, said in _deeds(scenario):
        for group in said if name == "delete_groups" else ():
            if group not in there and scenario.groups.run.number(group) is None:
                yield location, f"there is no group '{group}'"


def _configs(scenario: Scenario) -> Iterator[Wrong]:
    brokers = scenario.brokers
    for location, topic in _topics(scenario):
        if not is_possible(topic.name):
            yield f"{location}.name", f"'{topic.name}' is no possible name of a topic"
        yield from _unknown(f"{location}.configs", topic.configs, TOPIC_KEYS)
    for number, group in enumerate(scenario.groups.declared):
        yield from _unknown(f"groups.declared.{number}.configs", group.configs, GROUP_KEYS)
    yield from _not_numbers("brokers.configs", brokers.configs, OF_BROKERS)
    yield from _not_numbers("brokers.dynamic_configs", brokers.dynamic_configs, OF_BROKERS)
    for name, of in (("configs_of", brokers.configs_of), ("dynamic_configs_of", brokers.dynamic_configs_of)):
        for broker, configs in of.items():
            yield from _not_numbers(f"brokers.{name}.{broker}", configs, OF_BROKERS)


def _unknown(location: str, configs: Mapping[str, str], keys: Iterable[Key]) -> Iterator[Wrong]:
    """Unknown config keys of topics and groups; brokers may have configs of plugins."""
    yield from (
        (location, f"there is no such config as '{one}'") for one in configs.keys() - {key.name for key in keys}
    )
    yield from _not_numbers(location, configs, keys)


def _not_numbers(location: str, configs: Mapping[str, str], keys: Iterable[Key]) -> Iterator[Wrong]:
    numbers = {key.name: key for key in keys if key.type in NUMBERS}
    for name, value in configs.items():
        if name in numbers and (said := what_is_wrong(numbers[name], value)) is not None:
            yield f"{location}.{name}", said


def _acls(scenario: Scenario) -> Iterator[Wrong]:
    for number, acl in enumerate(scenario.security.acls):
        location, operation = f"security.acls.{number}", Operation[acl.operation]
        if operation not in (Operation.ALL, *OPERATIONS[Resource[acl.resource_type]]):
            yield f"{location}.operation", f"{acl.operation} is no operation of resource type {acl.resource_type}"
        if acl.resource_type == Resource.CLUSTER.name and acl.resource_name != CLUSTER_NAME:
            yield f"{location}.resource_name", f"the only cluster is '{CLUSTER_NAME}'"
