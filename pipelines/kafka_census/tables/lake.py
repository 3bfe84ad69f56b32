"""Where tables live: one root folder, or names in a catalog.

On a path: `<root>/landing/<RPC>`, `<root>/staged/<table>`, `<root>/published/<table>`,
`<root>/books/<table>`, each a Delta table. In a catalog: `<catalog>.<schema>.<place>_<table>`.
"""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Lake:
    """The lake's address: `root` (a path or URI), or `catalog` (`name.schema`)."""

    root: str | None = None
    catalog: str | None = None

    def __post_init__(self) -> None:
        """Refuse an address that is neither or both."""
        if bool(self.root) == bool(self.catalog):
            raise ValueError("a lake is either a root path or a catalog.schema, not both")

    def name(self, place: str, table: str) -> str:
        """The identifier of a table in SQL."""
        if self.root:
            return f"delta.`{self.path(place, table)}`"
        return ".".join(f"`{part}`" for part in [*str(self.catalog).split("."), f"{place}_{table}"])

    def path(self, place: str, table: str) -> str:
        """The folder of a table; only where the lake is a root."""
        if not self.root:
            raise ValueError("a catalog lake has no paths")
        return f"{self.root.rstrip('/')}/{place}/{table}"

    @property
    def folder(self) -> Path | None:
        """The lake's folder where it is a local one, else None."""
        if self.root is None:
            return None
        if self.root.startswith("file:"):
            return Path("/" + self.root.removeprefix("file:").lstrip("/"))
        return None if "://" in self.root else Path(self.root)
