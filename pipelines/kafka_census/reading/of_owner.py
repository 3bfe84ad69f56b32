"""`report --owner`: only rows that are about things of one owner, in tables that have owners; others stay whole."""

from kafka_census.errors import ConfigError
from kafka_census.reading.delta_tables import NotThere
from kafka_census.reading.sql.session import Session
from kafka_census.reading.without_spark import PublishedLake

NOTE = "Rows about things of {owner}; what has no owner, such as brokers, is shown whole."


def require_owner(lake: PublishedLake, census_id: str, owner: str) -> None:
    """Raise ConfigError where a census does not know an owner, about whom nothing would be wrong otherwise."""
    try:
        [found] = Session(None, census_id).results("SELECT owner FROM current_usage_by_owner WHERE owner <> ''", lake)
        known = sorted(str(name) for (name,) in found.rows)
    except NotThere:
        raise ConfigError(
            f"--owner needs the table usage_by_owner, which census {census_id} lacks: add it to `tables`"
        ) from None
    if owner not in known:
        names = f"known: {', '.join(known)}" if known else "it knows none: set `owners` in the configuration"
        raise ConfigError(f"census {census_id} knows no owner '{owner}'; {names}")
