"""What proves that ListTransactions hid no transactional id from us: the same for the gate and for transforms.

Each id is listed to who may DESCRIBE it. Who may describe an id that nobody has (the probe of
`rpc/describe_transactions.py`) may describe all but those that an ACL denies by name, and DescribeAcls tells
of such denials. A cluster without an authorizer hides nothing (docs/adr/0003-what-proves-visibility.md).
"""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

_NOT_ALLOWED, _SECURITY_DISABLED = 53, 54
"""TRANSACTIONAL_ID_AUTHORIZATION_FAILED, SECURITY_DISABLED."""


def shown_transactional_ids(probe: DataFrame, acls: DataFrame) -> DataFrame:
    """One row of what was answered, from the items of DescribeTransactions' probe and of DescribeAcls.

    probed         boolean: a broker answered the probe
    refused        boolean: the answer was that we may not describe the id
    no_authorizer  boolean: DescribeAcls said that the cluster has none
    denial         string: an ACL that denies somebody an id, such as "User:m of billing"; null for none
    """
    denied = (
        F.col("resource_type").isin("transactional_id")
        & F.col("operation").isin("describe", "all")
        & F.col("permission").isin("deny")
    )
    answers = probe.agg(
        (F.count("error_code") > 0).alias("probed"),
        (F.count_if(F.col("error_code") == _NOT_ALLOWED) > 0).alias("refused"),
    )
    entries = acls.agg(
        (F.count_if(F.col("error_code") == _SECURITY_DISABLED) > 0).alias("no_authorizer"),
        F.min(F.when(denied, F.concat_ws(" of ", "principal", "resource_name"))).alias("denial"),
    )
    return answers.crossJoin(entries)


def all_are_shown(acls_gap: Column) -> Column:
    """Whether that row proves that all were listed; `acls_gap` is null where DescribeAcls was read."""
    proven = F.col("probed") & ~F.col("refused") & acls_gap.isNull() & F.col("denial").isNull()
    return F.col("no_authorizer") | proven
