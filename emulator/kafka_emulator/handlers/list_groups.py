"""ListGroups (API 16; states v4, types v5; KIP-1062 v6): the groups of the partitions that this broker leads.

Without DESCRIBE on the cluster, groups that may not be described are left out. A page's
limit counts groups; filters come first.
"""

from typing import Any

from kafka_emulator.call import Call
from kafka_emulator.groups import Groups, Shape
from kafka_emulator.handlers.handler import Handler
from kafka_emulator.names import Names
from kafka_emulator.paging import by_name
from kafka_messages.kip_1062 import ListGroupsRequest, ListGroupsResponse


def _answer(request: Any, call: Call) -> Any:
    groups = call.world.groups
    names = _filtered(request, groups, call.world.groups_of(call.broker))
    page = call.page(by_name(names), request)
    ordinals = names.ordinals[page.begin : page.end]
    listed = [
        # A row has the fields in the order of the message; older versions have only the first fields.
        (name, shape.protocol_type, shape.state, shape.type)
        for name, shape in zip(names[page.begin : page.end], groups.shapes(ordinals), strict=True)
    ]
    follows = call.follows(ListGroupsResponse, page)
    return ListGroupsResponse(throttle_time_ms=0, error_code=0, groups=listed, **follows)


def _filtered(request: Any, groups: Groups, names: Names) -> Names:
    states = {state.lower() for state in request.states_filter or () if state is not None}
    types = {kind.lower() for kind in request.types_filter or () if kind is not None}
    if not states and not types:
        return names

    def wanted(shape: Shape) -> bool:
        return (not states or shape.state.lower() in states) and (not types or shape.type.lower() in types)

    return groups.of_shape(filter(wanted, groups.all_shapes), names)


LIST_GROUPS = Handler(
    ListGroupsRequest,
    ListGroupsResponse,
    {"2.8": (0, 4), "3.9": (0, 5)},
    _answer,
    paged=6,
)
