"""Real Kafka brokers on loopback, from jars: for tests, for the demo and for `make kafka`.

`with KafkaCluster(brokers=3) as cluster:` starts brokers 1..3 and waits until they know each other; they end on exit,
and when the process that started them dies in any way. Data is in a temporary folder.
3.6.2 and later run in KRaft mode, every broker a controller too (two of three keep the quorum);
2.8.2 runs with a ZooKeeper. When a broker fails to start, the error shows the end of its log.
"""

import atexit
import base64
import contextlib
import shutil
import socket
import subprocess
import time
import uuid
from collections.abc import Callable, Mapping
from typing import Self

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient, ClusterMetadata

from harness import processes
from harness.broker import (
    CONTROLLER,
    INTERNAL,
    LATEST,
    Broker,
    Listener,
    class_path,
    is_kraft,
    java_command,
    properties,
)
from harness.kdc import Kdc
from harness.tls import Tls
from harness.token_issuer import TokenIssuer

PLAINTEXT = Listener()


class BrokerFailed(RuntimeError):
    """A broker died or did not come up; the message ends with the tail of its log."""


class KafkaCluster:
    """N brokers of one version.

    listeners           listeners for clients, the first is that of `bootstrap_servers`; see `Listener`
    users               name -> password, for SASL PLAIN and SCRAM listeners; those of OAUTHBEARER trust `issuer`
    authorizer          StandardAuthorizer: only `super_users` (and the harness) may do what no ACL allows
    kdc                 the KDC of listeners with GSSAPI
    properties          more server.properties for all brokers; `broker_properties` for one
    proxies             listener ports to advertise instead of the bound ones: (broker, listener) -> port,
                        so that a proxy can sit in front; called once per broker and listener with the bound port
    log_dirs            number of data folders per broker (JBOD)
    broker_only         brokers that are no controllers, and so can be unregistered (KRaft)
    controllers         number of nodes that are controllers only; then no broker is a controller (KRaft)
    """

    def __init__(
        self,
        brokers: int = 3,
        version: str = LATEST,
        *,
        listeners: tuple[Listener, ...] = (PLAINTEXT,),
        users: Mapping[str, str] | None = None,
        authorizer: bool = False,
        super_users: tuple[str, ...] = (),
        kdc: Kdc | None = None,
        properties: Mapping[str, object] | None = None,
        broker_properties: Mapping[int, Mapping[str, object]] | None = None,
        proxies: Callable[[int, str, int], int] | None = None,
        log_dirs: int = 1,
        broker_only: tuple[int, ...] = (),
        controllers: int = 0,
        heap: str = "320m",
    ) -> None:
        self.version = version
        self.listeners = listeners
        self.users = dict(users or {})
        self.cluster_id = _random_id()  # ZooKeeper makes another
        self._heap = heap
        self._more = dict(properties or {})
        self._more_of = dict(broker_properties or {})
        self.folder = processes.own_folder()
        atexit.register(self.close)
        self.tls = Tls(self.folder / "tls") if any("SSL" in listener.protocol for listener in listeners) else None
        if self.tls:
            self._more = {**self.tls.broker_properties(), **self._more}
        tokens = [listener for listener in listeners if "OAUTHBEARER" in listener.mechanisms]
        self.issuer = TokenIssuer(self.folder / "issuer") if tokens else None
        for listener in tokens if self.issuer else ():
            self._more = {**self.issuer.broker_properties(f"listener.name.{listener.name.lower()}"), **self._more}
        self._options = [self.issuer.java_option] if self.issuer else []
        if kdc:
            self._options.append(kdc.java_option)
            for listener in listeners:
                if "GSSAPI" in listener.mechanisms:
                    self._more = {**kdc.broker_properties(f"listener.name.{listener.name.lower()}"), **self._more}
        if authorizer:
            names = ["User:ANONYMOUS", *(f"User:{name}" for name in super_users)]
            self._more = {"super.users": ";".join(names), **_AUTHORIZERS[is_kraft(version)], **self._more}
        self.brokers = {node: self._broker(node, log_dirs, proxies) for node in range(1, brokers + 1)}
        self.controllers = {node: self._controller(node) for node in range(brokers + 1, brokers + 1 + controllers)}
        combined = {node: broker for node, broker in self.brokers.items() if node not in broker_only}
        self._quorum = {node: each.ports[CONTROLLER] for node, each in (self.controllers or combined).items()}
        self._zookeeper_port = 0 if is_kraft(version) else processes.free_ports(1)[0]
        self._running: dict[int, subprocess.Popen[bytes]] = {}  # 0: ZooKeeper

    # Start and stop

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def start(self) -> None:
        """Write the configuration, format the data folders, start every broker; returns when all know each other."""
        for node, broker in self._nodes.items():
            broker.folder.mkdir(parents=True)
            settings = properties(broker, self.listeners, self._quorum, self.users, self.version, self._zookeeper_port)
            settings |= {**self._more, **self._more_of.get(node, {})}
            broker.config.write_text("".join(f"{key}={value}\n" for key, value in settings.items()))
        if is_kraft(self.version):
            self._format()
        else:
            self._start_zookeeper()
        for node in self._nodes:
            self._launch(node)
        self._await_alive(set(self.brokers))
        self.cluster_id = self._metadata(set(self.brokers)).cluster_id

    def start_broker(self, node: int) -> None:
        """Start a stopped broker with its old data and ports; returns when its peers list it."""
        self._launch(node)
        self._await_alive(self.alive | {node})

    def stop_broker(self, node: int) -> None:
        """Shut a broker down in order; returns when its peers no longer list it."""
        processes.stop(self._running.pop(node))
        self._await_alive(self.alive)

    def kill_broker(self, node: int) -> None:
        """SIGKILL; returns when its peers no longer list it (their session timeout, 6 s)."""
        processes.kill(self._running.pop(node))
        self._await_alive(self.alive)

    def kill_controller(self, node: int) -> None:
        processes.kill(self._running.pop(node))

    def close(self) -> None:
        """Kill running brokers and delete all data; may be called again."""
        atexit.unregister(self.close)
        for process in self._running.values():
            processes.kill(process)
        self._running.clear()
        shutil.rmtree(self.folder, ignore_errors=True)

    # Description

    @property
    def _class_path(self) -> str:
        """Of the present version: an upgrade starts its brokers with another."""
        return class_path(f"kafka-{self.version}")

    @property
    def alive(self) -> set[int]:
        return self._running.keys() & self.brokers.keys()

    @property
    def bootstrap_servers(self) -> str:
        """`host:port,...` of the first listener, stopped brokers included."""
        return self.bootstrap(self.listeners[0].name)

    @property
    def admin_servers(self) -> str:
        """`host:port,...` of the INTERNAL listener: no security, no proxy, super user."""
        return self.bootstrap(INTERNAL)

    def bootstrap(self, listener: str) -> str:
        """`host:port,...` of one listener, as advertised."""
        return ",".join(broker.address(listener) for broker in self.brokers.values() if listener in broker.ports)

    def logs(self, lines: int = 40) -> str:
        """The end of every broker's log, for a failing test to show."""
        return "\n".join(f"--- broker {node}\n{processes.tail(it.log, lines)}" for node, it in self._nodes.items())

    # Implementation

    @property
    def _nodes(self) -> dict[int, Broker]:
        return self.brokers | self.controllers

    def _controller(self, node: int) -> Broker:
        return Broker(node, self.folder / f"controller-{node}", {CONTROLLER: processes.free_ports(1)[0]})

    def _broker(self, node: int, log_dirs: int, proxies: Callable[[int, str, int], int] | None) -> Broker:
        names = [CONTROLLER, INTERNAL, *(listener.name for listener in self.listeners if listener.on(node))]
        ports = dict(zip(names, processes.free_ports(len(names)), strict=True))
        advertised = {name: proxies(node, name, ports[name]) for name in names[2:]} if proxies else {}
        return Broker(node, self.folder / f"broker-{node}", ports, log_dirs, advertised)

    def _format(self) -> None:
        scram = sorted({name for listener in self.listeners for name in listener.mechanisms if "SCRAM" in name})
        secrets = [
            argument
            for mechanism in scram
            for user, password in self.users.items()
            for argument in ("--add-scram", f"{mechanism}=[name={user},password={password}]")
        ]
        first, *others = self._nodes.values()
        arguments = ("format", "-t", self.cluster_id, "-c", str(first.config), *secrets)
        tool = java_command(self._class_path, "kafka.tools.StorageTool", *arguments, keep_classes=True)
        if processes.start(tool, first.log).wait(60) != 0:
            raise BrokerFailed(f"formatting broker {first.node} failed\n{processes.tail(first.log)}")
        # What Kafka's tool has written for one node is copied: it takes a second of CPU time. Metadata are in the first
        # folder alone: from 4.4 on the tool makes their folder, and a broker refuses any other.
        for broker in others:
            for number in range(broker.log_dirs):
                target, left_out = broker.folder / f"data{number}", ["__cluster_metadata-0"] if number else []
                made = shutil.copytree(first.folder / "data0", target, ignore=shutil.ignore_patterns(*left_out))
                made /= "meta.properties"
                own = {"node.id": broker.node, "directory.id": _random_id()}
                pairs = (line.split("=") for line in made.read_text().splitlines() if "=" in line)
                made.write_text("".join(f"{name}={own.get(name, value)}\n" for name, value in pairs))

    def _start_zookeeper(self) -> None:
        config = self.folder / "zookeeper.properties"
        config.write_text(
            f"dataDir={self.folder / 'zookeeper'}\nclientPort={self._zookeeper_port}\n"
            f"clientPortAddress={processes.LOOPBACK}\nadmin.enableServer=false\ntickTime=1000\nmaxClientCnxns=0\n"
        )
        main = "org.apache.zookeeper.server.quorum.QuorumPeerMain"
        command = java_command(self._class_path, main, str(config), heap="128m")
        self._running[0] = processes.start(command, self.folder / "zookeeper.log")

    def _launch(self, node: int) -> None:
        if node in self._running:
            raise ValueError(f"broker {node} runs already")
        broker = self._nodes[node]
        main, config, options = "kafka.Kafka", str(broker.config), tuple(self._options)
        command = java_command(self._class_path, main, config, heap=self._heap, options=options)
        self._running[node] = processes.start(command, broker.log)

    def _await_alive(self, wanted: set[int]) -> None:
        """Wait until the live brokers list exactly `wanted`. Raises BrokerFailed."""
        deadline = time.monotonic() + 90
        while not self._agree(wanted):
            dead = [node for node, process in self._running.items() if process.poll() is not None]
            if dead or time.monotonic() > deadline:
                what = f"broker {dead[0]} died" if dead else f"no {sorted(wanted)} after 90 s"
                raise BrokerFailed(f"Kafka {self.version}: {what}\n{self.logs()}")
            time.sleep(0.1)

    def _agree(self, wanted: set[int]) -> bool:
        """Whether each of these brokers lists exactly them: librdkafka drops a broker that one of them omits."""
        if not all(_listens(self.brokers[node].ports[INTERNAL]) for node in wanted):
            return False
        with contextlib.suppress(KafkaException):
            return all(set(self._metadata({node}).brokers) == wanted for node in wanted)
        return False

    def _metadata(self, nodes: set[int]) -> ClusterMetadata:
        servers = ",".join(self.brokers[node].address(INTERNAL) for node in nodes)
        return AdminClient({"bootstrap.servers": servers, "log_level": 0}).list_topics(timeout=5)


_AUTHORIZERS = {
    True: {"authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer"},
    False: {"authorizer.class.name": "kafka.security.authorizer.AclAuthorizer"},
}


def _random_id() -> str:
    """22 characters, as StorageTool's random-uuid makes them; never an id that looks like an option."""
    return f"k{base64.urlsafe_b64encode(uuid.uuid4().bytes).decode()[1:22]}"


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(0.5)
        return probe.connect_ex((processes.LOOPBACK, port)) == 0
