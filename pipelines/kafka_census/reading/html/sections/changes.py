"""What changed since the previous census."""

from kafka_census.reading.html.cells import CHIP, NUMBER, PROSE
from kafka_census.reading.html.figure import Column, Figure, Section

CHANGES = Section(
    "changes",
    "Changes",
    (
        Figure(
            "Changes by kind",
            "How many things appeared, went, got worse or got better since the previous census?",
            """\
SELECT change, subject, count(*), count(DISTINCT key)
FROM current_changes
WHERE cluster_id = $cluster_id
GROUP BY change, subject
ORDER BY list_position(['worse', 'gone', 'unread', 'changed', 'appeared', 'better'], change), subject""",
            (Column("change", CHIP), Column("of"), Column("changes", NUMBER, bar=True), Column("things", NUMBER)),
            calm="Nothing changed that both censuses read.",
        ),
        Figure(
            "Changes one by one",
            "Which things changed, and how?",
            """\
SELECT change, subject, key, column_name, before, after, reason
FROM current_changes
WHERE cluster_id = $cluster_id
ORDER BY list_position(['worse', 'gone', 'unread', 'changed', 'appeared', 'better'], change), subject, key,
         column_name""",
            (
                Column("change", CHIP),
                Column("of"),
                Column("named"),
                Column("column"),
                Column("before"),
                Column("after"),
                Column("why", PROSE),
            ),
            calm="Nothing changed that both censuses read.",
        ),
    ),
    optional=True,
)
