"""The members of a group and what each is assigned, by position: 100,000 of them need no storage.

Member i of m has the group's partitions i, i + m, i + 2m, … in their order. Members are sorted by id.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from kafka_census.emulator.arithmetic import mix
from kafka_census.emulator.groups import Group
from kafka_census.emulator.names import Names, Run, names
from kafka_census.emulator.paging import Cursor

Assignment = tuple[tuple[str, tuple[int, ...]], ...]


@dataclass(frozen=True)
class Member:
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

    def __init__(self, group: Group, partitions: Sequence[tuple[str, int]], seed: int) -> None:
        """`partitions` are those of the group's topics, in order."""
        self.group = group
        self._partitions = partitions
        self._seed = seed

    def __len__(self) -> int:
        return self.group.members

    def __getitem__(self, place: int) -> Member:  # type: ignore[override]  # nobody slices members
        topics: dict[str, list[int]] = {}
        # One that may assign a million partitions to one member: only its own are visited.
        for at in range(place, len(self._partitions), max(1, self.group.members)):
            topic, index = self._partitions[at]
            topics.setdefault(topic, []).append(index)
        static = mix(self._seed, self.group.ordinal, place) % 10 == 0
        return Member(
            self.ids[place],
            f"instance-{place}" if static else None,
            None,
            1 + self.group.ordinal % 7,
            f"client-{place % 100}",
            f"/10.0.{place // 250 % 250}.{place % 250 + 1}",
            self.group.topics,
            tuple((topic, tuple(indexes)) for topic, indexes in topics.items()),
        )

    @cached_property
    def ids(self) -> Names:
        """The member ids, sorted."""
        return names(Run(f"{self.group.group_id}-member-", self.group.members))

    def at(self, cursor: Cursor) -> int:
        """The position of the first member that is not before this id."""
        return self.ids.at(cursor[0])

    def cursor(self, position: int) -> Cursor:
        """The id of the member at a position."""
        return (self.ids[position],)
