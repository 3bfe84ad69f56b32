"""Walks on a cluster that has every kind of group and of transaction, compared with Java row by row."""

from collections import Counter
from operator import attrgetter
from typing import Any

import pytest

from e2e.listing import KEYED, LISTINGS, Landed, Listing, Said, in_columns, items, landed, pages, rows_in, rows_of
from e2e.operator import Operator
from harness.kafka_cluster import KafkaCluster
from kafka_census.declarations.walks import walk_named
from kafka_census.kafka.error_codes import error_name
from trouble.conftest import Surveyed

NAME = attrgetter("name")
EVERY = (*LISTINGS, *KEYED)
OF_NO_TABLE = "ListConfigResources", "config_resources"


@pytest.fixture(scope="module")
def oracle(whole: Surveyed) -> Said:
    return in_columns((row for listing in EVERY for row in whole.said[listing.kind]), EVERY)


@pytest.fixture(scope="module")
def found(lake: Operator, whole: Surveyed) -> Landed:
    """The landed pages of the census of the whole cluster, and of the walk that no table needs."""
    return {**landed(lake), OF_NO_TABLE: pages(whole.servers, *OF_NO_TABLE)}


def at_rest(items: Counter[Any]) -> Counter[Any]:
    """Without partitions of internal topics, to which brokers append whenever they like."""
    return Counter({item: number for item, number in items.items() if not str(item[0]).startswith("__")})


@pytest.mark.parametrize("listing", EVERY, ids=NAME)
def test_a_walk_is_what_the_java_client_says(found: Landed, oracle: Said, listing: Listing) -> None:
    assert oracle[listing.name]
    assert at_rest(items(listing, found[listing.walk])) == at_rest(oracle[listing.name])


@pytest.mark.parametrize("listing", KEYED, ids=NAME)
def test_keys_are_found_from_the_wrong_broker(
    cluster: KafkaCluster, found: Landed, oracle: Said, listing: Listing
) -> None:
    """All keys at the first broker, which most keys do not belong to."""
    key = walk_named(*listing.walk).answered_by
    keys = {"/".join(str(row[column]) for column in key) for row in rows_in(found[listing.walk], *listing.walk)}
    answers = items(listing, pages(cluster.admin_servers, *listing.walk, tuple(keys)))
    assert at_rest(answers) == at_rest(oracle[listing.name])


NOT_THERE = {
    "OffsetFetch": {"nobody": None, "share-left": None},
    "DescribeGroups": dict.fromkeys(("nobody", "new-0", "share-left", "streams-live"), "GROUP_ID_NOT_FOUND"),
    "ConsumerGroupDescribe": {"": "INVALID_GROUP_ID", "nobody": "GROUP_ID_NOT_FOUND", "left": "GROUP_ID_NOT_FOUND"},
    "ShareGroupDescribe": {"": "INVALID_GROUP_ID", "nobody": "GROUP_ID_NOT_FOUND", "left": "GROUP_ID_NOT_FOUND"},
    "StreamsGroupDescribe": {"": "INVALID_GROUP_ID", "nobody": "GROUP_ID_NOT_FOUND", "left": "GROUP_ID_NOT_FOUND"},
    "DescribeShareGroupOffsets": {"": None, "nobody": None, "left": None},
    "ListOffsets/latest": dict.fromkeys(("nothing/0", "orders/99"), "UNKNOWN_TOPIC_OR_PARTITION"),
    "DescribeTransactions/transactional_ids": {"": "INVALID_REQUEST", "nobody": "TRANSACTIONAL_ID_NOT_FOUND"},
    "DescribeProducers/partitions": dict.fromkeys(("nothing/0", "orders/99"), "UNKNOWN_TOPIC_OR_PARTITION"),
}
"""Unknown keys by walk, and the brokers' error; None where brokers answer without an error."""


@pytest.mark.parametrize("name", NOT_THERE)
def test_what_is_not_there_is_a_row_that_says_so(cluster: KafkaCluster, name: str) -> None:
    (listing,) = (listing for listing in KEYED if listing.name == name)
    key = walk_named(*listing.walk).answered_by
    rows = rows_of(cluster.admin_servers, *listing.walk, *NOT_THERE[name])
    found = Counter(("/".join(str(row[part]) for part in key), error_name(row["error_code"])) for row in rows)
    assert found == Counter(NOT_THERE[name].items())
