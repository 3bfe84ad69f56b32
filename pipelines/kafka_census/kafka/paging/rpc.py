"""The declaration of an RPC: its items, and the APIs that can answer it.

An RPC file declares one `Rpc` per scope. It does
no I/O: it builds requests and reads responses. The pager sends, retries and keeps the
cursors; the plan decides which node is asked.
"""

from binascii import b2a_base64
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from uuid import UUID

from kafka_census.kafka.error_codes import ErrorCode
from kafka_census.kafka.paging.cursor import Cursor
from kafka_census.kafka.protocol.collect_settings import CollectSettings
from kafka_messages.kip_1062 import PAGINATION, next_cursor

Row = tuple[Any, ...]

COORDINATOR_LOADS = frozenset({ErrorCode.COORDINATOR_LOAD_IN_PROGRESS})
"""This broker is the key's coordinator and can answer a moment later (`Api.retriable`)."""

NOT_COORDINATOR = frozenset({ErrorCode.COORDINATOR_NOT_AVAILABLE, ErrorCode.NOT_COORDINATOR})
"""Another broker is the key's coordinator, or none is yet (`Api.unmapped`)."""

_URL_SAFE = bytes.maketrans(b"+/", b"-_")


@dataclass(frozen=True)
class Field:
    """A column of an item; `kind` is one of `source.schema.KINDS`, such as bigint or array<string>."""

    name: str
    kind: str
    comment: str


@dataclass(frozen=True)
class Ask:
    """One question: these `keys` (empty: everything), from `cursor` on, at most `limit` items.

    brief   leave out what can be left out (`Api.brief`)
    """

    keys: tuple[str, ...]
    cursor: Cursor | None
    limit: int
    brief: bool = False


def _no_cursor(_response: Any) -> Cursor | None:
    return None


def _nowhere(_response: Any) -> Iterator[Cursor]:
    return iter(())


def _first(row: Row) -> str:
    return str(row[0])


def _consistent(_ask: Ask, _before: Row | None, _rows: tuple[Row, ...]) -> str | None:
    return None


def no_error(_response: Any) -> tuple[int, str | None]:
    """(0, None): for responses that carry errors only in their items."""
    return 0, None


def top_level_error(response: Any) -> tuple[int, str | None]:
    """The usual fields of a response: ErrorCode and, where the API has it, ErrorMessage."""
    return response.error_code or 0, getattr(response, "error_message", None)


@dataclass(frozen=True, kw_only=True)
class Api:
    """One way to ask: a Kafka API, a version range and a way of paging.

    request     Kafka's request class, which gives the API's name and key.
    versions    the lowest and the highest version that is used.
    build       the request for a question, at a version.
    rows        the items of a response, with the fields of `Rpc.item`.
    paging      cursor: the broker cuts pages; window: the pager cuts `keys`; whole: one answer without pages.
    error       the top-level error code and message of a response; (0, None) for no error.
    next_cursor the broker's cursor of the next page; None at the end.
    features    features that the connection must have advertised; without one of them the API is not used.
    key         the key that a row answers.
    retriable   values of the column `error_code` for which the same node may answer a moment later.
    unmapped    values of `error_code` that mean: ask another node (`lookup.KeyLookup`).
    cut_key     the key that a broker's cursor points into, where a page may end inside the
                answer to a key; None where it never does.
    key_start   the last fields of a cursor at the start of a key, where a page may end inside a key.
    one_key     one request per key, where a broker cannot answer several.
    brief       the first version that can leave something out where the answer is too late, or too large for one key.
    check       why a page does not follow the last row before it; None when it does.
    repeatable  whether a request whose answer was lost is sent again; where not, because it changes the
                cluster, the error is ANSWER_LOST.
    positions      the cursors of the items of a response, in order, without errors; none for APIs where a
                lost item is noticed as an unanswered key.
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
    brief: int | None = None
    repeatable: bool = True
    check: Callable[[Ask, Row | None, tuple[Row, ...]], str | None] = _consistent
    positions: Callable[[Any], Iterator[Cursor]] = _nowhere

    @property
    def min_version(self) -> int:
        """The lowest version that is used."""
        return self.versions[0]

    @property
    def max_version(self) -> int:
        """The highest version that is used."""
        return self.versions[1]

    @property
    def name(self) -> str:
        """Kafka's name of the API, such as `Metadata`."""
        return str(self.request.__name__).removesuffix("Request")

    def by_cursor(self, version: int, **more: Any) -> "Api":
        """The same API for brokers that page by KIP-1062, in that version only.

        `more` are further fields of `Api` that differ, such as `positions`.
        """
        drafted = {"paging": "cursor", "next_cursor": next_cursor, "features": (PAGINATION,)}
        return replace(self, versions=(version, version), **{**drafted, **more})


coordinator_api = partial(Api, error=no_error, retriable=COORDINATOR_LOADS, unmapped=NOT_COORDINATOR)
"""An API that the coordinator of each key answers: errors are in the items."""


@dataclass(frozen=True)
class Rpc:
    """What a kind of walk asks; `name` and `scope` identify it (`tables.walks.WALKS`).

    apis        in order of preference: the first that the node's ApiVersions offers is used; `whole`
                APIs only for chains without keys.
    large_windows  whether a window has as many keys as a page has items: each key is one item, which
                the broker knows without a search.
    """

    name: str
    scope: str
    item: tuple[Field, ...]
    apis: tuple[Api, ...]
    large_windows: bool = False

    def window_size(self, collect: CollectSettings) -> int:
        """The number of keys in one window."""
        return collect.page_limit_of(self.name) if self.large_windows else collect.keys_per_request

    @property
    def error_column(self) -> int | None:
        """Position of `error_code` in a row; None for items without one."""
        names = [field.name for field in self.item]
        return names.index("error_code") if "error_code" in names else None

    def failed(self, row: Row) -> bool:
        """Whether a row stands for an error."""
        return self.error_column is not None and bool(row[self.error_column])


def first_field(cursor: Cursor) -> str:
    """The key that a cursor points into, where the first field of the cursor is the key."""
    return str(cursor[0])


def member_positions(response: Any) -> Iterator[Cursor]:
    """The cursors of the members of described groups; a group without members has one cursor."""
    for group in response.groups:
        if not group.error_code:
            yield from ((group.group_id, m.member_id) for m in group.members)
            if not group.members:
                yield group.group_id, ""


def partition_key(topic: str, partition: int) -> str:
    """A partition as a key: `topic/partition`; topic names cannot contain a slash."""
    return f"{topic}/{partition}"


def partitions_of(keys: Iterable[str]) -> dict[str, list[int]]:
    """The partitions of each topic, from keys of partitions."""
    topics: dict[str, list[int]] = {}
    for key in keys:
        topic, _, partition = key.rpartition("/")
        topics.setdefault(topic, []).append(int(partition))
    return topics


def kafka_uuid(value: UUID | None) -> str | None:
    """A UUID as Kafka's Uuid.toString: URL-safe base64 without padding; None for None and for zero."""
    if value is None or value.int == 0:
        return None
    return b2a_base64(value.bytes, newline=False)[:22].translate(_URL_SAFE).decode()


def known(value: int | None) -> int | None:
    """A size or a time; None where it is negative, since Kafka writes -1 for unknown."""
    return None if value is None or value < 0 else value


def code_name(names: Mapping[int, str], code: int) -> str:
    """The name of a code of Kafka's; `unknown_<code>` for a code of a later release."""
    return names.get(code, f"unknown_{code}")
