"""The view `freshness`: the census that readers see of each cluster, its age, and what became of a newer census.

One SQL text for Spark and for DuckDB. What a newer census is, `kafka_census.reading.newer` says, too, for readers that
have the events at hand; a census belongs to a cluster by the cluster's id or by its name. The view has a row for each
cluster of the lake, also for one of which nothing is published.
"""

from collections.abc import Sequence
from dataclasses import dataclass

GONE = {
    "retired": "was retired by kafka-census maintain",
    "cleared": "has no landed pages any more, as `retention` says",
}
"""Events of maintenance after which no step can be run on a census, as a phrase to follow its name."""

AFTERWARDS = tuple(GONE)
"""They say nothing of how a census ended."""

SHOWN_BY_REPORT = "refused"
"""The last event of a census that `kafka-census report --unpublished` shows."""

NAME = "freshness"
COMMENT = "One row per cluster: the published census, its age, and what became of a newer one."

COLUMNS = {
    "cluster_id": "Kafka's own id of the cluster.",
    "cluster": "Name of the cluster in the configuration of that census.",
    "census_id": "The census that `current_<table>` shows; null where none is published.",
    "began_at": "When that census began.",
    "published_at": "When it was published.",
    "age_seconds": "Seconds since then; null where none is published.",
    "newer_census_id": "The newest census, where it is newer than that and not published; null where none is.",
    "newer_state": "refused, failed, running (it has not ended, or was killed), or not known (census_runs is missing).",
    "newer_event": "The last event of that census in census_runs, such as refused or landed.",
    "newer_at": "When that event was.",
    "newer_reason": "Why the census was refused or failed.",
    "newer_see": "The command or the SQL that shows more of it.",
}
"""The comment of each column."""


@dataclass(frozen=True)
class Dialect:
    """What differs between engines.

    now      the time as of which the view is read, as an expression; `is_past`: what came later is not shown
    instant  the type of a time with a zone
    seconds  the seconds since 1970 of a time `{}`, as an expression
    """

    now: str
    instant: str
    seconds: str
    is_past: bool = False

    def until(self, column: str) -> str:
        """The condition that a time is shown. A clock that is ahead hides nothing: `current_<table>` shows it, too."""
        return f"{column} <= {self.now}" if self.is_past else "1 = 1"


SPARK = Dialect("current_timestamp()", "TIMESTAMP", "unix_micros({}) / 1000000")


def query(publications: str, runs: str | None, dialect: Dialect) -> str:
    """The SQL of the view, over two audit tables; `runs` is None where there is no `census_runs`."""
    now, instant = dialect.now, dialect.instant
    unknown = "CAST(NULL AS STRING)" if runs else "'not known'"
    age = f"{dialect.seconds.format(now)} - {dialect.seconds.format('c.published_at')}"
    return f"""WITH shown AS (
  SELECT cluster_id, max(census_id) AS census_id, max_by(cluster, census_id) AS cluster,
    max_by(published_at, census_id) AS published_at
  FROM {publications} WHERE {dialect.until("published_at")} GROUP BY cluster_id
), events AS (
  {_events(runs, dialect) if runs else _no_events(instant)}
), clusters AS (
  SELECT cluster_id, cluster, census_id, published_at FROM shown
  UNION ALL
  SELECT cluster_id, max_by(cluster, census_id), CAST(NULL AS STRING), CAST(NULL AS {instant}) FROM events
  WHERE cluster_id NOT IN (SELECT cluster_id FROM shown) GROUP BY cluster_id
), later AS (
  SELECT c.cluster_id, e.census_id, e.event, e.event_at, e.detail, e.published,
    row_number() OVER (PARTITION BY c.cluster_id ORDER BY e.census_id DESC) AS nth
  FROM clusters AS c JOIN events AS e
    ON (e.cluster_id = c.cluster_id OR e.cluster = c.cluster) AND e.census_id > coalesce(c.census_id, '')
  WHERE e.nth = 1
)
SELECT c.cluster_id, c.cluster, c.census_id, {_began("c.census_id", instant)} AS began_at, c.published_at,
  CASE WHEN c.published_at IS NOT NULL THEN CAST(floor(greatest({age}, 0)) AS BIGINT) END AS age_seconds,
  n.census_id AS newer_census_id,
  CASE WHEN n.event IN ('refused', 'failed') THEN n.event WHEN n.event IS NOT NULL THEN 'running' ELSE {unknown} END
    AS newer_state,
  n.event AS newer_event, n.event_at AS newer_at,
  CASE WHEN n.event IN ('refused', 'failed') THEN n.detail END AS newer_reason,
  CASE WHEN n.event = '{SHOWN_BY_REPORT}' THEN concat('kafka-census report --cluster ', c.cluster, ' --unpublished')
    WHEN n.event IS NOT NULL THEN
      concat('SELECT * FROM census_runs WHERE census_id = ', chr(39), n.census_id, chr(39))
  END AS newer_see
FROM clusters AS c LEFT JOIN later AS n ON n.cluster_id = c.cluster_id AND n.nth = 1 AND n.published = 0
WHERE c.census_id IS NOT NULL OR n.census_id IS NOT NULL"""


def _events(runs: str, dialect: Dialect) -> str:
    """The steps of each census: the last is the `nth` = 1; `published` is 1 for all of a published census."""
    return f"""SELECT e.census_id, e.cluster_id, e.cluster, e.event, e.at AS event_at, e.detail,
    row_number() OVER (PARTITION BY e.census_id ORDER BY e.at DESC) AS nth,
    max(CASE WHEN e.event = 'published' THEN 1 ELSE 0 END) OVER (PARTITION BY e.census_id) AS published
  FROM {runs} AS e WHERE {dialect.until("e.at")} AND e.event NOT IN ({_texts(AFTERWARDS)})"""


def _no_events(instant: str) -> str:
    names = ("census_id", "cluster_id", "cluster", "event", "detail")
    columns = ", ".join(f"CAST(NULL AS STRING) AS {name}" for name in names)
    return f"SELECT {columns}, CAST(NULL AS {instant}) AS event_at, 1 AS nth, 0 AS published WHERE 1 = 0"


def _began(census_id: str, instant: str) -> str:
    """The time in a census id, such as 20261121T184500123Z-9f3a1c."""
    parts = [(1, 4, "-"), (5, 2, "-"), (7, 2, " "), (10, 2, ":"), (12, 2, ":"), (14, 2, "."), (16, 3, "+00:00")]
    text = ", ".join(f"substr({census_id}, {at}, {length}), '{then}'" for at, length, then in parts)
    return f"TRY_CAST(concat({text}) AS {instant})"


def _texts(words: Sequence[str]) -> str:
    return ", ".join(f"'{word}'" for word in words)
