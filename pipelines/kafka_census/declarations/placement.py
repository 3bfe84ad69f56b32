"""The columns that say which broker coordinates an id, for groups and transactional ids alike."""

from pyspark.sql.types import ArrayType, IntegerType, StringType, StructField

from kafka_census.declarations.table import column

AGREEMENTS = (
    "no_coordinator", "listed_twice", "formula_differs", "listed_elsewhere", "listed_nowhere", "unknown", "agree",
)  # fmt: skip
"""How formula, listing and FindCoordinator agree, the worst first; see `tables.shared.placement`."""

_INT, _STRING = IntegerType(), StringType()


def placement_columns(noun: str, id_words: str, topic: str, partition: str) -> tuple[StructField, ...]:
    """The columns from `hash` to `reason`.

    noun       the kind of thing, such as a group
    id_words   the words for its id
    topic      the internal topic whose partition leaders coordinate
    partition  the column of its partition; the name with an s is the number of partitions
    """
    return (
        column("hash", _INT, f"Java's String.hashCode of the {id_words}, over UTF-16 units."),
        column(
            partition,
            _INT,
            f"Partition of {topic} by formula: Utils.abs(hash) % {partition}s; null for Redpanda, which has another.",
        ),
        column(f"{partition}s", _INT, f"Partitions of {topic} now; brokers go on with the number of their start."),
        column("expected_coordinator", _INT, f"Leader of {partition}; null without one, see expected_reason."),
        column("expected_reason", _STRING, "Why expected_coordinator is null; null when it is known."),
        column(
            "listed_by",
            ArrayType(_INT, containsNull=False),
            f"Brokers that listed the {noun}, ascending: normally exactly one.",
        ),
        column("found_coordinator", _INT, "The coordinator that FindCoordinator named; null when it named none."),
        column("found_host", _STRING, "Host of found_coordinator, of the listener that was asked."),
        column("found_port", _INT, "Port of found_coordinator, of the listener that was asked."),
        column(
            "found_error",
            _STRING,
            f"FindCoordinator's error for this {noun}, such as COORDINATOR_NOT_AVAILABLE; else null.",
        ),
        column(
            "agreement",
            _STRING,
            "agree | formula_differs (another broker than the formula's) | listed_elsewhere (not listed by its "
            "coordinator) | listed_nowhere | listed_twice | no_coordinator | unknown (not read).",
        ),
        column("reason", _STRING, "One line on why agreement is not agree; null when it is."),
    )
