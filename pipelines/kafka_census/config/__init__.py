"""The configuration: conf/census.yaml, environment overrides, secrets by reference.

`load(path)` reads and checks the file and every `KAFKA_CENSUS__SECTION__KEY` of the
environment, and returns frozen values; `load_given(given)` does so for what a command line leads to: a file, brokers
with Kafka's client.properties, or the environment alone. All mistakes are reported by one `ConfigError`, one line
per mistake with the file's line or the variable's name, before anything is sent to Kafka.
`Config.cluster(name)` reads the secrets of that cluster only. Relative paths (the lake,
TLS files, secret files) start at the directory in which the job was started, like the paths
of spark-submit.
"""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path as FilePath

from kafka_census.alerts.webhook import Webhook, is_url
from kafka_census.config import model
from kafka_census.config.checked import read_checked
from kafka_census.config.cluster import ClusterSection
from kafka_census.config.desired import read_desired
from kafka_census.config.mistakes import unknown_cluster
from kafka_census.config.owners import read_owners
from kafka_census.config.secrets import References, is_exposed
from kafka_census.config.section import secret_sources
from kafka_census.config.sign_in import sasl_of, ssl_of
from kafka_census.declarations.desired import Desired
from kafka_census.declarations.given import Given
from kafka_census.declarations.operator_values import OperatorValues
from kafka_census.declarations.owners import Owner
from kafka_census.declarations.risk_policy import AcceptedRisk, RiskPolicy
from kafka_census.declarations.thresholds import Thresholds
from kafka_census.errors import ConfigError
from kafka_census.files.yaml_file import Source
from kafka_census.kafka.protocol.collect_settings import CollectSettings
from kafka_census.kafka.protocol.settings import ClusterSettings, Ssl
from kafka_census.lake.lake import Lake, absolute
from kafka_census.tables.all_tables import tables_named

__all__ = ["Config", "load", "load_given"]


