"""The audit tables of deleted groups: plans, states of groups just before, waves of requests, and outcomes.

Only appended to and never thinned: an undo restores from them. A plan
is complete from the commit that appends its row to `deletion_plans`.
"""

from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    IntegerType,
    LongType,
    StringType,
    StructType,
    TimestampType,
)

from kafka_census.declarations.table import CLUSTER, Table, column

_BOOLEAN, _INT, _LONG, _STRING, _TIME = BooleanType(), IntegerType(), LongType(), StringType(), TimestampType()

_PLAN_ID = column("plan_id", _STRING, "The plan; sorts by time.")
_RUN_ID = column("run_id", _STRING, "The run of apply or undo; sorts by time.")
_CLUSTER_ID = column("cluster_id", _STRING, "Kafka's own id of the cluster.")
_GROUP_ID = column("group_id", _STRING, "The group; the empty string is a valid group id.")
_GROUP_TYPE = column("group_type", _STRING, "classic, consumer, share or streams; null where brokers do not say.")
_OPERATOR = column("operator", _STRING, "Who ran it: user@host of the process.")
_VERSION = column("version", _STRING, "Version of kafka-census that ran.")

_SEEN_OFFSET = StructType(
    [
        column("topic", _STRING, "The topic."),
        column("partition", _INT, "The partition."),
        column("committed_offset", _LONG, "Offset that the group would read next."),
        column("lag", _LONG, "As in consumer_lag; null if not known."),
    ]
)

OFFSET = StructType(
    [
        column("topic", _STRING, "The topic."),
        column("partition", _INT, "The partition."),
        column("committed_offset", _LONG, "Offset that the group would read next."),
        column("leader_epoch", _INT, "Leader epoch of the last record it read; null if not reported."),
        column("metadata", _STRING, "What the group noted with the offset."),
    ]
)
"""One committed offset, with all fields of a commit."""

DELETION_PLANS = Table(
    name="deletion_plans",
    layer="audit",
    comment="Plans to delete groups: one row per plan, its groups in deletion_plan_groups.",
    schema=StructType(
        [
            _PLAN_ID,
            _CLUSTER_ID,
            CLUSTER,
            column("census_id", _STRING, "The last complete census, which the plan is made of."),
            column("first_census_id", _STRING, "The first of the complete censuses that each group was looked at in."),
            column("censuses", _INT, "How many complete censuses that are."),
            column("made_at", _TIME, "When it was made."),
            column("expires_at", _TIME, "When it can no longer be applied: its census is too old then."),
            column("empty_for_seconds", _LONG, "deletion.empty_for at that time, s."),
            column("min_censuses", _INT, "deletion.censuses at that time."),
            column("protect", ArrayType(_STRING), "deletion.protect at that time."),
            column("groups", _LONG, "Rows of the plan."),
            column("to_delete", _LONG, "Those whose action is delete."),
            column("digest", _LONG, "Hash over this row and all rows of the plan: a plan that was edited is refused."),
            _OPERATOR,
            _VERSION,
        ]
    ),
    key=("plan_id",),
)

DELETION_PLAN_GROUPS = Table(
    name="deletion_plan_groups",
    layer="audit",
    comment="The groups of each plan: one row per group that its census called deletable, kept ones too.",
    schema=StructType(
        [
            _PLAN_ID,
            _CLUSTER_ID,
            _GROUP_ID,
            column("action", _STRING, "delete | keep."),
            column(
                "because",
                _STRING,
                "Why it is kept: protected | cannot_be_restored (share groups) | not_long_enough; null to delete.",
            ),
            column("reason", _STRING, "The same in one line; null to delete."),
            column(
                "risk",
                _INT,
                "What a deletion could cost: 0 it has no offsets, 1 their topics are gone, 2 they stood still while "
                "topics went on, 3 likewise of a group that never had members: nobody would see it alive.",
            ),
            _GROUP_TYPE,
            column("group_state", _STRING, "State by the RPC of its type."),
            column("protocol_type", _STRING, "Such as consumer or connect; empty for groups that only commit."),
            column("evidence", ArrayType(_STRING), "As in deletable_groups."),
            column("empty_since", _TIME, "First census of an unbroken run that found it empty, its offsets unmoved."),
            column("censuses_empty", _INT, "In how many of the plan's complete censuses it was empty, these offsets."),
            column("coordinator", _INT, "The broker that coordinates it, by the plan's census."),
            column("offsets_fingerprint", _LONG, "Hash over its offsets, as in deletable_groups."),
            column("committed_partitions", _LONG, "Partitions with a committed offset."),
            column("topics", _LONG, "Topics of those, by consumer_lag; null where that was not published."),
            column("lag", _LONG, "Sum of their lag, offsets; null where one of them is not known."),
            column("offsets", ArrayType(_SEEN_OFFSET), "They themselves, by consumer_lag."),
        ]
    ),
    key=("plan_id", "group_id"),
)

