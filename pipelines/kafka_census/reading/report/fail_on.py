"""`--fail-on`: a run ends with an error where the census shows a problem that the option names.

What each word means is `tables.problems.MEANINGS`.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from kafka_census.errors import ConfigError, TroubleFound
from kafka_census.reading.newer import age, is_stale
from kafka_census.tables.problems import PROBLEMS, STALE


def require_none(words: Iterable[str], census: str, counts: Mapping[str, int]) -> None:
    """Raise TroubleFound if one of these words has a count above 0; `census` names the census in the message."""
    found = [f"{counts[word]:,} {word}" for word in words if word != STALE and counts[word]]
    if found:
        raise TroubleFound(f"{census} shows what --fail-on names: {', '.join(found)}")


def require_computed(words: Iterable[str], tables: Iterable[str]) -> None:
    """Raise ConfigError for a word whose table is not among these, because that word could never fail."""
    computed = set(tables)
    for problem in PROBLEMS:
        if problem.word in words and problem.table not in computed:
            raise ConfigError(
                f"--fail-on {problem.word} needs the table {problem.table}, which is not surveyed: add it to `tables`"
            )


def require_fresh(
    words: Iterable[str], cluster: str, published_at: datetime | None, now: datetime, max_age: timedelta | None
) -> None:
    """Raise TroubleFound where the words include `stale`, and the last published census is.

    published_at  when it was published; None where nothing is
    max_age       `schedule.max_age`, without which ConfigError is raised
    """
    if STALE not in words:
        return
    if max_age is None:
        raise ConfigError("--fail-on stale needs an age: set schedule.max_age, or schedule.every, in the configuration")
    if published_at is None:
        raise TroubleFound(f"no census of {cluster} is published, which --fail-on stale names")
    if is_stale(published_at, now, max_age):
        raise TroubleFound(f"the published census of {cluster} is stale: published {age(published_at, now, max_age)}")
