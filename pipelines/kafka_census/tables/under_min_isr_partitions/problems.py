"""Partitions that nobody leads, that refuse writes, or that one more loss would bring there."""

from kafka_census.declarations.problem import Impact, Problem, Problems, Remedy

_TABLE = "under_min_isr_partitions"
_NO_STATUS = "coalesce(status, 'UNKNOWN') = 'UNKNOWN'"
_NAME = "concat(topic, '-', partition)"
_LOST = "array_contains(replicas, {broker}) AND NOT array_contains(isr, {broker})"
_STUCK_FIRST = "-coalesce(groups_unable_to_commit, transactional_ids_unable_to_commit, 0)"

UNDER_MIN_ISR_PARTITIONS_PROBLEMS = Problems(
    "partition",
    "partitions",
    (
        Problem(
            word="offline",
            severity="critical",
            table=_TABLE,
            meaning="partitions without a leader",
            where="status = 'OFFLINE'",
            unknown=_NO_STATUS,
            name=_NAME,
            shown="topic, partition, replicas, isr, reason",
            one="partition is offline",
            many="partitions are offline",
            effect="no client can write or read there",
            remedy=Remedy(
                "Start a broker of the ISR, or of the eligible leader replicas.",
                "kafka-topics.sh --bootstrap-server HOST:PORT --describe --unavailable-partitions",
                more="The command prints both lists. Where none of these brokers comes back, "
                "`kafka-leader-election.sh --bootstrap-server HOST:PORT --election-type UNCLEAN --topic TOPIC "
                "--partition PARTITION` makes another replica the leader, and loses the records that it lacks.",
            ),
            order=(_STUCK_FIRST, "topic", "partition"),
            lost=_LOST,
        ),
        Problem(
            word="under_min_isr",
            severity="critical",
            table=_TABLE,
            meaning="partitions with a leader and fewer in-sync replicas than min.insync.replicas asks for",
            where="status = 'UNDER'",
            unknown=_NO_STATUS,
            name=_NAME,
            shown="topic, partition, replicas, isr, min_isr_effective",
            one="partition refuses acks=all writes",
            many="partitions refuse acks=all writes",
            effect="they have fewer in-sync replicas than min.insync.replicas asks for",
            remedy=Remedy(
                "Start the brokers that the ISR lacks, or find out what slows them.",
                "kafka-topics.sh --bootstrap-server HOST:PORT --describe --under-min-isr-partitions",
                more="A lower `min.insync.replicas` accepts writes that the loss of fewer brokers destroys.",
            ),
            order=(_STUCK_FIRST, "topic", "partition"),
            lost=_LOST,
        ),
        Problem(
            word="unable_to_commit",
            severity="critical",
            table=_TABLE,
            meaning="partitions of internal topics whose groups or transactional ids cannot commit",
            where="groups_unable_to_commit > 0 OR transactional_ids_unable_to_commit > 0",
            unknown="groups_unable_to_commit_reason IS NOT NULL "
            "OR transactional_ids_unable_to_commit_reason IS NOT NULL OR status IS NULL",
            name=_NAME,
            shown="topic, partition, status, groups_unable_to_commit, transactional_ids_unable_to_commit",
            one="partition of an internal topic takes no commits",
            many="partitions of internal topics take no commits",
            effect="groups read records again after a restart, and transactions wait",
            remedy=Remedy(
                "Repair the partition, as any that is offline or under min ISR.",
                "kafka-topics.sh --bootstrap-server HOST:PORT --describe --topic TOPIC",
                more="See [offline](#offline) and [under_min_isr](#under_min_isr). Groups that restart meanwhile read "
                "again from their last commit.",
                fills=("topic",),
            ),
            order=(_STUCK_FIRST, "topic", "partition"),
            lost=_LOST,
            impact=(
                Impact("groups_unable_to_commit", "group cannot commit", "groups cannot commit"),
                Impact(
                    "transactional_ids_unable_to_commit",
                    "transactional id cannot commit",
                    "transactional ids cannot commit",
                ),
            ),
        ),
        Problem(
            word="under_replicated",
            severity="warning",
            table=_TABLE,
            meaning="partitions that lack in-sync replicas and still take acks=all writes",
            where="status IN ('AT', 'UNDER_REPLICATED')",
            unknown=_NO_STATUS,
            name=_NAME,
            shown="topic, partition, status, replicas, isr, min_isr_effective",
            one="partition is under-replicated",
            many="partitions are under-replicated",
            effect="where one is AT its minimum, one more lost replica stops writes",
            remedy=Remedy(
                "Start the brokers that the ISR lacks, or relieve slow and full ones.",
                "kafka-topics.sh --bootstrap-server HOST:PORT --describe --under-replicated-partitions",
                more="A partition that is `AT` its minimum refuses acks=all writes after one more loss.",
            ),
            order=("status", "topic", "partition"),
            impact=(Impact("CASE WHEN status = 'AT' THEN 1 END", "is at its minimum", "are at their minimum"),),
            lost=_LOST,
        ),
    ),
)
