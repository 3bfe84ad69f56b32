"""Log dirs whose disk failed, or is nearly full."""

from kafka_census.declarations.problem import Problem, Problems, Remedy

_NAME = "concat(broker_id, ':', log_dir)"
_NOT_READ = "coalesce(state, 'not_read') = 'not_read'"

LOG_DIR_USAGE_PROBLEMS = Problems(
    "log dir",
    "log dirs",
    (
        Problem(
            word="log_dir_offline",
            severity="critical",
            table="log_dir_usage",
            meaning="log dirs whose disk failed",
            where="state = 'offline'",
            unknown=_NOT_READ,
            name=_NAME,
            shown="broker_id, log_dir, replicas, reason",
            one="log dir is offline",
            many="log dirs are offline",
            effect="the replicas in them are gone until they are repaired or moved",
            remedy=Remedy(
                "Replace the disk and restart the broker: it copies its replicas anew.",
                "kafka-log-dirs.sh --bootstrap-server HOST:PORT --describe --broker-list BROKER_ID",
                more="Or move the replicas to other brokers meanwhile. [under_replicated](#under_replicated) counts "
                "what depends on the other replicas until then.",
                fills=("broker_id",),
            ),
        ),
        Problem(
            word="disk_low",
            severity="warning",
            table="log_dir_usage",
            meaning="log dirs with less than a tenth of their volume free",
            where="usable_bytes < total_bytes / 10",
            unknown=f"{_NOT_READ} OR state = 'online' AND (usable_bytes IS NULL OR total_bytes IS NULL)",
            name=_NAME,
            shown="broker_id, log_dir, state, usable_bytes, total_bytes, reason",
            one="log dir has less than a tenth of its volume free",
            many="log dirs have less than a tenth of their volume free",
            effect="a full volume takes the log dir, and on a broker with one log dir the broker, offline",
            remedy=Remedy(
                "Shorten retention of large topics, move replicas, or enlarge the volume.",
                "kafka-configs.sh --bootstrap-server HOST:PORT --alter --topic LARGE_TOPIC --add-config "
                "retention.ms=MILLISECONDS",
                more="`current_topics` shows the largest topics and those that grow. Several log dirs may share a "
                "volume. A full volume takes its log dirs offline.",
            ),
            order=("usable_bytes / total_bytes", "broker_id", "log_dir"),
        ),
    ),
)
