"""What a command asks about: the thing that may be lost."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Lost:
    """A kind and a name, as in the table failure_impact: a broker id, a rack, `broker:dir`, the id of a voter."""

    kind: str
    name: str

    def __str__(self) -> str:
        """For messages, such as `broker 3`."""
        return f"{self.kind.replace('_', ' ')} {self.name}"

    def brokers(self, rack_of: "dict[int, str]") -> frozenset[int]:
        """The brokers that go with it, of those that are alive, given the rack of each."""
        if self.kind == "rack":
            return frozenset(node for node, rack in rack_of.items() if rack == self.name)
        node = int(self.name.partition(":")[0])
        return frozenset({node} & rack_of.keys())
