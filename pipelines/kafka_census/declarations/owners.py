"""Whose things are: patterns of names that lead to an owner, from the configuration; input of staging.

The first entry in the order of the configuration that has a pattern of a name is that of the owner. A pattern is a
name, a prefix that ends in *, or * for all.
"""

from dataclasses import dataclass

OWNED = ("topics", "groups", "transactional_ids", "principals", "client_ids")
"""The kinds of things that have owners; a principal is written as in ACLs, such as `User:alice`."""

COLUMN = "owner"
"""The column of tables whose rows are about somebody's things."""


@dataclass(frozen=True)
class Owner:
    """An entry: the name of an owner, free columns about it, and patterns, each with its kind of `OWNED`."""

    name: str
    contact: str | None = None
    cost_centre: str | None = None
    patterns: tuple[tuple[str, str], ...] = ()
