"""Changes between two published censuses, of one cluster or of two, by the SQL of `comparison` in DuckDB."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter

import duckdb

from kafka_census.comparison.not_read import not_read
from kafka_census.comparison.query import CHANGES, EXPLODE, Comparison, query
from kafka_census.comparison.subjects import SUBJECTS
from kafka_census.errors import ConfigError, CorruptLake
from kafka_census.pages.missing_read import read_back
from kafka_census.reading.delta_tables import read, require_files
from kafka_census.reading.sql.refusal import explained
from kafka_census.reading.sql.session import SETTINGS, Row
from kafka_census.reading.without_spark import PublishedLake

LATEST, PREVIOUS = "latest", "previous"


@dataclass(frozen=True)
class Published:
    """A published census; `cluster` is the present name of its cluster."""

    cluster: str
    cluster_id: str
    census_id: str


@dataclass(frozen=True)
class Difference:
    """The changes between two censuses.

    columns, rows  those of `tables.changes` without the census and its cluster; the worst first
    not_compared   tables that one of the censuses lacks
    of_cluster     columns that are not compared, such as `topic.topic_id`: the censuses are of two clusters
    """

    before: Published
    after: Published
    columns: Sequence[str]
    rows: Sequence[Row]
    not_compared: Sequence[str]
    of_cluster: Sequence[str]


def published(lake: PublishedLake, present: Mapping[str, str]) -> list[Published]:
    """Every published census, the oldest first. Raises CorruptLake where nothing is published.

    present  the present name of a cluster by each of its former names
    """
    rows = read(lake.publications, ["cluster", "cluster_id", "census_id"]).to_pylist()
    named_now = ({**row, "cluster": present.get(row["cluster"], row["cluster"])} for row in rows)
    return sorted({Published(**row) for row in named_now}, key=attrgetter("census_id"))


def named(censuses: Sequence[Published], cluster: str | None, name: str, until: Published | None = None) -> Published:
    """The census that a name stands for: `latest`, `previous`, or the beginning of an id.

    cluster  the name of the cluster; None where the lake has only one, or where the id decides
    until    `previous` is the census before this one; None: the census before the latest

    Raises ConfigError for no census and for several.
    """
    of_cluster = [one for one in censuses if cluster in (None, one.cluster)]
    if not of_cluster:
        raise ConfigError(f"no census of cluster '{cluster}' is published; there are {_names(censuses)}")
    if name not in (LATEST, PREVIOUS):
        found = [one for one in of_cluster if one.census_id.startswith(name)]
        if len(found) != 1:
            said = "several published censuses begin" if found else "no published census begins"
            raise ConfigError(f"{said} with {name!r}" + (f", such as {found[-1].census_id}" if found else ""))
        return found[0]
    if len({one.cluster for one in of_cluster}) > 1:
        raise ConfigError(f"the lake has several clusters, {_names(of_cluster)}: name one with --cluster for {name}")
    last = until or of_cluster[-1]
    if name == LATEST:
        return of_cluster[-1]
    earlier = [one for one in of_cluster if one.census_id < last.census_id]
    if not earlier:
        raise ConfigError(f"no census of cluster '{last.cluster}' is published before {last.census_id}")
    return earlier[-1]


def difference(lake: PublishedLake, before: Published, after: Published) -> Difference:
    """All changes from one census to another. Raises CorruptLake where a table cannot be read, or lacks columns."""
    lacked = [lake.lacking(one.census_id) for one in (before, after)]
    of_both = [subject for subject in SUBJECTS if all(subject.table in tables for tables in lacked)]
    comparisons = [
        Comparison(
            subject,
            before.census_id,
            *(not_read(subject, [read_back(*one) for one in tables[subject.table]]) for tables in lacked),
        )
        for subject in of_both
    ]
    one_cluster = (before.cluster_id, before.cluster) == (after.cluster_id, after.cluster)
    text = query(comparisons, one_cluster=one_cluster)
    with duckdb.connect(":memory:", config={"python_enable_replacements": False}) as connection:
        connection.execute(SETTINGS)
        connection.execute(EXPLODE)
        names = {}
        for side, one in (("before", before), ("after", after)):
            for subject in of_both:
                name = f"{side}_{subject.table}"
                names[name] = name
                rows = lake.census(subject.table, one.census_id)
                require_files(rows, f"published/{subject.table}, census {one.census_id},")
                connection.register(name, rows)
        order = " ".join(f"WHEN '{change}' THEN {position}" for position, change in enumerate(CHANGES))
        subjects = " ".join(f"WHEN '{subject.name}' THEN {position}" for position, subject in enumerate(SUBJECTS))
        statement = (
            f"SELECT * FROM ({text.format(**names)}) AS changes "
            f"ORDER BY CASE change {order} END, CASE subject {subjects} END, key, column_name"
        )
        try:
            found = connection.execute(statement)
            columns = [column[0] for column in found.description or ()]
            changed = found.fetchall()
        except duckdb.BinderException as error:
            said = str(error).splitlines()[0]
            raise CorruptLake(
                f"the tables were written by an older release; run kafka-census migrate ({said})"
            ) from error
        except duckdb.Error as error:
            raise explained(error, statement, tuple) from error
    not_compared = sorted({subject.table for subject in SUBJECTS if subject not in of_both})
    theirs = [f"{subject.name}.{column.name}" for subject in of_both for column in subject.columns if column.of_cluster]
    return Difference(before, after, columns, changed, not_compared, [] if one_cluster else theirs)


def _names(censuses: Sequence[Published]) -> str:
    return ", ".join(sorted({one.cluster for one in censuses})) or "none"
