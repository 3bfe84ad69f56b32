"""The members of a group and what each is assigned, by position: 100,000 of them need no storage.

Member i of m has the group's partitions i, i + m, i + 2m, … in their order. Members are sorted by id.
"""

from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from kafka_census.emulator.groups import Group
from kafka_census.emulator.names import Names, Run, names
from kafka_census.emulator.paging import Cursor
from kafka_census.emulator.topics import Topic

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
        """`topics` are those that the group is subscribed to and that are there."""
        self.group = group
        sizes = [topic.partitions for topic in topics]
        starts = accumulate(sizes, initial=0)
        self._topics = [(topic.name, start, size) for topic, start, size in zip(topics, starts, sizes, strict=False)]
        self._ids = Run(f"{group.group_id}-member-", group.members)

    def __len__(self) -> int:
        return self.group.members

    def __getitem__(self, place: int) -> Member:  # type: ignore[override]  # nobody slices members
        count = self.group.members
        place = range(count)[place]
        is_static = (self.group.ordinal + place) % 10 == 0
        assigned = [
            (name, indexes)
            for name, start, size in self._topics
            if (indexes := tuple(range((place - start) % count, size, count)))
        ]
        return Member(
            self._ids.name(place),
            f"instance-{place}" if is_static else None,
            None,
            1 + self.group.ordinal % 7,
            f"client-{place % 100}",
            f"/10.0.{place // 250 % 250}.{place % 250 + 1}",
            self.group.topics,
            tuple(assigned),
        )

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
