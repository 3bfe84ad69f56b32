"""A scenario: the objects of a cluster, the version that it speaks, and its faults."""

from pydantic import Field

from kafka_emulator.declared import World
from kafka_emulator.fault_actions import EventSection, FaultSection
from kafka_emulator.features import LATEST, AsVersion


class Scenario(World):
    """A world, its versions, and its faults and events.

    about         one sentence for people
    as_version    the version of Kafka that all brokers emulate, except those in `as_versions`
    kip_1062      whether brokers page, except those in `kip_1062_of`
    kip_637       whether Metadata has min.insync.replicas, on all brokers; null: on those that page
    """

    about: str = ""
    as_version: AsVersion = LATEST
    as_versions: dict[int, AsVersion] = Field(default_factory=dict)
    kip_1062: bool = True
    kip_1062_of: dict[int, bool] = Field(default_factory=dict)
    kip_637: bool | None = None
    faults: tuple[FaultSection, ...] = ()
    events: tuple[EventSection, ...] = ()
