"""The proof that ListTransactions hid no transactional id from the principal, for the gate and for transforms.

Each id is listed only to principals that may DESCRIBE it. A principal that may describe a nonexistent id (the probe of
`kafka/rpc/describe_transactions.py`) may describe all ids except those that an ACL denies by name, and DescribeAcls
reports such denials. A cluster without an authorizer hides nothing (docs/adr/0003-what-proves-visibility.md).

Where brokers have allow.everyone.if.no.acl.found, everyone may describe an id without an ACL, such as the probe's,
while an id with an ACL is hidden from principals outside that ACL. Then the probe proves nothing about ids with ACLs of
their own, unless an ACL is about all ids (literal `*`), because then every id has an ACL. Brokers report the key, which
is the authorizer's and not defined by Kafka, as sensitive, without its value.
"""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from kafka_census.declarations.visibility_rules import ALLOW_EVERYONE, EVERY_NAME, LITERAL, OF_PREFIX, PREFIXED

_NOT_ALLOWED, _SECURITY_DISABLED = 53, 54
"""TRANSACTIONAL_ID_AUTHORIZATION_FAILED, SECURITY_DISABLED."""


def shown_transactional_ids(probe: DataFrame, acls: DataFrame, configs: DataFrame) -> DataFrame:
    """One row of the answers, from the items of DescribeTransactions' probe, DescribeAcls and brokers' configs.

    Its columns are the fields of `visibility_rules.IdAnswers`; `own_acl` is set also where configs were not read.
    """
    is_id = F.col("resource_type").isin("transactional_id")
    is_all = F.col("pattern_type").isin(LITERAL) & F.col("resource_name").isin(EVERY_NAME)
    of_prefix = F.when(F.col("pattern_type").isin(PREFIXED), OF_PREFIX).otherwise("")
    covered = F.concat(of_prefix, "resource_name")
    denied = is_id & F.col("operation").isin("describe", "all") & F.col("permission").isin("deny")
    answers = probe.agg(
        (F.count("error_code") > 0).alias("probed"),
        (F.count_if(F.col("error_code") == _NOT_ALLOWED) > 0).alias("refused"),
    )
    entries = acls.agg(
        (F.count_if(F.col("error_code") == _SECURITY_DISABLED) > 0).alias("no_authorizer"),
        F.min(F.when(denied, F.concat_ws(" of ", "principal", covered))).alias("denial"),
        F.min(F.when(is_id & ~is_all, covered)).alias("about_some"),
        (F.count_if(is_id & is_all) > 0).alias("about_all"),
    )
    may_be_on = F.col("name").isin(ALLOW_EVERYONE) & (F.coalesce("value", F.lit("")) != "false")
    settings = configs.agg(
        (F.count("name") > 0).alias("configs_read"),
        (F.count_if(may_be_on) > 0).alias("everyone_named"),
    )
    perhaps = ~F.col("configs_read") | F.col("everyone_named")
    return (
        answers.crossJoin(entries)
        .crossJoin(settings)
        .withColumn("own_acl", F.when(perhaps & ~F.col("about_all"), F.col("about_some")))
        .drop("about_some", "about_all", "configs_read", "everyone_named")
    )


def all_are_shown(acls_gap: Column) -> Column:
    """Whether that row proves that all ids were listed; `acls_gap` is null where DescribeAcls was read."""
    no_doubt = F.col("denial").isNull() & F.col("own_acl").isNull()
    proven = F.col("probed") & ~F.col("refused") & acls_gap.isNull() & no_doubt
    return F.col("no_authorizer") | proven
