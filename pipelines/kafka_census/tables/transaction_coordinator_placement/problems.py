"""Transactions that their coordinator should have ended."""

from kafka_census.declarations.problem import Problem, Problems, Remedy

_OVER = "('Empty', 'CompleteCommit', 'CompleteAbort', 'Dead')"

MAYBE_LATE = f"over_timeout IS NULL AND coalesce(described_state NOT IN {_OVER}, true)"
"""The condition on ids of which it is not known whether they have a late transaction."""

TRANSACTION_COORDINATOR_PLACEMENT_PROBLEMS = Problems(
    "transactional id",
    "transactional ids",
    (
        Problem(
            word="transaction_late",
            severity="warning",
            table="transaction_coordinator_placement",
            meaning="transactions that their coordinator holds for longer than their timeout, also while it commits or "
            "aborts them",
            where="over_timeout",
            unknown=MAYBE_LATE,
            name="transactional_id",
            shown="transactional_id, described_state, duration_ms, transaction_timeout_ms, found_coordinator",
            one="transaction is open for longer than its timeout",
            many="transactions are open for longer than their timeout",
            effect="consumers with isolation.level=read_committed wait before them",
            remedy=Remedy(
                "Repair its partitions without a leader, or restart its coordinator.",
                "kafka-transactions.sh --bootstrap-server HOST:PORT describe --transactional-id TRANSACTIONAL_ID",
                more="A coordinator aborts a transaction within seconds of its timeout, so one that is `Ongoing` for "
                "long means that the coordinator does not work. In `PrepareCommit` and `PrepareAbort` the coordinator "
                "cannot write its markers: then a partition has no leader.",
                fills=("transactional_id",),
            ),
            order=("-coalesce(duration_ms, 0)", "transactional_id"),
        ),
    ),
)
