"""The declaration of a table of the lake: a name, a layer, columns with comments, a key.

`Table.schema` is a Spark `StructType` whose fields have comments, so that
the Delta table, the data dictionary and the tests use the same declaration.
"""

from dataclasses import dataclass

from pyspark.sql.types import ArrayType, DataType, StringType, StructField, StructType

from kafka_census.declarations.owners import COLUMN


def column(name: str, data_type: DataType, comment: str, nullable: bool = True) -> StructField:
    """A column with its comment; arrays are never null and never hold nulls."""
    if isinstance(data_type, ArrayType):
        nullable = False
    return StructField(name, data_type, nullable, {"comment": comment})


CLUSTER = column("cluster", StringType(), "Name of the cluster in the configuration.")
"""Staging adds this column to every published table: transforms do not know the configuration."""

OWNER = column(
    COLUMN, StringType(), "Whose it is, by `owners` of the configuration; null where no pattern of them matches."
)
"""Staging adds this column as well, by `Table.owned_by`."""


@dataclass(frozen=True)
class Read:
    """One input of a published table.

    `rpc` and `scope` name a `Walk`; where `required` is false, missing
    pages leave columns null with a reason instead of making the table incomplete.
    """

    rpc: str
    scope: str
    required: bool = True


@dataclass(frozen=True)
class Question:
    """A question that people ask of a table, and the SQL over its views that answers it."""

    text: str
    sql: str


@dataclass(frozen=True)
class Table:
    """A table of the lake.

    layer      the folder under the lake's root (`landing`, `published`, `audit`)
    key        the columns that make a row unique within one census
    reads      the walks that a published table is computed from, including those of `made_of`
    made_of    the published tables whose rows of the same census it is computed from
    if_there   the published tables whose rows it is computed from as well, if the census has them
    owned_by   what the rows are about, for the column `OWNER`: a kind of `declarations.owners.OWNED`, and SQL that
               gives the name; of several, the first that is not null and has an owner counts
    questions  questions that the table answers, for the data dictionary
    partitioned_by  the columns whose values have folders of their own
    may_lack   columns that a written frame may lack: they are null then
    """

    name: str
    layer: str
    comment: str
    schema: StructType
    key: tuple[str, ...]
    reads: tuple[Read, ...] = ()
    made_of: tuple["Table", ...] = ()
    if_there: tuple["Table", ...] = ()
    owned_by: tuple[tuple[str, str], ...] = ()
    questions: tuple[Question, ...] = ()
    partitioned_by: tuple[str, ...] = ()
    may_lack: tuple[str, ...] = ()

    @property
    def folder(self) -> str:
        """The folder of the table below the lake's root, such as `published/brokers`, also its name in messages."""
        return f"{self.layer}/{self.name}"

    @property
    def columns(self) -> list[str]:
        """Column names in table order."""
        return list(self.schema.names)

    @property
    def computed(self) -> StructType:
        """The columns of a published table that its transform computes: all but `CLUSTER` and `OWNER`."""
        added = {CLUSTER.name, OWNER.name} if self.owned_by else {CLUSTER.name}
        return StructType([field for field in self.schema.fields if field.name not in added])
