"""Groups that do not catch up, do not work, or whose lag nobody knows."""

from kafka_census.comparison.subjects import UNREAD_PARTITIONS
from kafka_census.declarations.problem import Problem, Problems, Remedy

GROUP_LAG_PROBLEMS = Problems(
    "group",
    "groups",
    (
        Problem(
            word="streams_not_ready",
            severity="warning",
            table="group_lag",
            meaning="streams groups in the state NotReady",
            where="group_state = 'NotReady'",
            unknown="coalesce(group_type, 'streams') = 'streams' AND group_state IS NULL",
            name="group_id",
            shown="group_id, group_state, members, lag_total",
            one="streams group is not ready",
            many="streams groups are not ready",
            effect="they wait for topics and process nothing",
            remedy=Remedy(
                "Create the topics that it waits for, or correct their partitions.",
                "kafka-streams-groups.sh --bootstrap-server HOST:PORT --describe --group GROUP_ID --state",
                more="The log of its members names them, under MISSING_SOURCE_TOPICS, MISSING_INTERNAL_TOPICS or "
                "INCORRECTLY_PARTITIONED_TOPICS.",
                fills=("group_id",),
            ),
        ),
        Problem(
            word="not_draining",
            severity="warning",
            table="group_lag",
            meaning="groups that read partitions more slowly than they are written",
            where="partitions_not_draining > 0",
            unknown="partitions_not_draining IS NULL OR lag_total > 0 AND partitions_without_rate > 0",
            name="group_id",
            shown="group_id, lag_total, partitions_not_draining, consumption_rate, production_rate",
            one="group has lag that it does not drain",
            many="groups have lag that they do not drain",
            effect="their lag grows, until retention deletes records unread",
            remedy=Remedy(
                "Give the group more members, or members that process records faster.",
                "kafka-consumer-groups.sh --bootstrap-server HOST:PORT --describe --group GROUP_ID --members --verbose",
                more="Share groups have `kafka-share-groups.sh`, streams groups `kafka-streams-groups.sh`. "
                "`current_consumer_lag` names the partitions (`drain_reason = 'not_draining'`). Compare `lag_total` "
                "with earlier censuses in `history_group_lag`.",
                fills=("group_id",),
            ),
            order=("-coalesce(lag_total, 0)", "group_id"),
            trend=True,
            lasting="2d",
        ),
        Problem(
            word="lag_unknown",
            severity="warning",
            table="group_lag",
            meaning="groups with offsets or ends that could not be read",
            where=f"{UNREAD_PARTITIONS} > 0 OR offsets_reason IS NOT NULL",
            unknown=f"{UNREAD_PARTITIONS} IS NULL AND offsets_reason IS NULL",
            name="group_id",
            shown="group_id, partitions_missed, offsets_reason, lag_reason",
            one="group has unknown lag",
            many="groups have unknown lag",
            effect="totals of lag are lower bounds",
            remedy=Remedy(
                "Start the broker that is silent, or grant the right that is missing.",
                "kafka-census doctor",
                more="`offsets_reason`, and `lag_reason` of `current_consumer_lag`, say which answer is missing.",
            ),
            unseen=True,
        ),
    ),
)
