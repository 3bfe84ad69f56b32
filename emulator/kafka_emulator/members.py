"""The members of a group and their assignments, computed by position: 100,000 members need no storage.

Member i of m has the group's partitions i, i + m, i + 2m, … in their order. Members are sorted by id.
"""

from collections.abc import Sequence
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import NamedTuple, overload

from kafka_emulator.groups import Group
from kafka_emulator.names import Names, Run, names
from kafka_emulator.paging import Cursor
from kafka_emulator.topics import Topic

Assignment = tuple[tuple[str, tuple[int, ...]], ...]


class Member(NamedTuple):
    """One member.

    assignment   (topic, partitions) pairs, in order; empty for a group that is not live
    """

    member_id: str
    instance_id: str | None
    rack_id: str | None
    epoch: int
    client_id: str
    client_host: str
    topics: tuple[str, ...]
    assignment: Assignment


class Members(Sequence[Member]):
    """The members of one group, in the order of their ids: `members[position]`; `at` and `cursor` for paging."""

    def __init__(self, group: Group, topics: Sequence[Topic]) -> None:
        """`topics` are the existing topics that the group is subscribed to."""
        self.group = group
        sizes = [topic.partitions for topic in topics]
        starts = accumulate(sizes, initial=0)
        self._topics = [(topic.name, start, size) for topic, start, size in zip(topics, starts, sizes, strict=False)]
        self._partitions = sum(sizes)
        self._ids = Run(f"{group.group_id}-member-", group.members)

    def __len__(self) -> int:
        return self.group.members

    @overload
    def __getitem__(self, position: int) -> Member: ...
    @overload
    def __getitem__(self, position: slice) -> list[Member]: ...
    def __getitem__(self, position: int | slice) -> Member | list[Member]:
        if isinstance(position, slice):
            return self._members(range(len(self))[position])
        return self._members(range(len(self))[position : position + 1 or None])[0]

    def _members(self, positions: range) -> list[Member]:
        ordinal, topics = self.group.ordinal, self.group.topics
        assignment, partitions, epoch = self._assignment, self._partitions, 1 + ordinal % 7
        return [
            Member(
                name,
                instance_id if (ordinal + position) % 10 == 0 else None,
                None,
                epoch,
                client_id,
                client_host,
                topics,
                assignment(position) if position < partitions else (),
            )
            for position, name, (instance_id, client_id, client_host) in zip(
                positions, self._ids.each(positions), map(_client, positions), strict=True
            )
        ]

    def _assignment(self, position: int) -> Assignment:
        count = self.group.members
        every = ((name, tuple(range((position - start) % count, size, count))) for name, start, size in self._topics)
        return tuple([one for one in every if one[1]])

    @cached_property
    def ids(self) -> Names:
        """The member ids, sorted."""
        return names(self._ids)

    def at(self, cursor: Cursor) -> int:
        """The position of the first member that is not before this id."""
        return self.ids.at(cursor[0])

    def cursor(self, position: int) -> Cursor:
        """The id of the member at a position."""
        return (self._ids.name(position),)


@lru_cache(maxsize=4096)
def _client(position: int) -> tuple[str, str, str]:
    """The values that members of different groups share: instance id, client id and host."""
    return f"instance-{position}", f"client-{position % 100}", f"/10.0.{position // 250 % 250}.{position % 250 + 1}"