DELETION_CHECKS = Table(
    name="deletion_checks",
    layer="audit",
    comment="What each group was just before its deletion, its offsets above all: written before anything is sent, "
    "and what an undo restores.",
    schema=StructType(
        [
            _PLAN_ID,
            _RUN_ID,
            column("wave", _INT, "The wave of groups within the run."),
            _CLUSTER_ID,
            _GROUP_ID,
            _GROUP_TYPE,
            column("checked_at", _TIME, "When it was looked at."),
            column("coordinator", _INT, "The broker that answered for it; null if none did."),
            column(
                "group_state", _STRING, "State by the RPC of its type; null if there is no such group, or no answer."
            ),
            column("members", _INT, "Its members."),
            column(
                "unsure",
                _BOOLEAN,
                "What an earlier run sent for it had no known outcome, and a look since found it still there.",
            ),
            column("outcome", _STRING, "delete: to be deleted next. Else what is noted in deletions."),
            column("error_code", _INT, "Kafka's code for what was found, such as 68; 0 none."),
            column("reason", _STRING, "Why it is not deleted; null when it is."),
            column("offsets", ArrayType(OFFSET), "Its committed offsets."),
        ]
    ),
    key=("plan_id", "run_id", "group_id"),
)

DELETION_WAVES = Table(
    name="deletion_waves",
    layer="audit",
    comment="Waves of apply whose deletions could be sent: written after deletion_checks, and before anything is sent. "
    "A wave without a row here sent nothing.",
    schema=StructType(
        [
            _PLAN_ID,
            _RUN_ID,
            column("wave", _INT, "The wave of groups within the run."),
            _CLUSTER_ID,
            column("groups", _LONG, "Rows of the wave in deletion_checks."),
            column("digest", _LONG, "Hash over those rows: where they were edited, undo refuses the plan."),
            column("at", _TIME, "When it was written."),
            _OPERATOR,
            _VERSION,
        ]
    ),
    key=("plan_id", "run_id", "wave"),
)

DELETIONS = Table(
    name="deletions",
    layer="audit",
    comment="The audit: what became of each group in each run of apply and undo.",
    schema=StructType(
        [
            _PLAN_ID,
            _RUN_ID,
            _CLUSTER_ID,
            CLUSTER,
            column(
                "step",
                _STRING,
                "apply | undo | look: what apply found, before anything else, of groups whose outcome was unknown.",
            ),
            _GROUP_ID,
            column(
                "outcome",
                _STRING,
                "deleted | gone (there is no such group any more) | kept (it lives, its offsets moved, or it is "
                "protected) | refused (no permission) | failed (another error: it was not deleted, or not restored) | "
                "unknown (a request may have been carried out: its answer was lost or proves nothing) | still_there (a "
                "look found it as the plan says) | restored (every partition) | partly_restored.",
            ),
            column(
                "sent",
                _BOOLEAN,
                "Whether DeleteGroups or OffsetCommit was sent for it; of a look: whether what an earlier run sent "
                "for it may have been carried out.",
            ),
            column("error_code", _INT, "Kafka's code, 0 none; ours are below -99."),
            column("error", _STRING, "Its name, such as NON_EMPTY_GROUP; null for none."),
            column("reason", _STRING, "In one line why it is not deleted, or not restored; else null."),
            column("coordinator", _INT, "The broker that answered; null if none did."),
            column("attempts", _INT, "Requests that it took, those of others in the same request too."),
            column("partitions", _INT, "Of undo: partitions that have their saved offset now; else null."),
            column("at", _TIME, "When the answer was there."),
            _OPERATOR,
            column("kafka_user", _STRING, "SASL user name that brokers saw; null without SASL."),
            _VERSION,
        ]
    ),
    key=("plan_id", "run_id", "step", "group_id"),
)

DELETION_AUDIT_TABLES = (DELETION_PLANS, DELETION_PLAN_GROUPS, DELETION_CHECKS, DELETION_WAVES, DELETIONS)
"""Every audit table of deletions."""
