"""Owners: the section `owners`, the file that `owners_file` names, or the table of the lake that `owners_table` names.

A YAML file has the same list under `owners:`; a CSV file has a line per pattern, with the header

    owner,kind,pattern,contact,cost_centre

of which contact and cost_centre may be missing; a table has the same columns, and `position`, the order of its rows
(`cli.owners_table`). Kinds are those of `declarations.owners.OWNED`. An owner may have
several entries: what is said of it first counts.
"""

import csv
import io
from collections.abc import Iterable, Mapping
from typing import Self

from pydantic import Field, ValidationError, model_validator

from kafka_census.config.mistakes import mistakes_in, refused
from kafka_census.config.section import Section
from kafka_census.config.values import Patterns, Text
from kafka_census.declarations.owners import OWNED, Owner
from kafka_census.errors import ConfigError
from kafka_census.files.yaml_file import file_text, read_source

REQUIRED, FREE = {"owner", "kind", "pattern"}, {"contact", "cost_centre"}
"""Columns of a file or table with a row per pattern."""

_HEADER = "owner,kind,pattern,contact,cost_centre"
_STAR = "a * stands only at the end of a pattern"


class OwnerSection(Section):
    """One of `owners`; a pattern is a name, a prefix that ends in *, or * for all."""

    owner: Text
    contact: Text | None = None
    cost_centre: Text | None = None
    topics: Patterns = ()
    groups: Patterns = ()
    transactional_ids: Patterns = ()
    principals: Patterns = ()
    client_ids: Patterns = ()

    @model_validator(mode="after")
    def _are_patterns(self) -> Self:
        for kind, pattern in self._patterns():
            if "*" in pattern[:-1]:
                raise ValueError(f"'{pattern}' in {kind}: {_STAR}")
        return self

    def _patterns(self) -> tuple[tuple[str, str], ...]:
        return tuple((kind, pattern) for kind in OWNED for pattern in getattr(self, kind))

    def entry(self) -> Owner:
        """The section as transforms take it."""
        return Owner(self.owner, self.contact, self.cost_centre, self._patterns())


class OwnersFile(Section):
    """The whole YAML file."""

    owners: tuple[OwnerSection, ...] = Field(default=())


def read_owners(path: str) -> tuple[Owner, ...]:
    """The entries of a file that exists: CSV by its ending, else YAML. Raises ConfigError with the line."""
    if path.lower().endswith(".csv"):
        return _of_csv(path)
    source = read_source(path)
    try:
        file = OwnersFile.model_validate(source.data)
    except ValidationError as error:
        mistakes = mistakes_in(error, source, {(): list(OwnersFile.model_fields)})
        raise refused(source, [*source.mistakes, *mistakes]) from None
    if source.mistakes:
        raise refused(source, source.mistakes)
    return tuple(section.entry() for section in file.owners)


def of_rows(rows: Iterable[tuple[str, Mapping[str, str | None]]]) -> tuple[Owner, ...]:
    """The entries of rows of one pattern each, with where each row is. Raises ConfigError, which begins with that."""
    found = []
    for where, row in rows:
        owner, kind, pattern = (row[name] or "" for name in ("owner", "kind", "pattern"))
        if not owner or not pattern:
            raise ConfigError(f"{where}: owner and pattern must not be empty")
        if kind not in OWNED:
            raise ConfigError(f"{where}: kind must be one of {', '.join(OWNED)}")
        if "*" in pattern[:-1]:
            raise ConfigError(f"{where}: {_STAR}")
        found.append(Owner(owner, row.get("contact") or None, row.get("cost_centre") or None, ((kind, pattern),)))
    return tuple(found)


def _of_csv(path: str) -> tuple[Owner, ...]:
    lines = csv.DictReader(io.StringIO(file_text(path)))
    header = set(lines.fieldnames or ())
    if not REQUIRED <= header <= REQUIRED | FREE:
        raise ConfigError(f"{path}:1: the header must be {_HEADER}, the last two optional")

    def rows() -> Iterable[tuple[str, Mapping[str, str | None]]]:
        for row in lines:
            where = f"{path}:{lines.line_num}"
            if None in row or None in row.values():
                raise ConfigError(f"{where}: needs {len(header)} values")
            yield where, row

    return of_rows(rows())
