"""Checks of the way to the cluster: how far each bootstrap server let us come. One that lets us through is enough."""

from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta

from kafka_census.doctor.facts import Cluster, Node, Stage
from kafka_census.doctor.finding import Detail, Finding, State, counted

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
    return Finding(State.WARNING if passed else State.FAILED, said, tuple(map(_detail, failed)))


def _detail(node: Node) -> Detail:
    if node.failure is None:
        raise ValueError("nothing is wrong with it")
    shown = f"; it shows {node.certificate}, signed by {node.certificate.issuer}" if node.certificate else ""
    return Detail(str(node.endpoint), f"{node.failure.what}{shown}", node.failure.remedy)


def tls(cluster: Cluster) -> Finding:
    """Chain and host name are proven by the handshake; a certificate that ends soon is told before it does."""
    settings = cluster.given.settings
    if not settings.uses_tls:
        return Finding(State.OK, f"not used: security_protocol is {settings.security_protocol}")
    finding = _stage(cluster, Stage.TLS)
    seen = [node for node in (*cluster.servers, *cluster.brokers) if node.certificate is not None]
    trusted = [node for node in seen if node.failure is None or node.failure.stage > Stage.TLS]
    if finding.state is not State.OK or not trusted:
        return finding
    name = "host name verified" if settings.ssl.check_hostname else "host name not checked (ssl.check_hostname)"
    first = min(trusted, key=lambda node: _ends(node, cluster))
    said = f"{first.certificate}; chain and {name}"
    ending = tuple(_ending(trusted, cluster))
    return Finding(State.WARNING if ending else State.OK, said, ending)


def _ends(node: Node, cluster: Cluster) -> timedelta:
    return timedelta.max if node.certificate is None else node.certificate.ends - cluster.now


def _ending(nodes: Sequence[Node], cluster: Cluster) -> Iterator[Detail]:
    for node in nodes:
        left = _ends(node, cluster)
        if left < _SOON:
            what = f"its certificate ends in {counted(left.days, 'day')}: {node.certificate}"
            yield Detail(str(node.endpoint), what, "renew it")


def sasl(cluster: Cluster) -> Finding:
    """Whether the user is let in."""
    settings = cluster.given.settings
    if settings.sasl is None:
        return Finding(State.OK, f"not used: security_protocol is {settings.security_protocol}")
    finding = _stage(cluster, Stage.SASL)
    if finding.state is not State.OK:
        return finding
    return Finding(State.OK, f"'{settings.sasl.username}' signs in by {settings.sasl.mechanism}")
