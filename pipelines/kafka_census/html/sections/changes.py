"""What changed since the census before."""

from kafka_census.html.figure import Figure, Section

CHANGES = Section(
    "changes",
    "Changes",
    (
        Figure(
            "Since the census before",
            "What appeared, went, got worse or better?",
            """\
SELECT * EXCLUDE (census_id, cluster_id, observed_at)
FROM current_changes
WHERE cluster_id = $cluster_id""",
            calm="Nothing changed that both censuses read.",
        ),
    ),
    optional=True,
)