@dataclass(frozen=True)
class Config:
    """A checked configuration.

    name            the path of the file, as given, or what stands for a file
    given           the options that lead here
    tables          names of the tables that a census computes: those of the file, and those that they are computed from
    tables_at_once  number of tables that are computed at the same time
    latest_tables   whether publishing replaces `latest_<table>`
    resume_within   age at which a census is too old to be resumed
    completeness    the section `completeness`: how the gate treats missing answers
    gate            thresholds for row counts and times
    expectations    folder of the operator's own suites; the folder need not exist
    retention       the section `retention`: ages at which data are removed
    deletion        the section `deletion`: when a group may be deleted
    risks           the section `risks`: thresholds of the table `risks`, and accepted risks
    owners          the section `owners`: patterns of names, in the order in which they count
    owners_file     a file in place of that section, or None
    owners_table    a table of the lake in place of both, or None: a census reads it
    alerts          the section `alerts`: the receivers of notifications; `webhook()` reads the secret
    max_age         age at which a published census is stale: `schedule.max_age`, or twice `schedule.every`; None: never
    clusters        checked sections by name; `cluster(name)` returns the settings of a cluster; none for a lake alone
    source          the origin of each value
    """

    name: str
    given: Given
    lake: Lake
    tables: tuple[str, ...]
    tables_at_once: int
    latest_tables: bool
    resume_within: timedelta
    collect: CollectSettings
    completeness: model.CompletenessSection
    gate: Thresholds
    expectations: FilePath
    retention: model.RetentionSection
    deletion: model.DeletionSection
    risks: RiskPolicy
    owners: tuple[Owner, ...]
    owners_file: str | None
    owners_table: str | None
    alerts: model.AlertsSection
    max_age: timedelta | None
    clusters: Mapping[str, ClusterSection]
    source: Source
    environ: Mapping[str, str]

    def __repr__(self) -> str:
        """Without the environment, which holds secrets."""
        return f"Config({self.name!r}, lake={self.lake!r}, clusters={sorted(self.clusters)!r})"

    def section(self, name: str) -> ClusterSection:
        """The section of one cluster. Raises ConfigError, which lists the configured clusters."""
        section = self.clusters.get(name)
        if section is None:
            raise unknown_cluster(self.name, name, self.clusters)
        return section

    @property
    def only_cluster(self) -> str:
        """The name of the only cluster, or that which a lake alone has for it. Raises ConfigError for several."""
        if not self.clusters:
            return self.given.name
        if len(self.clusters) > 1:
            known = ", ".join(sorted(self.clusters))
            raise ConfigError(f"{self.name} has several clusters, {known}: name one with --cluster")
        (name,) = self.clusters
        return name

    @property
    def notes(self) -> tuple[str, ...]:
        """One line each: what somebody should know of a file of Kafka's tools."""
        return self.source.notes

    def names(self, name: str) -> tuple[str, ...]:
        """The name of a cluster, then its former names; of a cluster that only the lake knows: its name."""
        section = self.clusters.get(name)
        return (name, *section.former_names) if section else (name,)

    @property
    def present_names(self) -> Mapping[str, str]:
        """By each former name of a cluster: its present name."""
        return {former: name for name, section in self.clusters.items() for former in section.former_names}

    def cluster(self, name: str) -> ClusterSettings:
        """The settings of one cluster, including its secrets.

        Raises ConfigError when the name, a secret or a TLS file does not exist; the error lists all mistakes.
        """
        section = self.section(name)
        references = References(self.source, self.environ)
        ssl = ssl_of(section.ssl, ("clusters", name, "ssl"), references) if section.ssl else Ssl()
        sasl = sasl_of(section.sasl, ("clusters", name, "sasl"), references) if section.sasl else None
        references.require()
        return ClusterSettings(
            name=name,
            bootstrap_servers=section.bootstrap_servers,
            cluster_id=section.cluster_id,
            client_id=section.client_id,
            security_protocol=section.security_protocol,
            ssl=ssl,
            sasl=sasl,
            allowed_hosts=section.allowed_hosts,
        )

    def settings(self, names: Iterable[str]) -> dict[str, ClusterSettings]:
        """The settings of several clusters by name. Raises ConfigError with the mistakes of all of them."""
        found: dict[str, ClusterSettings] = {}
        mistakes: list[str] = []
        for name in names:
            try:
                found[name] = self.cluster(name)
            except ConfigError as error:
                mistakes += error.args
        if mistakes:
            raise ConfigError(*mistakes)
        return found

    def webhook(self) -> Webhook | None:
        """The webhook, including its secret URL; None without a webhook in the configuration. Raises ConfigError."""
        section, path = self.alerts.webhook, ("alerts", "webhook", "url")
        if section is None:
            return None
        references = References(self.source, self.environ)
        url = references.secret(section.url, path)
        references.require()
        if not is_url(url):
            raise ConfigError(
                f"{self.source.location(path)}: alerts.webhook.url: must be a URL such as https://host/path"
            )
        return Webhook(url, section.timeout, section.format, self.alerts.runbook_base_url or "")

    def exposed(self, name: str) -> tuple[str, ...]:
        """Files with secrets of one cluster, and of the webhook, that everybody on this machine can read or change."""
        section = self.section(name)
        sections = (section, *([self.alerts.webhook] if self.alerts.webhook else []))
        files = [source.file for each in sections for source in secret_sources(each)]
        if section.ssl is not None:
            # The file of a certificate also holds the key when no keyfile is named.
            files.append(section.ssl.keyfile or section.ssl.certfile)
        named = [FilePath(file) for file in files if file is not None]
        # A missing file is a mistake that the reader of the file reports.
        return tuple(str(file) for file in named if file.is_file() and is_exposed(file))

    def desired(self, name: str) -> tuple[Desired, ...]:
        """The desired configs of one cluster; empty where no section names a file. Raises ConfigError."""
        section = self.clusters.get(name)
        path = section.desired_state if section else None
        if path is None:
            return ()
        references = References(self.source, self.environ)
        references.file(path, ("clusters", name, "desired_state"))
        references.require()
        return read_desired(path)

    def operator_values(self, name: str) -> OperatorValues:
        """What the tables of a cluster take from the configuration and files that it names. Raises ConfigError."""
        return OperatorValues(self.desired(name), self.risks, self._owners())

    def _owners(self) -> tuple[Owner, ...]:
        if self.owners_file is None:
            return self.owners
        references = References(self.source, self.environ)
        references.file(self.owners_file, ("owners_file",))
        references.require()
        return read_owners(self.owners_file)


def load(path: str | os.PathLike[str], environ: Mapping[str, str] | None = None) -> Config:
    """Read a configuration file and the environment's overrides.

    environ  the environment; None: that of the process

    Raises ConfigError with all mistakes.
    """
    return load_given(Given(config=os.fspath(path)), environ)


def load_given(given: Given, environ: Mapping[str, str] | None = None, *, asks: bool = True) -> Config:
    """Read what the options of a command line lead to, and the environment's overrides.

    environ  the environment; None: that of the process
    asks     whether brokers must be named; without, a lake is enough

    Raises ConfigError with all mistakes.
    """
    environ = os.environ if environ is None else environ
    source, file = read_checked(given, environ, asks=asks)
    return Config(
        name=source.name,
        given=given,
        lake=Lake(root=file.lake.root and absolute(file.lake.root), catalog=file.lake.catalog),
        tables=tuple(table.name for table in tables_named(file.tables)),
        tables_at_once=file.tables_at_once,
        latest_tables=file.latest_tables,
        resume_within=file.resume_within,
        collect=CollectSettings(**file.collect.model_dump()),
        completeness=file.completeness,
        gate=Thresholds(**file.gate.model_dump(exclude={"expectations"})),
        expectations=FilePath(file.gate.expectations),
        retention=file.retention,
        deletion=file.deletion,
        owners=tuple(section.entry() for section in file.owners),
        owners_file=file.owners_file,
        owners_table=file.owners_table,
        risks=RiskPolicy(
            **file.risks.model_dump(exclude={"accept"}),
            accept=tuple(AcceptedRisk(**one.model_dump()) for one in file.risks.accept),
        ),
        alerts=file.alerts,
        max_age=file.schedule.max_age or (2 * file.schedule.every if file.schedule.every else None),
        clusters=file.clusters,
        source=source,
        environ=environ,
    )
