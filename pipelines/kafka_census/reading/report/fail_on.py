"""`--fail-on`: a run ends with an error where the census shows a problem that the option names.

What each word means is `tables.problems.MEANINGS`.
"""

from collections.abc import Iterable, Mapping

from kafka_census.errors import ConfigError, TroubleFound
from kafka_census.tables.problems import PROBLEMS


def require_none(words: Iterable[str], census: str, counts: Mapping[str, int]) -> None:
    """Raise TroubleFound if one of these words has a count above 0; `census` names the census in the message."""
    found = [f"{counts[word]:,} {word}" for word in words if counts[word]]
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
