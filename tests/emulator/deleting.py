"""Plans that are applied to and undone on an emulated cluster, with what its brokers have and are asked."""

from collections.abc import Container, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any
from unittest.mock import patch

from emulator.asking import cluster
from emulator.committing import offset_commit
from harness.deleting import OFFSET, Deleting
from kafka_census.declarations.table import Table
from kafka_census.deletion import waves as deletion_run
from kafka_census.lake import store
from kafka_census.lake.lake import Lake
from kafka_emulator.authorization import Access
from kafka_emulator.declared_security import AclSection, SecuritySection
from kafka_emulator.handlers import HANDLERS
from kafka_emulator.handlers.delete_groups import DELETE_GROUPS
from kafka_emulator.replies import HANG_UP, Reply
from kafka_emulator.server import Server

TOPICS = ("t", "u")


def served(groups: int, denied: Container[str] = (), *, brokers: int = 3, seed: int = 7) -> Server:
    offsets = [{"topic": topic, "partition": 0, "offset": OFFSET} for topic in TOPICS]
    declared = [{"id": name, "offsets": offsets} for name in names(groups)]
    sections = {
        "seed": seed,
        "brokers": {"count": brokers},
        "topics": {"partitions": 3, "declared": [{"name": topic, "partitions": 2} for topic in TOPICS]},
        "groups": {"count": 0, "declared": declared},
    }
    return replace(cluster(**sections), handlers=(*HANDLERS, offset_commit(denied)))


def names(count: int, first: int = 0) -> list[str]:
    return [f"g-{number:02d}" for number in range(first, first + count)]


class Died(BaseException):
    """The process ends here."""


@dataclass(kw_only=True)
class Emulated(Deleting):
    """`denied` topics take no offsets."""

    server: Server
    denied: set[str] = field(default_factory=set)

    def there(self, groups: list[str]) -> list[str]:
        """Those of the groups that the brokers have."""
        return [name for name in groups if self.server.world.groups.get(name) is not None]

    def offsets(self, group: str) -> dict[str, int]:
        """The offsets that a group has, by topic."""
        found = self.server.world.groups.get(group)
        return {} if found is None else {one.topic.name: one.offset for one in self.server.world.offsets(found)}

    @contextmanager
    def dying(self, table: Table, commits: int = 1) -> Iterator[None]:
        """The process ends right before that commit to an audit table: its first, second or later one."""
        append, left = store.append, [commits]

        def dies(frame: Any, lake: Lake, to: Table, app_id: str) -> None:
            left[0] -= to is table
            if not left[0]:
                raise Died
            append(frame, lake, to, app_id)

        with patch.object(deletion_run.store, "append", dies):
            yield

    @contextmanager
    def watched(self, api_key: int) -> Iterator[list[bytes]]:
        """The frames of an API that brokers get meanwhile."""
        frames: list[bytes] = []
        answer = self.server.answer

        def watching(broker: int, listener: str, frame: bytes) -> Reply:
            if int.from_bytes(frame[:2]) == api_key:
                frames.append(frame)
            return answer(broker, listener, frame)

        with patch.object(self.server, "answer", watching):
            yield frames


@contextmanager
def troubled(
    server: Server, *, lost: Sequence[str] = (), missed: Sequence[str] = (), refused: Sequence[str] = ()
) -> Iterator[None]:
    """DeleteGroups of these groups is carried out and not answered, or comes to no broker, or is not allowed."""
    every = [AclSection(operation="ALL", resource_type=kind, resource_name="*") for kind in ("GROUP", "TOPIC")]
    delete = AclSection(operation="DELETE", permission="DENY", resource_type="GROUP", resource_name="")
    denied = [delete.model_copy(update={"resource_name": name}) for name in refused]
    narrow = Access(SecuritySection(super_users=(), acls=(*every, *denied)))
    answer = server.answer

    def answering(broker: int, listener: str, frame: bytes) -> Reply:
        if int.from_bytes(frame[:2]) != DELETE_GROUPS.api_key:
            return answer(broker, listener, frame)
        if any(name.encode() in frame for name in missed):
            return HANG_UP
        reply = answer(broker, listener, frame)
        return HANG_UP if any(name.encode() in frame for name in lost) else reply

    with patch.object(server.world, "access", narrow), patch.object(server, "answer", answering):
        yield
