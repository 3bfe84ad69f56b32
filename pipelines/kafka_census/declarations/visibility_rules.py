"""Whether a listing showed everything: the rules of the gate, which `doctor` applies before a census.

The rules are functions of answers as plain values; the gate and `doctor` each read the answers in their own way.
docs/adr/0003-what-proves-visibility.md explains why these answers prove visibility.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from kafka_census.kafka.error_codes import ErrorCode

PROVEN, PARTIAL, UNKNOWN = "proven", "partial", "unknown"

NOT_VISIBLE = "NOT_VISIBLE"
"""The error for things that a listing may have hidden."""

OPERATIONS_THAT_SHOW_ALL = (1 << 8) | (1 << 2)
"""DESCRIBE and ALL (AclOperation) among the authorized operations of DescribeCluster, as its bit field."""

ALLOW_EVERYONE = "allow.everyone.if.no.acl.found"
"""The authorizer's setting (StandardAuthorizer and AclAuthorizer)."""

LITERAL, PREFIXED, EVERY_NAME = "literal", "prefixed", "*"
"""Pattern types of ACLs, and the name that stands for every resource of a type: only where it is literal.

As a prefix it stands for the names that begin with a star (StandardAuthorizerData, AclAuthorizer).
"""

OF_PREFIX = "ids that begin with "
"""What stands before the name of a prefixed ACL in a message."""

Verdict = tuple[str, str]
"""`proven` or `unknown`, and why."""


@dataclass(frozen=True)
class IdAnswers:
    """The answers about transactional ids.

    probed         whether a broker answered the probe, which names an id that does not exist
    refused        whether the answer was an authorization error
    no_authorizer  whether DescribeAcls reported that the cluster has no authorizer
    denial         an ACL that denies an id to a principal, such as "User:m of billing"; None for none
    own_acl        an id with its own ACL, or "ids that begin with" a prefix, where the probe may have been allowed
                   because no ACL applies to the probed id; None for none
    """

    probed: bool
    refused: bool
    no_authorizer: bool
    denial: str | None
    own_acl: str | None


def groups(operations: int | None) -> Verdict:
    """The verdict on ListGroups, by the principal's authorized operations on the cluster; None: not reported."""
    if operations is not None and operations & OPERATIONS_THAT_SHOW_ALL:
        return PROVEN, "the principal may describe the cluster, so all are listed"
    why = "the broker did not report our rights" if operations is None else "the principal may not describe the cluster"
    return UNKNOWN, f"{why}: groups may be hidden; grant it DESCRIBE on the cluster"


def transactional_ids(answers: IdAnswers, *, acls_read: bool) -> Verdict:
    """The verdict on ListTransactions; `acls_read`: whether DescribeAcls was answered."""
    grant = "transactional ids may be hidden; grant the principal DESCRIBE on"
    if answers.no_authorizer:
        return PROVEN, "the cluster has no authorizer, so all are listed"
    others = f"ids with ACLs of their own, such as {answers.own_acl}, may be hidden, though the probe's id is not"
    doubts = (
        (not answers.probed, f"no broker reported whether the principal may describe every one: {grant} all of them"),
        (answers.refused, f"the principal may not describe every one: {grant} all of them"),
        (not acls_read, f"the ACLs, which may deny some of them, could not be read: {grant} the cluster"),
        (answers.denial, f"an ACL denies some, such as {answers.denial}: if that is this principal, they are hidden"),
        (answers.own_acl, f"brokers may have {ALLOW_EVERYONE}, whose value they hide: then {others}"),
    )
    proof = (PROVEN, "the principal may describe any, and no ACL denies one")
    return next(((UNKNOWN, why) for doubted, why in doubts if doubted), proof)


def id_answers(codes: Collection[int], acls: Iterable[Mapping[str, Any]], *, everyone: bool) -> IdAnswers:
    """The answers from items in memory, as `tables.shared.shown_transactional_ids` reads them from landed items.

    codes     error codes of the answers to the probe
    acls      items of DescribeAcls; ACLs of other types of resources do not count
    everyone  whether brokers may have ALLOW_EVERYONE: they have it, hide its value, or did not report it
    """
    entries = list(acls)
    ids = [one for one in entries if one["resource_type"] == "transactional_id"]
    denials = [
        f"{one['principal']} of {_covered(one)}"
        for one in ids
        if one["permission"] == "deny" and one["operation"] in ("describe", "all")
    ]
    about_some = [_covered(one) for one in ids if (one["pattern_type"], one["resource_name"]) != (LITERAL, EVERY_NAME)]
    return IdAnswers(
        probed=bool(codes),
        refused=ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED in codes,
        no_authorizer=any(one["error_code"] == ErrorCode.SECURITY_DISABLED for one in entries),
        denial=min(denials, default=None),
        own_acl=min(about_some, default=None) if everyone and len(about_some) == len(ids) else None,
    )


def _covered(acl: Mapping[str, Any]) -> str:
    """The ids that an ACL is about, in words."""
    return f"{OF_PREFIX if acl['pattern_type'] == PREFIXED else ''}{acl['resource_name']}"
