"""The desired state: a YAML file that a cluster's section names, with which `config_drift` compares configs.

    brokers:
      "*": {log.retention.hours: 72}
      "1": {num.io.threads: 16}
    topics:
      orders: {min.insync.replicas: 2, cleanup.policy: "compact,delete"}
      logs-*: {retention.ms: 86400000}

The most specific entry gives the value of a config: a name, then the longest prefix, then the star. The file is
checked like the configuration: each mistake is one line with its location. Names of configs are not checked, because
they differ between releases of Kafka: a name that a broker does not know is a row of the table, with that reason.
"""

import re
from collections.abc import Iterator
from typing import Annotated

from pydantic import BeforeValidator, Field, ValidationError, field_validator

from kafka_census.config.mistakes import mistakes_in, refused
from kafka_census.config.section import Section
from kafka_census.declarations.desired import Desired
from kafka_census.files.yaml_file import read_source

_BROKERS = re.compile(r"\*|[0-9]{1,10}")
_TOPICS = re.compile(r"[^*]+\*?|\*")


def _value(value: object) -> object:
    """The value in Kafka's notation: true and false in lower case, numbers in digits."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return str(value)
    if not isinstance(value, str):
        raise ValueError("must be text, a number, true or false; a list is text with commas")  # noqa: TRY004 - pydantic collects ValueErrors
    return value


Configs = Annotated[dict[str, Annotated[str, BeforeValidator(_value)]], Field(min_length=1)]


class DesiredFile(Section):
    """The whole file: configs by broker and by topic."""

    brokers: dict[str, Configs] = Field(default_factory=dict)
    topics: dict[str, Configs] = Field(default_factory=dict)

    @field_validator("brokers")
    @classmethod
    def _are_brokers(cls, brokers: dict[str, Configs]) -> dict[str, Configs]:
        for name in brokers:
            if not _BROKERS.fullmatch(name):
                raise ValueError(f"'{name}' is no broker: give an id in quotes, or \"*\" for all")
        return brokers

    @field_validator("topics")
    @classmethod
    def _are_topics(cls, topics: dict[str, Configs]) -> dict[str, Configs]:
        for name in topics:
            if not _TOPICS.fullmatch(name):
                raise ValueError(f"'{name}' is no topic: give a name, a prefix that ends in *, or \"*\" for all")
        return topics

    def values(self) -> Iterator[Desired]:
        """Every value, in the order of the file."""
        for resource_type, section in (("broker", self.brokers), ("topic", self.topics)):
            for resources, configs in section.items():
                for name, value in configs.items():
                    yield Desired(resource_type, resources, name, value)


def read_desired(path: str) -> tuple[Desired, ...]:
    """The values of a file that exists. Raises ConfigError."""
    source = read_source(path)
    try:
        desired = DesiredFile.model_validate(source.data)
    except ValidationError as error:
        mistakes = mistakes_in(error, source, {(): list(DesiredFile.model_fields)})
        raise refused(source, [*source.mistakes, *mistakes]) from None
    if source.mistakes:
        raise refused(source, source.mistakes)
    return tuple(desired.values())
