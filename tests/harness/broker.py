"""The inputs of one broker: its server.properties and its java command.

3.6.2 and later run in KRaft mode, 2.8.2 with ZooKeeper.

Every broker has an `INTERNAL` listener without security, for its peers and for the harness itself;
the listeners under test are additional. With an authorizer the harness is the super user ANONYMOUS of INTERNAL.
"""

import atexit
import functools
import hashlib
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from harness.processes import LOOPBACK, own_folder
from kafka_census.jars.ivy import jars, java, spark_jars

LATEST = "4.4.0"
"""The release of Kafka that tests and the demo run, where they name none."""

INTERNAL = "INTERNAL"
CONTROLLER = "CONTROLLER"
_PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule"
_SCRAM = "org.apache.kafka.common.security.scram.ScramLoginModule"
_LOGGING = ("slf4j-api-*", "log4j-api-*", "log4j-core-*", "log4j-slf4j2-impl-*", "log4j-1.2-api-*")
_SILENT = ("-Xlog:disable", "-Xlog:all=error:stderr")
"""An archive that does not match is ignored silently; errors of the JVM itself are reported."""

DEFAULTS: Mapping[str, object] = {
    "auto.create.topics.enable": "false",
    "num.network.threads": 2,
    "num.io.threads": 3,
    "background.threads": 2,
    "log.index.size.max.bytes": 1 << 20,
    "log.cleaner.dedupe.buffer.size": 8 << 20,
    "log.cleaner.threads": 1,
    "group.initial.rebalance.delay.ms": 0,
    "group.min.session.timeout.ms": 1000,
    "offsets.topic.num.partitions": 8,
    "transaction.state.log.num.partitions": 4,
    "transaction.state.log.min.isr": 1,
    "share.coordinator.state.topic.num.partitions": 4,
    "share.coordinator.state.topic.min.isr": 1,
}


@dataclass(frozen=True)
class Listener:
    """A listener under test. `brokers` None: every broker has it."""

    name: str = "PLAINTEXT"
    protocol: str = "PLAINTEXT"
    mechanisms: tuple[str, ...] = ()
    brokers: tuple[int, ...] | None = None

    def on(self, node: int) -> bool:
        return self.brokers is None or node in self.brokers


@dataclass(frozen=True)
class Broker:
    """One broker's identity: its node id, folder, and port by listener (including CONTROLLER and INTERNAL)."""

    node: int
    folder: Path
    ports: Mapping[str, int]
    log_dirs: int = 1
    advertised: Mapping[str, int] = field(default_factory=dict)

    @property
    def log(self) -> Path:
        return self.folder / "broker.log"

    @property
    def config(self) -> Path:
        return self.folder / "server.properties"

    def address(self, listener: str) -> str:
        """host:port of a listener, as advertised to clients."""
        return f"{LOOPBACK}:{self.advertised.get(listener, self.ports[listener])}"


def is_kraft(version: str) -> bool:
    return not version.startswith("2.")


