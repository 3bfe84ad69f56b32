"""Which walk proves that a listing hid nothing.

A broker drops from its listings what the principal may not describe, without a word.
So a listing needs a witness: another answer that shows whether something is missing.
A census that takes a listing takes its witness too, whatever tables it was asked for.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Witness:
    """The walks `by`, each (rpc, scope), tell whether `listing` (rpc, scope) named all of `what`."""

    what: str
    listing: tuple[str, str]
    by: tuple[tuple[str, str], ...]


WITNESSES = (
    Witness("groups", listing=("ListGroups", "groups"), by=(("DescribeCluster", "cluster"),)),
    Witness("topics", listing=("Metadata", "names"), by=(("DescribeLogDirs", "log_dirs"), ("Metadata", "unlisted"))),
    Witness(
        "transactional ids",
        listing=("ListTransactions", "transactions"),
        by=(("DescribeTransactions", "probe"), ("DescribeAcls", "acls"), ("DescribeConfigs", "brokers")),
    ),
)
"""Every listing that may be silently short."""
