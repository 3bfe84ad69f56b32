"""What follows from the release that a broker proved, at least."""

from pyspark.sql import Column

from kafka_census.tables.releases import from_release


def is_from(release_at_least: Column, release: str) -> Column:
    """Whether a broker is of that release or a later one; null where the broker proved none.

    A broker that proves less is older: from 2.8 on every release offers the ranges that prove the earlier ones.
    """
    return release_at_least.isin(*from_release(release))
