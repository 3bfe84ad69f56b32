"""DescribeCluster (API 60; endpoint type v1, fenced brokers v2): the brokers, by the listener of the request.

A broker answers for brokers only: it refuses the endpoint type of controllers with 114, unknown types with 115.
"""

from typing import Any

from kafka.protocol.admin import DescribeClusterRequest, DescribeClusterResponse

from kafka_emulator.authorization import Resource
from kafka_emulator.call import Call
from kafka_emulator.handlers.handler import Handler

UNSUPPORTED_ENDPOINT_TYPE, MISMATCHED_ENDPOINT_TYPE = 115, 114
BROKERS, CONTROLLERS = 1, 2
TYPES, FENCED = 1, 2


def _answer(request: Any, call: Call) -> Any:
    if call.version >= TYPES and request.endpoint_type != BROKERS:
        wrong = MISMATCHED_ENDPOINT_TYPE if request.endpoint_type == CONTROLLERS else UNSUPPORTED_ENDPOINT_TYPE
        return _response(call, [], None, wrong)
    brokers = call.world.brokers
    fenced = brokers.fenced if call.version >= FENCED and request.include_fenced_brokers else set()
    rows = [
        (node, at.host, at.port, brokers.rack(node), *((node in fenced,) if call.version >= FENCED else ()))
        for node in brokers.ids
        if (node in brokers.alive or node in fenced) and (at := brokers.endpoint(node, call.listener))
    ]
    operations = None
    if request.include_cluster_authorized_operations:
        operations = call.world.access.operations(Resource.CLUSTER)
    return _response(call, rows, operations)


def _response(call: Call, rows: list[tuple[Any, ...]], operations: set[int] | None, code: int = 0) -> Any:
    return DescribeClusterResponse(
        throttle_time_ms=0,
        error_code=code,
        error_message=None,
        endpoint_type=BROKERS,
        cluster_id=call.world.cluster_id,
        controller_id=call.world.brokers.controller(),
        brokers=rows,
        authorized_operations=operations,
    )


DESCRIBE_CLUSTER = Handler(
    DescribeClusterRequest, DescribeClusterResponse, {"2.8": (0, 0), "3.9": (0, 1), "4.3": (0, 2)}, _answer
)
