"""ApiVersions (API 18): the versions that the handlers offer for the emulated Kafka, and the features.

The server makes `call.offers` from HANDLERS, so that only implemented versions are advertised. Versions 0-3 leave
out features whose lowest level is 0: old clients fail on them. From v3 on a client names its software (KIP-511):
letters, digits, dots and dashes, or 42. From v5 on it may say which broker of which cluster it means to reach, or
neither (42): any other one answers 129 (KIP-1242). A version that is not offered is 35 at v0, so that a client can
retry.
"""

import re
from collections.abc import Mapping
from typing import Any

from kafka_emulator.call import Call
from kafka_emulator.features import FINALIZED
from kafka_emulator.handlers.handler import Handler
from kafka_messages import UNSUPPORTED_VERSION, ApiVersionsRequest, ApiVersionsResponse

INVALID_REQUEST, REBOOTSTRAP_REQUIRED = 42, 129
FEATURES, LOWEST_MAY_BE_ZERO, MEANS_A_BROKER = 3, 4, 5
_SOFTWARE = re.compile(r"[a-zA-Z0-9](?:[a-zA-Z0-9\-.]*[a-zA-Z0-9])?")


def _answer(request: Any, call: Call) -> Any:
    named = (request.client_software_name, request.client_software_version) if call.version >= FEATURES else ()
    cluster_id, node_id = (request.cluster_id, request.node_id) if call.version >= MEANS_A_BROKER else (None, -1)
    if not all(map(_SOFTWARE.fullmatch, named)) or (cluster_id is None) != (node_id == -1):
        return _refused(INVALID_REQUEST)
    if cluster_id is not None and (cluster_id, node_id) != (call.world.cluster_id, call.broker):
        return _refused(REBOOTSTRAP_REQUIRED)
    keys = [(key, lowest, highest) for key, (lowest, highest) in sorted(call.offers.items())]
    tagged: dict[str, Any] = {}
    if call.version >= FEATURES:
        lowest = 0 if call.version >= LOWEST_MAY_BE_ZERO else 1
        feature, level = ApiVersionsResponse.SupportedFeatureKey, ApiVersionsResponse.FinalizedFeatureKey
        supported = [
            feature(name=name, min_version=low, max_version=high)
            for name, (low, high) in sorted(call.speaks.supported.items())
            if low >= lowest
        ]
        finalized = [
            level(name=name, max_version_level=at, min_version_level=at)
            for name, at in FINALIZED[call.speaks.as_version].items()
        ]
        tagged = {"supported_features": supported, "finalized_features_epoch": 1, "finalized_features": finalized}
    return ApiVersionsResponse(error_code=0, api_keys=keys, throttle_time_ms=0, **tagged)


def _refused(code: int) -> Any:
    return ApiVersionsResponse(error_code=code, api_keys=[], throttle_time_ms=0)


def unsupported(offers: Mapping[int, tuple[int, int]]) -> Any:
    """The answer to a version that is not offered: version 0 with code 35, and only the row of ApiVersions."""
    key = API_VERSIONS.api_key
    return ApiVersionsResponse(error_code=UNSUPPORTED_VERSION, api_keys=[(key, *offers[key])])


API_VERSIONS = Handler(ApiVersionsRequest, ApiVersionsResponse, {"2.8": (0, 3), "3.9": (0, 4), "4.4": (0, 5)}, _answer)
