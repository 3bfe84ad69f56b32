"""What sections of a scenario file have in common: unknown keys are forbidden, and an empty one is its defaults."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, model_validator

Count = Annotated[int, Field(ge=0, le=2**31 - 1)]
Positive = Annotated[int, Field(ge=1, le=2**31 - 1)]
Code = Annotated[int, Field(ge=-(2**15), le=2**15 - 1)]
"""An int16."""
Long = Annotated[int, Field(ge=-(2**63), le=2**63 - 1)]
HashPartitions = Annotated[int, Field(ge=1, le=2**16)]
"""The number of partitions to which ids are hashed; the partition of an id is kept in two bytes."""


class Section(BaseModel):
    """A mapping of the file."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    @model_validator(mode="before")
    @classmethod
    def _empty(cls, value: object) -> object:
        return {} if value is None else value
