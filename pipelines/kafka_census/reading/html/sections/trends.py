"""The development of a cluster over its last 30 censuses, one point per census.

A census that could not read everything has no point, because a smaller number would look like progress. Its number is
in the rows below the chart, as a lower bound.
"""

from kafka_census.reading.html.cells import BYTES, NUMBER, TIME, Form
from kafka_census.reading.html.figure import Chart, Column, Figure, Section
from kafka_census.tables.problems import PROBLEM

_CENSUSES = 30


def _trend(
    title: str, answers: str, of: str, table: str, value: str, unknown: str = "false", form: Form = NUMBER
) -> Figure:
    """A figure of one number per census.

    value    an SQL aggregate over the rows of one census; for a census without rows the number is 0
    unknown  SQL condition on rows that the number may miss
    """
    return Figure(
        title,
        answers,
        f"""\
WITH censuses AS (
  SELECT census_id, published_at, is_complete
  FROM publications
  WHERE table_name = '{table}' AND cluster_id = $cluster_id AND cluster IN ($names) AND census_id <= $census_id
  ORDER BY census_id DESC
  LIMIT {_CENSUSES}
), found AS (
  SELECT census_id, {value} AS number, count(*) FILTER ({unknown}) > 0 AS misses, true AS has_rows
  FROM history_{table}
  WHERE census_id IN (SELECT census_id FROM censuses)
  GROUP BY census_id
)
SELECT published_at, CASE WHEN is_complete THEN number END, number, is_complete
FROM (SELECT published_at, is_complete AND NOT coalesce(misses, false) AS is_complete,
             CASE WHEN has_rows THEN number ELSE 0 END AS number, census_id
      FROM censuses LEFT JOIN found USING (census_id))
ORDER BY census_id""",
        (Column("published", TIME), Column(of, form), Column("found", form), Column("complete")),
        Chart("lines", (of,)),
        most=_CENSUSES,
    )


TRENDS = Section(
    "trends",
    "Trends",
    (
        _trend(
            "Partitions that take no acks=all writes",
            "Does it get better?",
            "partitions",
            "under_min_isr_partitions",
            "count(*) FILTER (NOT ready_for_acks_all)",
            "ready_for_acks_all IS NULL",
        ),
        _trend(
            "Lag of all groups",
            "Do consumers keep up?",
            "offsets",
            "group_lag",
            "sum(lag_total)",
            PROBLEM["lag_unknown"].where,
        ),
        _trend(
            "Bytes left to copy",
            "Do the moves come to an end?",
            "bytes left",
            "reassignment_backlog",
            "sum(bytes_left)",
            "bytes_left IS NULL",
            BYTES,
        ),
        _trend("Number of groups", "Does it grow?", "groups", "group_coordinator_placement", "count(*)"),
    ),
)
