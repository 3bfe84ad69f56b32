"""The walks that prove that a listing hid nothing.

A broker leaves out of its listings what the principal may not DESCRIBE, without an error.
So a listing needs a probe: another answer that shows whether something is missing.
A census that takes a listing also takes its probe, whatever tables were requested.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class VisibilityProbe:
    """The walks `by`, each (rpc, scope), show whether `listing` (rpc, scope) named all of `what`."""

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
"""Every listing that may be incomplete without an error."""
