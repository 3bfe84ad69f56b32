"""ApiVersions (API 18; features KIP-584, v3): which features each broker supports, and which are finalized.

Asked of every broker about itself, whole; it needs no ACL. The request that opens a connection returns the same, but
is no page of a census. Supported are the levels that the broker's code has, from `min_version` to `max_version`;
finalized is the level that the cluster has agreed on, as this broker knows it: brokers learn of a new level in turn.

Below v4 a feature whose lowest level is 0 is left out of the supported features. A broker that reports no feature, as
before 2.8, is an item without a feature. Finalized features count where their epoch is known.
"""

from collections.abc import Iterator
from typing import Any

from kafka_census import __version__
from kafka_census.kafka.paging.rpc import Api, Ask, Field, Row, Rpc, known
from kafka_messages import ApiVersionsRequest

FEATURES = 3
SOFTWARE = "kafka-census"

ITEM = (
    Field("feature", "string", "Name of a feature, such as metadata.version; null for a broker that tells of none."),
    Field("min_version", "int", "Lowest level that the broker supports; null where it does not say."),
    Field("max_version", "int", "Highest level that the broker supports; null where it does not say."),
    Field("finalized_version", "int", "Level that the cluster has finalized; null for none."),
    Field("finalized_epoch", "bigint", "Epoch of all finalized levels, which grows with each change; null if unknown."),
)


def _build(version: int, _ask: Ask) -> Any:
    # Brokers accept letters, digits, dots and dashes in both (KIP-511).
    return ApiVersionsRequest(version=version, client_software_name=SOFTWARE, client_software_version=__version__)


def _rows(response: Any, _ask: Ask) -> Iterator[Row]:
    has_features = response.version >= FEATURES
    features = response.supported_features if has_features else ()
    supported = {one.name: (one.min_version, one.max_version) for one in features}
    epoch = known(response.finalized_features_epoch) if has_features else None
    finalized = {} if epoch is None else {one.name: one.max_version_level for one in response.finalized_features}
    for name in sorted(supported.keys() | finalized.keys()):
        yield name, *supported.get(name, (None, None)), finalized.get(name), epoch
    if not supported and not finalized:
        yield None, None, None, None, epoch


API_VERSIONS = Rpc(
    name="ApiVersions",
    scope="features",
    item=ITEM,
    apis=(Api(request=ApiVersionsRequest, versions=(0, 5), build=_build, rows=_rows),),
)
