"""Checks of the connection: name, TCP, TLS, Kafka's protocol, SASL. One bootstrap server that passes all is enough."""

from collections.abc import Callable
from datetime import timedelta

from kafka_census.kafka.protocol.tokens import user
from kafka_census.terminal.human import counted, human_time
from kafka_census.upkeep.doctor.facts import Cluster, Failure, Node, Stage
from kafka_census.upkeep.doctor.finding import Detail, Finding, State, together

_SOON = timedelta(days=14)

_WORDS = {
    Stage.NAME: "found by name",
    Stage.TCP: "reached",
    Stage.TLS: "accepted",
    Stage.KAFKA: "speak Kafka's protocol",
    Stage.SASL: "let us in",
}


def of(stage: Stage) -> Callable[[Cluster], Finding]:
    """The check of one stage: failed where no server passes it, and a warning where some do not."""

    def judge(cluster: Cluster) -> Finding:
        return _stage(cluster, stage)

    return judge


def _stage(cluster: Cluster, stage: Stage) -> Finding:
    came = [node for node in cluster.servers if node.failure is None or node.failure.stage >= stage]
    failed = [node for node in came if node.failure is not None and node.failure.stage == stage]
    passed = len(came) - len(failed)
    said = f"{passed} of {counted(len(cluster.servers), 'bootstrap server')} {_WORDS[stage]}"
    if not failed:
        return Finding(State.OK, said)
    details = together(_detail(node, node.failure) for node in failed if node.failure is not None)
    return Finding(State.WARNING if passed else State.FAILED, said, details)


def _detail(node: Node, failure: Failure) -> Detail:
    shown = ""
    if failure.stage is Stage.TLS and node.certificate is not None:
        shown = f"; it shows {node.certificate}, signed by {node.certificate.issuer}"
    return Detail(str(node.endpoint), f"{failure.what}{shown}", failure.remedy)


def tls(cluster: Cluster) -> Finding:
    """The handshake proves chain and host name; a certificate that ends soon is a warning."""
    settings = cluster.configured.settings
    if not settings.uses_tls:
        return Finding(State.OK, f"not used: security_protocol is {settings.security_protocol}")
    finding = _stage(cluster, Stage.TLS)
    trusted = [
        (node.certificate, str(node.endpoint))
        for node in (*cluster.servers, *cluster.brokers)
        if node.certificate is not None and (node.failure is None or node.failure.stage > Stage.TLS)
    ]
    if finding.state is not State.OK or not trusted:
        return finding
    name = "host name are verified" if settings.ssl.check_hostname else "not the host name (ssl.check_hostname)"
    first = min((one for one, _ in trusted), key=lambda one: one.ends)
    ending = together(
        Detail(where, f"its certificate ends in {human_time(one.ends - cluster.now)}: {one}", "renew it")
        for one, where in trusted
        if one.ends - cluster.now < _SOON
    )
    return Finding(State.WARNING if ending else State.OK, f"{first}; chain and {name}", ending)


def sasl(cluster: Cluster) -> Finding:
    """Whether the user can sign in; a password that any host gets in clear is a warning."""
    settings, finding = cluster.configured.settings, _stage(cluster, Stage.SASL)
    if finding.state is not State.OK:
        return finding
    if settings.sasl is None:
        return Finding(State.OK, f"not used: security_protocol is {settings.security_protocol}")
    said = f"'{user(settings.sasl) or 'NAME'}' signs in by {settings.sasl.mechanism}"
    if settings.sends_clear_password and not settings.allowed_hosts:
        what = f"{settings.sasl.mechanism} without TLS sends the password in clear to every host that the cluster names"
        remedy = f"use SASL_SSL, or name the brokers' hosts in clusters.{settings.name}.allowed_hosts"
        return Finding(State.WARNING, said, (Detail(settings.security_protocol, what, remedy),))
    return Finding(State.OK, said)
