"""Answers that the census lacks, and why."""

from kafka_census.reading.html.cells import PROSE
from kafka_census.reading.html.figure import Column, Figure, Section

NOT_READ = Section(
    "not-read",
    "What could not be read",
    (
        Figure(
            "Missing answers",
            "Which answers does the census lack, why, and which tables lack them?",
            """\
SELECT lost.rpc, lost.broker_id, lost.error, lost.reason, list(table_name ORDER BY table_name)
FROM (SELECT table_name, unnest(missing) AS lost FROM publications
      WHERE cluster_id = $cluster_id AND census_id = $census_id)
GROUP BY ALL
ORDER BY lost.rpc, lost.broker_id""",
            (
                Column("RPC"),
                Column("broker", of="broker"),
                Column("error"),
                Column("reason", PROSE),
                Column("tables", PROSE),
            ),
            calm="All requested answers were read.",
        ),
    ),
)
