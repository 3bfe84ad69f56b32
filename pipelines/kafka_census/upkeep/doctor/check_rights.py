"""Checks of the principal's rights: answered RPCs, lacking rights, and whether listings are complete."""

from typing import Any

from kafka_census.declarations import visibility_rules
from kafka_census.declarations.visibility_rules import PROVEN, IdAnswers
from kafka_census.kafka.error_codes import OURS, ErrorCode, error_name
from kafka_census.kafka.paging.rpc import Field
from kafka_census.kafka.rpc.describe_acls import ITEM as ACL
from kafka_census.kafka.rpc.describe_configs import ITEM as CONFIG
from kafka_census.pages.header import WalkName
from kafka_census.terminal.human import counted
from kafka_census.upkeep.doctor.facts import Cluster
from kafka_census.upkeep.doctor.finding import Detail, Finding, State
from kafka_census.upkeep.doctor.probes import PROBES
from kafka_census.upkeep.doctor.rights import DESCRIBE_CLUSTER, NEEDS, RIGHTS, Right, kafka_acls, principal

_NOBODY_ASKED = Finding(State.NOT_CHECKED, "no broker answers")
_PROBE, _ACLS, _CONFIGS = ("DescribeTransactions", "probe"), ("DescribeAcls", "acls"), ("DescribeConfigs", "brokers")


def answers(cluster: Cluster) -> Finding:
    """Whether each RPC of a census has an answer, if only a refusal."""
    if cluster.asked is None:
        return _NOBODY_ASKED
    taken = {one.name for one in cluster.configured.taken}
    failed = tuple(
        Detail(walk[0], f"{error_name(answer.code)}: {answer.message}", f"look at the log of {cluster.asked}")
        for walk, answer in cluster.answers.items()
        if answer.code in OURS and walk in taken
    )
    said = f"{len(cluster.answers) - len(failed)} of {counted(len(cluster.answers), 'probe')} answered"
    if not failed:
        return Finding(State.OK, f"{said} by broker {cluster.asked.node_id}")
    refuses = cluster.configured.unreachable_brokers == "refuse"
    return Finding(State.FAILED if refuses else State.WARNING, said, failed)


def rights(cluster: Cluster) -> Finding:
    """The rights that the principal lacks, the tables that need them, and the command lines that grant them."""
    if cluster.asked is None:
        return _NOBODY_ASKED
    who = principal(cluster.configured.settings)
    lacking = _lacking(cluster)
    if not lacking:
        if _without_authorizer(cluster):
            return Finding(State.OK, "the cluster has no authorizer: everybody may do everything")
        return Finding(State.OK, f"{who} has all rights that a census needs")
    details = tuple(_missed(right, cluster) for right in lacking)
    said = f"{who} lacks {counted(len(lacking), 'right')}"
    return Finding(_unseen(cluster), said, details, tuple(kafka_acls(who, lacking)))


def _lacking(cluster: Cluster) -> list[Right]:
    refused = {
        probe.right for probe in PROBES if probe.walk in cluster.answers and probe.refused(cluster.answers[probe.walk])
    }
    operations = cluster.view.operations if cluster.view else None
    if operations is not None and not operations & visibility_rules.OPERATIONS_THAT_SHOW_ALL:
        refused |= {DESCRIBE_CLUSTER} & {right for one in cluster.configured.taken for right in NEEDS[one.name]}
    return [right for right in RIGHTS if right in refused]


def _missed(right: Right, cluster: Cluster) -> Detail:
    """The RPCs that need a right, and the tables that read them."""
    walks = [one for one in cluster.configured.taken if right in NEEDS[one.name]]
    rpcs = dict.fromkeys(one.name[0] for one in walks)
    tables = dict.fromkeys(table for one in walks for table in one.tables)
    return Detail(str(right), f"needed by {', '.join(rpcs)}", tables=tuple(tables))


def _unseen(cluster: Cluster) -> State:
    """The state of a check when a listing may be incomplete, or an RPC is refused."""
    return State.FAILED if cluster.configured.visibility == "require" else State.WARNING


def _without_authorizer(cluster: Cluster) -> bool:
    return _ACLS in cluster.answers and cluster.answers[_ACLS].code == ErrorCode.SECURITY_DISABLED


def visibility(cluster: Cluster) -> Finding:
    """Whether a census will prove that its listings hid nothing, by the rules of its gate.

    For topics only the right is known: a census compares the listing with the brokers' log dirs.
    """
    if cluster.asked is None:
        return _NOBODY_ASKED
    taken = {one.name for one in cluster.configured.taken}
    verdicts: dict[str, visibility_rules.Verdict] = {}
    if ("ListGroups", "groups") in taken and cluster.view is not None:
        verdicts["groups"] = visibility_rules.groups(cluster.view.operations)
    if ("ListTransactions", "transactions") in taken and _PROBE in cluster.answers:
        verdicts["transactional ids"] = visibility_rules.transactional_ids(
            _id_answers(cluster), acls_read=_is_read(cluster, _ACLS)
        )
    unproven = tuple(Detail(what, why) for what, (state, why) in verdicts.items() if state != PROVEN)
    if unproven:
        return Finding(_unseen(cluster), f"not proven: {', '.join(one.where for one in unproven)}", unproven)
    proven = f"{' and '.join(verdicts)} are proven to be shown; " if verdicts else ""
    return Finding(State.OK, f"{proven}of topics each census proves it")


def _is_read(cluster: Cluster, walk: WalkName) -> bool:
    answer = cluster.answers.get(walk)
    return answer is not None and answer.code in (ErrorCode.NONE, ErrorCode.SECURITY_DISABLED)


def _id_answers(cluster: Cluster) -> IdAnswers:
    probe = cluster.answers[_PROBE]
    codes = () if probe.code in OURS else (probe.code,)
    values = [
        row["value"] for row in _items(cluster, _CONFIGS, CONFIG) if row["name"] == visibility_rules.ALLOW_EVERYONE
    ]
    everyone = not _is_read(cluster, _CONFIGS) or any(value != "false" for value in values)
    return visibility_rules.id_answers(codes, _items(cluster, _ACLS, ACL), everyone=everyone)


def _items(cluster: Cluster, walk: WalkName, item: tuple[Field, ...]) -> list[dict[str, Any]]:
    """The items of a probe's answer, by column; empty without an answer."""
    answer = cluster.answers.get(walk)
    names = [field.name for field in item]
    return [dict(zip(names, row, strict=True)) for row in answer.rows] if answer else []
