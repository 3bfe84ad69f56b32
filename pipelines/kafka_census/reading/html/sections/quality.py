"""The verdicts of the gate, and the published tables."""

from kafka_census.reading.html.cells import CHIP, NUMBER, PROSE, TIME
from kafka_census.reading.html.figure import Column, Figure, Section

QUALITY = Section(
    "quality",
    "Data quality",
    (
        Figure(
            "Rules that did not pass",
            "Which rules failed without refusing the census?",
            """\
SELECT table_name, rule, outcome, failed_rows, checked_rows, message
FROM verdicts
WHERE cluster_id = $cluster_id AND census_id = $census_id
QUALIFY row_number() OVER (PARTITION BY table_name, rule ORDER BY judged_at DESC) = 1 AND outcome <> 'pass'
ORDER BY table_name, rule""",
            (
                Column("table"),
                Column("rule"),
                Column("outcome", CHIP),
                Column("failed rows", NUMBER),
                Column("of", NUMBER),
                Column("message", PROSE),
            ),
            calm="Every rule passed.",
        ),
        Figure(
            "Tables of this census",
            "Which tables were published, and is each complete?",
            """\
SELECT table_name, row_count, is_complete, visibility, warnings, observed_from, observed_to
FROM publications
WHERE cluster_id = $cluster_id AND census_id = $census_id
ORDER BY table_name""",
            (
                Column("table"),
                Column("rows", NUMBER, bar=True),
                Column("complete", CHIP),
                Column("visibility", CHIP),
                Column("warnings", NUMBER),
                Column("read from", TIME),
                Column("to", TIME),
            ),
            most=50,
        ),
    ),
)
