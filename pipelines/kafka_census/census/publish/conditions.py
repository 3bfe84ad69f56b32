"""The SQL of what the views show: conditions on `census_id`, and the comparison of rows with `publications`.

All conditions but that of `as_of` say `array_contains(<scalar subquery>, census_id)`: Spark computes the list once and
prunes partitions with it, so that a reader of two clusters reads two partitions however long the history is. A join or
`IN (SELECT ...)` would read every file.
"""

from pyspark.sql.types import StructType

from kafka_census.declarations.audit import PUBLICATIONS
from kafka_census.declarations.table import Table
from kafka_census.lake import promised
from kafka_census.lake.cluster_key import KEY
from kafka_census.lake.ddl import quoted
from kafka_census.lake.lake import Lake, identifier

_RAISED = "CASE WHEN line IS NOT NULL THEN raise_error(line) END"
_RAISES = "CASE WHEN line IS NULL THEN false ELSE raise_error(line) IS NULL END"


def current_condition(lake: Lake, table: Table) -> str:
    """SQL that holds for rows of the last published census of each cluster."""
    return (
        "array_contains((SELECT collect_list(census_id) FROM (SELECT max(census_id) AS census_id "
        f"FROM {lake.name_of(PUBLICATIONS)} WHERE table_name = '{table.name}' GROUP BY {KEY})), census_id)"
    )


def history_condition(lake: Lake, table: Table) -> str:
    """SQL that holds for rows of every published census."""
    return (
        f"array_contains((SELECT collect_set(census_id) FROM {lake.name_of(PUBLICATIONS)} "
        f"WHERE table_name = '{table.name}'), census_id)"
    )


def candidate_condition(lake: Lake, table: Table) -> str:
    """SQL that holds for rows of every census that is not published: refused, unfinished, or retired."""
    return f"NOT {history_condition(lake, table)}"


def as_of_condition(lake: Lake, table: Table, time: str) -> str:
    """SQL that holds for rows of the census of each cluster that was its last published census at a time.

    `time` is an expression, and is used outside the subquery, because Spark does not pass a function's argument into
    subqueries. Each census has the time at which it was published, and the time at which a later one was.
    """
    shown = (
        "try_element_at((SELECT map_from_entries(collect_list(struct(census_id, struct(since, until)))) FROM "
        f"(SELECT census_id, published_at AS since, min(published_at) OVER (PARTITION BY {KEY} ORDER BY census_id "
        f"ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS until FROM {lake.name_of(PUBLICATIONS)} "
        f"WHERE table_name = '{table.name}')), census_id)"
    )
    return f"{shown}.since <= {time} AND NOT coalesce({shown}.until <= {time}, false)"


def rows(lake: Lake, table: Table, condition: str, columns: StructType) -> str:
    """The query of the rows that fulfil a condition; it raises where these are not as many as `publications` says.

    The rows of the censuses that it shows are counted in the footers of their files; a reader who asks for one census
    has the others left out. The line is made of an aggregate: Spark would look at a condition on anything else before
    it counts.
    """
    name = lake.name_of(table)
    words = quoted(promised.damaged(_escaped(name), "%1$s", "%2$s", "%3$s"))
    many = f"coalesce({quoted(promised.AS_MANY)} || format_number(promised, 0), {quoted(promised.A_NUMBER)})"
    line = f"printf({words}, census_id, {many}, format_number(held, 0))"
    lost = f"""SELECT census_id, CASE WHEN NOT promised <=> held THEN {line} END AS line FROM (
  SELECT census_id, max(row_count) AS promised, count_if(is_row) AS held FROM (
    SELECT census_id, row_count, false AS is_row FROM {lake.name_of(PUBLICATIONS)}
    WHERE table_name = '{table.name}' AND {condition}
    UNION ALL SELECT census_id, CAST(NULL AS BIGINT), true FROM {name} WHERE {condition})
  GROUP BY census_id)"""
    return f"""SELECT * FROM {name} WHERE {condition}
UNION ALL SELECT {_none(columns, "census_id")} FROM ({lost})
WHERE {_RAISES}"""


def raising(line: str, columns: StructType) -> str:
    """The query of a table that cannot be read: it has the columns, and raises as soon as it is read."""
    return f"SELECT {_none(columns)} FROM VALUES ({quoted(line)}) AS lost(line) WHERE {_RAISES}"


def _none(columns: StructType, *own: str) -> str:
    """Columns without a value. They are no constants: Spark would not read a part that a comparison rules out."""
    return ", ".join(
        identifier(one.name)
        if one.name in own
        else f"CAST({_RAISED} AS {one.dataType.simpleString()}) AS {identifier(one.name)}"
        for one in columns
    )


def _escaped(name: str) -> str:
    """A name in a text for `printf`."""
    return name.replace("%", "%%")