def properties(
    broker: Broker,
    listeners: tuple[Listener, ...],
    quorum: Mapping[int, int],
    users: Mapping[str, str],
    version: str,
    zookeeper_port: int,
) -> dict[str, object]:
    """The server.properties of a broker.

    `quorum` is node id -> controller port, of the nodes that are controllers; ignored with ZooKeeper. A node without a
    port for INTERNAL is a controller only.
    """
    is_broker = INTERNAL in broker.ports
    mine = [Listener(INTERNAL), *(listener for listener in listeners if listener.on(broker.node))] if is_broker else []
    bound = [f"{listener.name}://{LOOPBACK}:{broker.ports[listener.name]}" for listener in mine]
    protocols = [f"{listener.name}:{listener.protocol}" for listener in (Listener(INTERNAL), *listeners)]
    folders = [str(broker.folder / f"data{number}") for number in range(broker.log_dirs)]
    replicas = min(3, len(quorum))
    settings: dict[str, object] = {
        **DEFAULTS,
        "log.dirs": ",".join(folders),
        "inter.broker.listener.name": INTERNAL,
        "offsets.topic.replication.factor": replicas,
        "transaction.state.log.replication.factor": replicas,
        "share.coordinator.state.topic.replication.factor": replicas,
    }
    if is_broker:
        advertised = [f"{listener.name}://{broker.address(listener.name)}" for listener in mine]
        settings["advertised.listeners"] = ",".join(advertised)
    if is_kraft(version):
        is_controller = broker.node in quorum
        bound += [f"{CONTROLLER}://{LOOPBACK}:{broker.ports[CONTROLLER]}"] if is_controller else []
        protocols.append(f"{CONTROLLER}:PLAINTEXT")
        settings |= {
            "node.id": broker.node,
            "process.roles": ",".join(["broker"] * is_broker + ["controller"] * is_controller),
            "controller.listener.names": CONTROLLER,
            "controller.quorum.voters": ",".join(f"{node}@{LOOPBACK}:{port}" for node, port in quorum.items()),
            "broker.session.timeout.ms": 6000,
            "broker.heartbeat.interval.ms": 500,
        }
    else:
        settings |= {
            "broker.id": broker.node,
            "zookeeper.connect": f"{LOOPBACK}:{zookeeper_port}",
            "zookeeper.session.timeout.ms": 6000,
        }
    settings |= {"listeners": ",".join(bound), "listener.security.protocol.map": ",".join(protocols)}
    for listener in mine:
        settings |= _sasl(listener, users)
    return settings


def _sasl(listener: Listener, users: Mapping[str, str]) -> dict[str, object]:
    if not listener.mechanisms:
        return {}
    prefix = f"listener.name.{listener.name.lower()}"
    known = " ".join(f'user_{name}="{password}"' for name, password in users.items())
    settings: dict[str, object] = {f"{prefix}.sasl.enabled.mechanisms": ",".join(listener.mechanisms)}
    for mechanism in listener.mechanisms:
        if mechanism in ("OAUTHBEARER", "GSSAPI"):
            continue  # the cluster's token issuer, or its KDC, has these properties
        module = f"{_PLAIN} required {known};" if mechanism == "PLAIN" else f"{_SCRAM} required;"
        settings[f"{prefix}.{mechanism.lower()}.sasl.jaas.config"] = module
    return settings


def class_path(*names: str) -> str:
    """A class path of jar sets, Spark's own logging jars first so that every version logs in the same way."""
    logging = [jar for pattern in _LOGGING for jar in sorted(spark_jars().glob(f"{pattern}.jar"))]
    return ":".join(str(jar) for jar in [*logging, *(jar for name in names for jar in jars(name))])


def java_command(
    path: str,
    main_class: str,
    *arguments: str,
    heap: str = "320m",
    logs: str = "info",
    options: tuple[str, ...] = (),
    keep_classes: bool = False,
) -> list[str]:
    """The command that runs a class of a class path; tuned for a fast start and little memory: many share two cores.

    logs          the lowest level of what is logged, to stderr
    options       more options of the JVM
    keep_classes  write an archive of classes for later JVMs; the program must end by itself
    """
    return [
        java(),
        *_shared_classes(path, write=keep_classes),
        f"-Xmx{heap}",
        "-Xms64m",
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        "-XX:-UsePerfData",
        f"-Dlog4j2.configurationFile={Path(__file__).parent / 'log4j2.properties'}",
        f"-Dlogs={logs}",
        "-Djava.awt.headless=true",
        *options,
        "-cp",
        path,
        main_class,
        *arguments,
    ]


def _shared_classes(class_path: str, *, write: bool) -> tuple[str, ...]:
    """Options for a JVM: to use the archive of classes of its class path, or to `write` it at the end if there is none.

    A test run starts a hundred JVMs for seconds or minutes each. A broker that finds Kafka's classes in an archive
    starts in two thirds of the CPU time; the first short-lived program of the same class path writes the archive.
    """
    archive = _folder() / f"{hashlib.sha256(class_path.encode()).hexdigest()[:16]}.jsa"
    if archive.exists():
        return (f"-XX:SharedArchiveFile={archive}", *_SILENT)
    return (f"-XX:ArchiveClassesAtExit={archive}", *_SILENT) if write else ()


@functools.cache
def _folder() -> Path:
    folder = own_folder()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
