"""Brokers, their disks, their settings, and the quorum that leads them."""

from kafka_census.reading.html.cells import BYTES, CHIP, NUMBER, PROSE, RATIO, SECONDS, SHARE
from kafka_census.reading.html.figure import Column, Figure, Section

BROKERS = Section(
    "brokers",
    "Brokers, disks, settings",
    (
        Figure(
            "Leaders and replicas",
            "Which brokers lead many more, or many fewer, partitions than the others?",
            """\
SELECT broker_id, state, leaders, replicas, leader_skew, preferred_elsewhere, offline_replicas, rack, release_at_least
FROM current_brokers
WHERE cluster_id = $cluster_id
ORDER BY state = 'alive', leaders DESC NULLS LAST, broker_id""",
            (
                Column("broker", of="broker"),
                Column("state", CHIP),
                Column("leaders", NUMBER, bar=True),
                Column("replicas", NUMBER, bar=True),
                Column("leaders / mean", RATIO),
                Column("preferred, led elsewhere", NUMBER),
                Column("offline replicas", NUMBER),
                Column("rack"),
                Column("release at least"),
            ),
            home=True,
        ),
        Figure(
            "Log dirs",
            "How full are the disks?",
            """\
SELECT broker_id, log_dir, state, (total_bytes - usable_bytes) / nullif(total_bytes, 0),
       replica_bytes, usable_bytes, total_bytes, replicas, reason
FROM current_log_dir_usage
WHERE cluster_id = $cluster_id
ORDER BY state = 'online', 4 DESC NULLS FIRST, broker_id, log_dir""",
            (
                Column("broker", of="broker"),
                Column("log dir"),
                Column("state", CHIP),
                Column("volume used", SHARE, bar=True),
                Column("replicas take", BYTES),
                Column("free", BYTES),
                Column("volume", BYTES),
                Column("replicas", NUMBER),
                Column("why not known", PROSE),
            ),
        ),
        Figure(
            "Metadata quorum",
            "Does a majority of voters follow?",
            """\
SELECT replica_id, role, is_leader, caught_up, lag_offsets, lag_ms / 1000, reason
FROM current_quorum
WHERE cluster_id = $cluster_id
ORDER BY caught_up NULLS FIRST, role DESC, lag_offsets DESC NULLS FIRST, replica_id""",
            (
                Column("node", of="broker"),
                Column("role"),
                Column("leads"),
                Column("caught up", CHIP),
                Column("behind", NUMBER),
                Column("behind by", SECONDS),
                Column("why", PROSE),
            ),
        ),
        Figure(
            "Settings that drift",
            "Which settings differ between brokers, from the previous census, or from the desired state?",
            """\
SELECT kind, resource_type, resource_name, name, value, expected, reason
FROM current_config_drift
WHERE cluster_id = $cluster_id AND kind <> 'not_default'
ORDER BY kind = 'not_desired' DESC, kind, resource_type, resource_name, name""",
            (
                Column("drift", CHIP),
                Column("of"),
                Column("named"),
                Column("setting"),
                Column("value"),
                Column("expected"),
                Column("what differs", PROSE),
            ),
        ),
    ),
)
