"""Building blocks of the model: a section, which refuses unknown keys, and a reference to a secret."""

from collections.abc import Iterator
from typing import Self

from pydantic import BaseModel, ConfigDict, model_validator

from kafka_census.config.values import Text


class Section(BaseModel):
    """A mapping of the file. A section without values (all commented out) has its defaults."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    @model_validator(mode="before")
    @classmethod
    def _empty(cls, value: object) -> object:
        return {} if value is None else value


class SecretSource(Section):
    """A reference to a secret: exactly one of an environment variable and a file."""

    env: Text | None = None
    file: Text | None = None

    @model_validator(mode="before")
    @classmethod
    def _no_literal(cls, value: object) -> object:
        if value is not None and not isinstance(value, dict):
            raise ValueError("a secret is never written here; give {env: NAME} or {file: PATH}")
        return value

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.env is None) == (self.file is None):
            raise ValueError("give exactly one of {env: NAME} and {file: PATH}")
        return self


def secret_sources(section: Section) -> Iterator[SecretSource]:
    """Every reference to a secret in a section and its nested sections."""
    for _, value in section:
        if isinstance(value, SecretSource):
            yield value
        elif isinstance(value, Section):
            yield from secret_sources(value)
