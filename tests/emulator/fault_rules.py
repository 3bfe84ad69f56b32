"""What is to become of each walk under each fault: the rules that `docs/fault-matrix.md` shows and explains."""

from collections.abc import Callable

from emulator.fault_matrix import Cell, Fault, calm
from kafka_census.declarations.walks import WALKS
from kafka_census.kafka.error_codes import error_name
from kafka_emulator.handlers import HANDLERS

CODE_ON_TOP = frozenset(
    one.name
    for one in HANDLERS
    if (field := one.response.fields.get("error_code")) and field.for_version_q(one.response.max_version)
)
"""Whose responses have an error code of their own; the others tell it on each item."""

FOLLOWED = frozenset(walk.rpc for walk in WALKS if walk.located)
"""Whose keys are looked for where they went: at another coordinator or leader."""

OF_GROUPS = frozenset(walk.rpc for walk in WALKS if walk.located and walk.located.keys.scope == "groups")

RETRIABLE = frozenset({6, 7, 14, 16})
MAY_PASS = {
    6: frozenset({"ListOffsets", "DescribeProducers"}),
    7: frozenset({"ListOffsets"}),
    14: OF_GROUPS | {"DescribeTransactions", "FindCoordinator"},
    16: OF_GROUPS | {"DescribeTransactions"},
}
"""Codes of items that are retried; other codes of items stay and are reported."""

SINCE_3_0 = {one.name for one in HANDLERS if "2.8" not in one.versions} - {"DescribeTopicPartitions"}
"""Which a broker like 2.8 does not have; of partitions it is asked by Metadata."""

NEWEST_RECORDS = ("ListOffsets", "max_timestamp")
"""The same of one kind of offset."""

TOLD_BY_KEY = frozenset({"DescribeTransactions", "ListOffsets"})
"""Keys that are in no page are asked for again; keys that are in a page are not."""

LISTINGS = frozenset(
    {"DescribeAcls", "DescribeLogDirs", "ListGroups", "ListPartitionReassignments", "ListTransactions", "Metadata"}
)
WHOLE_KEYS = ("DescribeProducers", "recheck")
"""Each partition has one producer: no page cuts any, and where a page is lost, keys are."""

UNPLACED = ("DescribeTransactions", "probe")
"""Whose one key nobody has: any broker's code is its answer, and no other broker is asked."""

Rule = Callable[[Cell, Fault], str]


def healed(_cell: Cell, _fault: Fault) -> str:
    """All items, each once; of a cluster that changed, those that were there before and after."""
    return "healed"


def refused_if_it_stays(name: str) -> Rule:
    return lambda _cell, fault: f"refused: {name}" if fault.always else "healed"


def an_error(cell: Cell, fault: Fault) -> str:
    rpc, code = cell.walk.rpc, fault.do.error or 0
    if rpc in CODE_ON_TOP:
        return f"refused: {error_name(code)}" if fault.always or code not in RETRIABLE else "healed"
    if rpc == "DescribeTopicPartitions" and code == 29 and (cell.page or fault.always):
        # A denied topic is returned on the first page, and again on every other page.
        return "refused: INCONSISTENT_PAGES"
    if (rpc, cell.walk.scope) == UNPLACED:
        # The broker that is asked does not coordinate the id, and says so on a calm day, too.
        return "healed" if code == 16 else "reported"
    return "healed" if not fault.always and rpc in MAY_PASS.get(code, ()) else "reported"


def too_large(cell: Cell, fault: Fault) -> str:
    """Less is asked for, where less can be asked for."""
    is_least = calm(cell)[0].paging == "whole" or calm(cell)[0].page_limit == 1
    return "refused: FRAME_TOO_LARGE" if fault.always or is_least else "healed"


def a_repeated_cursor(_cell: Cell, _fault: Fault) -> str:
    return "refused: CURSOR_REPEATED"


def a_lost_page(cell: Cell, fault: Fault) -> str:
    """A shorter page does not begin as it does; seen also where keys or partitions are missing."""
    rpc = cell.walk.rpc
    if rpc == "DescribeTopicPartitions":
        return "refused: INCONSISTENT_PAGES"
    if (rpc, cell.walk.scope) == WHOLE_KEYS and not cell.page:
        return "gate: unanswered_keys"
    return "refused: INCONSISTENT_PAGES" if fault.always and rpc not in TOLD_BY_KEY else "healed"


def a_doubled_page(cell: Cell, fault: Fault) -> str:
    """The page does not begin at its cursor; items that an earlier page had are refused."""
    rpc = cell.walk.rpc
    if rpc == "DescribeTopicPartitions" or (rpc, cell.walk.scope) == WHOLE_KEYS:
        return "refused: INCONSISTENT_PAGES"
    if rpc in TOLD_BY_KEY or not fault.always:
        return "healed"
    if rpc == "Metadata":
        # The topic of its cursor has partitions before those that it goes on with.
        return "refused: MALFORMED_RESPONSE"
    # What is doubled is the proof, whose items are those of the page.
    return "healed" if rpc in LISTINGS | {"DescribeConfigs"} else "refused: INCONSISTENT_PAGES"


def a_broker_that_is_gone(cell: Cell, _fault: Fault) -> str:
    """Its keys went to others; what only it can say is refused."""
    followed = cell.walk.rpc in FOLLOWED and (cell.walk.rpc, cell.walk.scope) != UNPLACED
    return "healed" if followed else "refused: CONNECTION_FAILED"


def a_downgrade(cell: Cell, fault: Fault) -> str:
    older = fault.do.downgrade is not None and fault.do.downgrade.as_version == "2.8"
    is_new = cell.walk.rpc in SINCE_3_0 or cell.walk.name == NEWEST_RECORDS
    return "refused: UNSUPPORTED_VERSION" if older and is_new else "healed"


RULES: dict[str, Rule] = {
    "drop": refused_if_it_stays("CONNECTION_FAILED"),
    "truncate": refused_if_it_stays("CONNECTION_FAILED"),
    "cut": refused_if_it_stays("MALFORMED_RESPONSE"),
    "error": an_error,
    "oversize": too_large,
    "repeat_cursor": a_repeated_cursor,
    "lose_page": a_lost_page,
    "double_page": a_doubled_page,
    "stop": a_broker_that_is_gone,
    "downgrade": a_downgrade,
}
"""By what a fault does; walks are healed of all others."""


def rule(fault: Fault) -> Rule:
    if fault.do.delay_ms is not None:
        return refused_if_it_stays("DEADLINE_EXCEEDED") if fault.name == "too late" else healed
    return RULES.get(fault.do.name, healed)
