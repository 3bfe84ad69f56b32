"""What an RPC is: its items, and the ways to put its question on the wire.

An RPC file fills in one `Rpc` (or two, where it walks two kinds of things). It does
no I/O: it builds requests and reads responses. The pager owns sending, retrying and
cursors, the plan owns who is asked.
"""

from binascii import b2a_base64
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from uuid import UUID

from kafka_census.error_codes import ErrorCode
from kafka_census.paging.cursor import Cursor
from kafka_messages.kip_1062 import PAGINATION, next_cursor

Row = tuple[Any, ...]

COORDINATOR_LOADS = frozenset({ErrorCode.COORDINATOR_LOAD_IN_PROGRESS})
"""The key's coordinator is here and has an answer a moment later (`Api.retriable`)."""

NOT_COORDINATOR = frozenset({ErrorCode.COORDINATOR_NOT_AVAILABLE, ErrorCode.NOT_COORDINATOR})
"""Another broker coordinates the key, or none does yet (`Api.unmapped`)."""

_URL_SAFE = bytes.maketrans(b"+/", b"-_")


@dataclass(frozen=True)
class Field:
    """A column of an item; `kind` is one of `source.schema.KINDS`, such as bigint or array<string>."""

    name: str
    kind: str
    comment: str


@dataclass(frozen=True)
class Ask:
    """One question: named `keys` (none: everything), from `cursor`, at most `limit` items."""

    keys: tuple[str, ...]
    cursor: Cursor | None
    limit: int


def _no_cursor(_response: Any) -> Cursor | None:
    return None


def _nowhere(_response: Any) -> Iterator[Cursor]:
    return iter(())


def _first(row: Row) -> str:
    return str(row[0])


def _consistent(_ask: Ask, _before: Row | None, _rows: tuple[Row, ...]) -> str | None:
    return None


def no_error(_response: Any) -> tuple[int, str | None]:
    """For responses that carry errors in their items only."""
    return 0, None


def top_level_error(response: Any) -> tuple[int, str | None]:
    """The usual fields: ErrorCode and, where there is one, ErrorMessage."""
    return response.error_code or 0, getattr(response, "error_message", None)


@dataclass(frozen=True, kw_only=True)
class Api:
    """One way to ask: a Kafka API, its version range and who cuts the pages.

    request     Kafka's request, whose name and key are the API's.
    versions    the lowest and the highest version that is asked.
    build       a request of that version (its version set).
    rows        the items of a response, in the order of `Rpc.item`.
    paging      cursor: the broker cuts; window: the pager cuts `keys`; whole: nobody.
    error       the top-level error code and message of a response; (0, None) is none.
    next_cursor the broker's cursor for the page that follows; None at the end.
    features    features that the connection must have advertised; without one of them this way is not open.
    key         the key that a row answers.
    retriable   codes in the column `error_code` for which the same node may have an answer a moment later.
    unmapped    codes in it that say: ask another node (`lookup.KeyLookup`).
    cut_key     the key that a cursor of the broker's is in, where a page may end inside what
                one key is answered with; None where it never does.
    key_start   the last fields of a cursor that begins a key, where a page may end inside one.
    one_key     one request per key, where a broker cannot answer several.
    check       why a page does not follow the last row before it; None when it does.
    repeatable  whether a request whose answer was lost is sent again; where not, because it changes the
                cluster, the error is ANSWER_LOST.
    positions      the cursors of the items of a response, in order, errors left out; none for APIs whose
                items are missed when they are lost.
    """

    request: Any
    versions: tuple[int, int]
    build: Callable[[int, Ask], Any]
    rows: Callable[[Any, Ask], Iterable[Row]]
    paging: str = "whole"
    error: Callable[[Any], tuple[int, str | None]] = top_level_error
    next_cursor: Callable[[Any], Cursor | None] = _no_cursor
    features: tuple[str, ...] = ()
    key: Callable[[Row], str] = _first
    retriable: frozenset[int] = frozenset()
    unmapped: frozenset[int] = frozenset()
    cut_key: Callable[[Cursor], str] | None = None
    key_start: Cursor = ()
    one_key: bool = False
    repeatable: bool = True
    check: Callable[[Ask, Row | None, tuple[Row, ...]], str | None] = _consistent
    positions: Callable[[Any], Iterator[Cursor]] = _nowhere

    @property
    def min_version(self) -> int:
        """The lowest version that is asked."""
        return self.versions[0]

    @property
    def max_version(self) -> int:
        """The highest version that is asked."""
        return self.versions[1]

    @property
    def name(self) -> str:
        """Kafka's name of the API, such as `Metadata`."""
        return str(self.request.__name__).removesuffix("Request")

    def by_cursor(self, version: int, **more: Any) -> "Api":
        """The same question to brokers that cut the pages by KIP-1062, in that version alone.

        `more` are fields of that way that are not this one's, such as `positions`.
        """
        drafted = {"paging": "cursor", "next_cursor": next_cursor, "features": (PAGINATION,)}
        return replace(self, versions=(version, version), **{**drafted, **more})


coordinator_api = partial(Api, error=no_error, retriable=COORDINATOR_LOADS, unmapped=NOT_COORDINATOR)
"""An API that the coordinator of each key answers: errors are its items' own."""


@dataclass(frozen=True)
class Rpc:
    """A kind of walk: `name` and `scope` say which (`tables.walks.WALKS`).

    apis        tried in order: the first that the node's ApiVersions offers is used, whole
                ones only for chains without keys.
    """

    name: str
    scope: str
    item: tuple[Field, ...]
    apis: tuple[Api, ...]

    @property
    def error_column(self) -> int | None:
        """Position of `error_code` in a row; None for items without one."""
        names = [field.name for field in self.item]
        return names.index("error_code") if "error_code" in names else None

    def failed(self, row: Row) -> bool:
        """Whether a row stands for an error."""
        return self.error_column is not None and bool(row[self.error_column])


def first_field(cursor: Cursor) -> str:
    """The key that a cursor is in where its first field is the key."""
    return str(cursor[0])


def member_positions(response: Any) -> Iterator[Cursor]:
    """The cursors of the members of described groups; a group without any is one by itself."""
    for group in response.groups:
        if not group.error_code:
            yield from ((group.group_id, m.member_id) for m in group.members)
            if not group.members:
                yield group.group_id, ""


def partition_key(topic: str, partition: int) -> str:
    """A partition as a key: `topic/partition`; no topic's name has a slash."""
    return f"{topic}/{partition}"


def partitions_of(keys: Iterable[str]) -> dict[str, list[int]]:
    """Keys of partitions, as the partitions of each topic."""
    topics: dict[str, list[int]] = {}
    for key in keys:
        topic, _, partition = key.rpartition("/")
        topics.setdefault(topic, []).append(int(partition))
    return topics


def kafka_uuid(value: UUID | None) -> str | None:
    """A UUID as Kafka's Uuid.toString: URL-safe base64 without padding; None for none and zero."""
    if value is None or value.int == 0:
        return None
    return b2a_base64(value.bytes, newline=False)[:22].translate(_URL_SAFE).decode()


def known(value: int | None) -> int | None:
    """A size or a time, for which Kafka writes -1 where it is not known: then None."""
    return None if value is None or value < 0 else value


def code_name(names: Mapping[int, str], code: int) -> str:
    """The name of a code of Kafka's; a later Kafka's code keeps its number."""
    return names.get(code, f"unknown_{code}")
