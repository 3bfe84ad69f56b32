"""Building blocks of the model: a section, which refuses unknown keys, and a reference to a secret."""

from collections.abc import Iterator
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from kafka_census.config.values import Text

_REFERENCES = "{env: NAME}, {file: PATH}, {file: PATH, property: KEY} or, on Databricks, {secret: SCOPE/KEY}"


class Section(BaseModel):
    """A mapping of the file. A section without values (all commented out) has its defaults."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    @model_validator(mode="before")
    @classmethod
    def _empty(cls, value: object) -> object:
        return {} if value is None else value


class SecretSource(Section):
    """A reference to a secret: exactly one of an environment variable, a file, and a key of a Databricks scope.

    property  a key of a .properties file, with a / and the name of an option for an option of a JAAS login module
    """

    env: Text | None = None
    file: Text | None = None
    property: Text | None = None
    secret: Annotated[str, Field(pattern=r"^[\w.@-]+/[\w.-]+$")] | None = None

    @model_validator(mode="before")
    @classmethod
    def _no_literal(cls, value: object) -> object:
        if value is not None and not isinstance(value, dict):
            raise ValueError(f"a secret is never written here; give {_REFERENCES}")
        return value

    @model_validator(mode="after")
    def _one(self) -> Self:
        if sum(kept is not None for kept in (self.env, self.file, self.secret)) != 1:
            raise ValueError(f"give exactly one of {_REFERENCES}")
        if self.property is not None and self.file is None:
            raise ValueError("property (a key of a .properties file) needs file")
        return self

    def __str__(self) -> str:
        """As the file writes it."""
        return f"{{{', '.join(f'{key}: {given}' for key, given in self.model_dump(exclude_none=True).items())}}}"


def secret_sources(section: Section) -> Iterator[SecretSource]:
    """Every reference to a secret in a section and its nested sections."""
    for _, value in section:
        if isinstance(value, SecretSource):
            yield value
        elif isinstance(value, Section):
            yield from secret_sources(value)
