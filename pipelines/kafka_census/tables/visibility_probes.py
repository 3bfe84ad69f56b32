"""Which walk proves that a listing hid nothing.

A broker drops from its listings what the principal may not describe, without a word.
So a listing needs a probe: another answer that shows whether something is missing.
A census that takes a listing takes its probe too, whatever tables it was asked for.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class VisibilityProbe:
    """The walks `by`, each (rpc, scope), tell whether `listing` (rpc, scope) named all of `what`."""

    what: str
    listing: tuple[str, str]
    by: tuple[tuple[str, str], ...]


VISIBILITY_PROBES = (
    VisibilityProbe("groups", listing=("ListGroups", "groups"), by=(("DescribeCluster", "cluster"),)),
    VisibilityProbe(
        "topics", listing=("Metadata", "names"), by=(("DescribeLogDirs", "log_dirs"), ("Metadata", "unlisted"))
    ),
    VisibilityProbe(
        "transactional ids",
        listing=("ListTransactions", "transactions"),
        by=(("DescribeTransactions", "probe"), ("DescribeAcls", "acls"), ("DescribeConfigs", "brokers")),
    ),
)
"""Every listing that may be silently short."""
