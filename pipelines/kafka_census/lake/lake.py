"""The addresses of tables: folders under one root, or names in a catalog.

On a path: `<root>/landing/pages`, `<root>/published/<table>`, `<root>/audit/<table>`, each a Delta
table. In a catalog: `<catalog>.<schema>.<layer>_<table>`.
"""

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kafka_census.errors import ConfigError
from kafka_census.spark.started_by import on_databricks

if TYPE_CHECKING:
    # Tables are declared in Spark's types, and readers without Spark need addresses, too.
    from kafka_census.declarations.table import Table

_MOUNTS = {"Volumes", "Workspace", "dbfs"}
"""Folders at the top of a driver of Databricks that are no disk of the driver."""

_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:/")


_CREDENTIALS = re.compile(
    r"(?:s3[an]?:/*[^/@:]+:|[A-Za-z][A-Za-z0-9+.-]*://[^/@:\[]*:(?![0-9]{1,5}(?:/|$)))[^@]*@"
    r"|[A-Za-z][A-Za-z0-9+.-]*://[^?]*\?.*(?:sig|signature|secret|password|token|key)=",
    re.IGNORECASE,
)
"""`KEY:SECRET@` in a URI, or a secret in its query, such as the `sig` of a shared access signature.

A container (abfss://container@account) has no colon, and a port is digits before a slash.
"""

HOLDS_CREDENTIALS = (
    "must not hold credentials, which would be shown wherever the address is: "
    "give them to Spark (spark.hadoop.fs.s3a.access.key and secret.key, or a role) or to deltalake (AWS_ACCESS_KEY_ID)"
)
"""Hadoop's S3A takes none in a URI either, since 3.2 (HADOOP-14833)."""


def holds_credentials(address: str) -> bool:
    """Whether a URI names a user and a secret; the address must not be shown then."""
    return _CREDENTIALS.match(address) is not None


def is_uri(root: str) -> bool:
    """Whether a root is a URI with a scheme, as `s3a://bucket/lake`, `dbfs:/lake` and `file:/lake` are."""
    return _URI.match(root) is not None


def absolute(root: str) -> str:
    """A local root as an absolute path, because Spark's working directory may differ; a URI unchanged."""
    return root if is_uri(root) else os.path.realpath(root)


def identifier(name: str) -> str:
    """A name quoted as a SQL identifier, whatever its characters."""
    escaped = name.replace("`", "``")
    return f"`{escaped}`"


@dataclass(frozen=True)
class Lake:
    """The lake's address: `root` (a path or URI), or `catalog` (`name.schema`)."""

    root: str | None = None
    catalog: str | None = None

    def __post_init__(self) -> None:
        """Raise an error unless exactly one of `root` and `catalog` is given; ConfigError for a root with a secret."""
        if holds_credentials(self.root or ""):
            raise ConfigError(f"the address of the lake {HOLDS_CREDENTIALS}")
        if bool(self.root) == bool(self.catalog):
            raise ValueError("a lake is either a root path or a catalog.schema, not both")

    def name(self, layer: str, table: str) -> str:
        """The identifier in SQL of a table, by layer and name, which need not be declared in this release."""
        if self.root:
            return f"delta.{identifier(self.path(layer, table))}"
        return self.in_catalog(f"{layer}_{table}")

    def name_of(self, table: "Table") -> str:
        """The identifier in SQL of a declared table."""
        return self.name(table.layer, table.name)

    @property
    def schema(self) -> str:
        """The identifier in SQL of the catalog's schema."""
        return ".".join(identifier(part) for part in str(self.catalog).split("."))

    def in_catalog(self, name: str) -> str:
        """The identifier in SQL of a table, view or function of the catalog's schema."""
        return f"{self.schema}.{identifier(name)}"

    def path(self, layer: str, table: str) -> str:
        """The folder of a table. Raises ValueError where the lake is a catalog."""
        if not self.root:
            raise ValueError("a catalog lake has no paths")
        return f"{self.root.rstrip('/')}/{layer}/{table}"

    @property
    def folder(self) -> Path | None:
        """The lake's folder where it is on a local disk, else None: on Databricks a path is on DBFS or a volume."""
        if self.root is None:
            return None
        if self.root.startswith("file:"):
            path = Path("/" + self.root.removeprefix("file:").lstrip("/"))
            return None if on_databricks() and not _MOUNTS.isdisjoint(path.parts[1:2]) else path
        return None if is_uri(self.root) or on_databricks() else Path(self.root)

    @property
    def has_locks(self) -> bool:
        """Whether locks keep other runs and writers away: on a local disk."""
        return self.folder is not None
