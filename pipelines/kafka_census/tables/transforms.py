"""The transforms of all tables: pure functions from landed items to published tables.

Each takes one DataFrame per role, by keyword, and returns the table's rows: the columns of `Table.computed`, in order.
A role is the items of a walk (`LandedPages.items_of`) or the rows of a table that the table is made of. Other roles are
`missing` (a sequence of `MissingRead`: the pages that are missing or refused in this census, at most one per broker and
walk) and, where the `Transform` asks for them, `previous` (this table's rows of the last published census, maybe none),
what it `wants` (fields of `OperatorValues`), and those of a comparison.
"""

from kafka_census.declarations.transform import Transform
from kafka_census.tables import part
from kafka_census.tables.all_tables import TABLES

TRANSFORMS: tuple[Transform, ...] = tuple(part(table.name, "transform", "_TRANSFORM") for table in TABLES)
"""Every transform, in the order of `TABLES`."""
