"""Comparisons with the lowest release that a broker's API ranges prove."""

from pyspark.sql import Column

from kafka_census.declarations.releases import from_release


def is_from(release_at_least: Column, release: str) -> Column:
    """Whether a broker runs that release or a later one; null where the broker proved no release.

    A broker that proves less is older: from 2.8 on every release offers the ranges that prove the earlier ones.
    """
    return release_at_least.isin(*from_release(release))
