"""How a report is printed: in which width, and with which options and brokers in the commands that it names."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TextIO

from kafka_census.declarations.given import NOTHING, Given
from kafka_census.terminal.columns import WIDTH, width_of

if TYPE_CHECKING:
    from kafka_census.config import Config


@dataclass(frozen=True)
class Presentation:
    """What is not of the census itself.

    given    the options of the job
    servers  the bootstrap servers of clusters, by their present names, as far as they are known
    width    the largest number of cells of a line, but for paths and commands to copy
    """

    given: Given = NOTHING
    servers: Mapping[str, Sequence[str]] = field(default_factory=dict)
    width: int = WIDTH


AS_IT_IS = Presentation()
"""80 columns, and no option."""


def presentation(config: "Config", out: TextIO) -> Presentation:
    """That of a report of this configuration, which is printed to `out`."""
    servers = {name: section.bootstrap_servers for name, section in config.clusters.items()}
    return Presentation(config.given, servers, width_of(out))
