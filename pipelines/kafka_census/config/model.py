"""The model of a configuration (conf/census.yaml): one pydantic model per section, unknown keys forbidden.

The models only check; `kafka_census.config` turns them into the frozen values that
the steps take. Defaults of `collect` are those of `CollectSettings`.
"""

import re
from datetime import date, timedelta
from typing import Annotated, Literal, Self

from pydantic import Field, ValidationInfo, field_validator, model_validator

from kafka_census.config.cluster import ClusterSection, cluster_name, environment_spelling
from kafka_census.config.owners import OwnerSection
from kafka_census.config.section import SecretSource, Section
from kafka_census.config.values import (
    Count,
    Duration,
    Factor,
    Limits,
    Patterns,
    Share,
    Shares,
    Switch,
    Text,
    Words,
)
from kafka_census.declarations.risk_policy import DEFAULT_POLICY
from kafka_census.declarations.thresholds import DEFAULTS
from kafka_census.declarations.walks import WALKS
from kafka_census.kafka.protocol.collect_settings import CollectSettings
from kafka_census.tables.all_tables import TABLES
from kafka_census.tables.risks.columns import RISK_WORDS

_COLLECT = CollectSettings()
EXPECTATIONS = "conf/expectations"
"""The default folder of an operator's own suites, which need not exist; a configured folder must exist."""
_TABLES = tuple(table.name for table in TABLES)
_RPCS = tuple(dict.fromkeys(walk.rpc for walk in WALKS))
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*")


class LakeSection(Section):
    """`lake`: exactly one of a root path (or URI) and a catalog.schema."""

    root: Text | None = None
    catalog: Annotated[str, Field(pattern=r"^[^.`\s]+\.[^.`\s]+$")] | None = None

    @field_validator("root")
    @classmethod
    def _path_or_uri(cls, root: str | None) -> str | None:
        if root is not None and "${" in root:
            raise ValueError("must not hold '${', which Spark's SQL replaces; rename the folder")
        scheme, colon, rest = (root or "").partition(":")
        if colon and _SCHEME.fullmatch(scheme) and not rest.startswith("/"):
            # Before an @ may stand a password.
            remedy = "" if "@" in rest else f"; write {scheme}:/{rest}, or ./{root} for a folder"
            raise ValueError(f"is neither a path nor a URI{remedy}")
        return root

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.root is None) == (self.catalog is None):
            raise ValueError("give exactly one of root (a path or URI) and catalog (name.schema)")
        return self


class CollectSection(Section):
    """`collect`: limits and timeouts of fetching; the fields of `CollectSettings`."""

    page_limit: Count = _COLLECT.page_limit
    page_limits: Limits = Field(default={})
    keys_per_request: Count = _COLLECT.keys_per_request
    pages_per_wave: Count = _COLLECT.pages_per_wave
    tasks: Count | None = _COLLECT.tasks
    collect_on: Literal["executors", "driver"] = "executors"
    request_timeout_ms: Count = _COLLECT.request_timeout_ms
    connect_timeout_ms: Count = _COLLECT.connect_timeout_ms
    retry_backoff_ms: Count = _COLLECT.retry_backoff_ms
    retry_backoff_max_ms: Count = _COLLECT.retry_backoff_max_ms
    max_attempts: Count = _COLLECT.max_attempts
    max_tries: Count = _COLLECT.max_tries
    max_waves: Count = _COLLECT.max_waves
    max_empty_pages: Count = _COLLECT.max_empty_pages
    chain_deadline_ms: Count = _COLLECT.chain_deadline_ms
    receive_message_max_bytes: Count = _COLLECT.receive_message_max_bytes

    @field_validator("page_limits")
    @classmethod
    def _known_rpcs(cls, limits: dict[str, int]) -> dict[str, int]:
        for name in limits:
            if name not in _RPCS:
                raise ValueError(f"has no RPC '{name}'; known: {', '.join(_RPCS)}")
        return limits

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.retry_backoff_ms > self.retry_backoff_max_ms:
            raise ValueError("retry_backoff_ms must not exceed retry_backoff_max_ms")
        return self


class CompletenessSection(Section):
    """`completeness`: how the gate treats missing and hidden answers."""

    unreachable_brokers: Literal["refuse", "publish_incomplete"] = "refuse"
    visibility: Literal["require", "accept_unknown"] = "require"


class GateSection(Section):
    """`gate`: thresholds, and the folder of an operator's own expectations; the fields of `Thresholds`."""

    keep_rows: Share = DEFAULTS.keep_rows
    keep_rows_of: Shares = Field(default=dict(DEFAULTS.keep_rows_of))
    keep_rows_from: Count = DEFAULTS.keep_rows_from
    grow_rows: Factor = DEFAULTS.grow_rows
    max_skew: Duration = DEFAULTS.max_skew
    quarantine_rows: Count = DEFAULTS.quarantine_rows
    expectations: Text = EXPECTATIONS

    @field_validator("keep_rows_of")
    @classmethod
    def _known_tables(cls, shares: dict[str, float]) -> dict[str, float]:
        for name in shares:
            if name not in _TABLES:
                raise ValueError(f"has no table '{name}'; known: {', '.join(_TABLES)}")
        return {**DEFAULTS.keep_rows_of, **shares}


class RetentionSection(Section):
    """`retention`: ages at which data are removed, counted from the start of a census except for `grace`."""

    landed: Duration = timedelta(days=7)
    every: Duration = timedelta(days=30)
    daily: Duration = timedelta(days=400)
    grace: Duration = timedelta(days=1)

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.every > self.daily:
            raise ValueError("every must not exceed daily")
        return self


class DeletionSection(Section):
    """`deletion`: when a group may be deleted; the fields of `DeletionRules`."""

    empty_for: Duration = timedelta(days=14)
    censuses: Count = 10
    protect: Patterns = ()
    expires_after: Duration = timedelta(days=1)
    max_deletes: Count = 1000


class WebhookSection(Section):
    """`alerts.webhook`: the receiver of messages about changed states."""

    url: SecretSource
    timeout: Duration = timedelta(seconds=10)
    format: Literal["json", "slack"] = "json"


class AlertsSection(Section):
    """`alerts`: the notifications at the end of a census; none by default."""

    prometheus_folder: Text | None = None
    runbook_base_url: Annotated[str, Field(pattern=r"^https?://[^\s<>|]+$")] | None = None
    webhook: WebhookSection | None = None

    @property
    def are_on(self) -> bool:
        """Whether a notification is configured."""
        return self.prometheus_folder is not None or self.webhook is not None


class ScheduleSection(Section):
    """`schedule`: how often a scheduler starts a census, and the age at which a published census is stale."""

    every: Duration | None = None
    max_age: Duration | None = None

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.every and self.max_age and self.every > self.max_age:
            raise ValueError("max_age must not be less than every: each census would be stale before the next one")
        return self


class AcceptedRiskSection(Section):
    """One of `risks.accept`: a risk that somebody accepts for a while; the fields of `AcceptedRisk`."""

    word: Text
    topic: Text | None = None
    name: Text | None = None
    until: date
    why: Text

    @field_validator("word")
    @classmethod
    def _known(cls, word: str) -> str:
        if word not in RISK_WORDS:
            raise ValueError(f"is not a risk; known: {', '.join(RISK_WORDS)}")
        return word


class RisksSection(Section):
    """`risks`: thresholds of the table `risks`, and accepted risks; the fields of `RiskPolicy`."""

    internal_replicas: Count = DEFAULT_POLICY.internal_replicas
    leaders_away: Share = DEFAULT_POLICY.leaders_away
    disk_used: Share = DEFAULT_POLICY.disk_used
    partitions_per_broker: Count = DEFAULT_POLICY.partitions_per_broker
    accept: tuple[AcceptedRiskSection, ...] = ()


class File(Section):
    """The whole file."""

    lake: LakeSection
    clusters: Annotated[dict[str, ClusterSection], Field(min_length=1)]
    tables: Words = _TABLES
    tables_at_once: Count = 3
    latest_tables: Switch = False
    resume_within: Duration = timedelta(hours=1)
    collect: CollectSection = CollectSection()
    completeness: CompletenessSection = CompletenessSection()
    gate: GateSection = GateSection()
    retention: RetentionSection = Field(default=RetentionSection(), validate_default=True)
    deletion: DeletionSection = DeletionSection()
    risks: RisksSection = RisksSection()
    owners: tuple[OwnerSection, ...] = ()
    owners_file: Text | None = None
    owners_table: Text | None = None
    alerts: AlertsSection = AlertsSection()
    schedule: ScheduleSection = ScheduleSection()

    @field_validator("owners_file", "owners_table")
    @classmethod
    def _one_list_of_owners(cls, given: str | None, info: ValidationInfo) -> str | None:
        if given is not None and (info.data.get("owners") or info.data.get("owners_file")):
            raise ValueError("give one of owners, owners_file and owners_table")
        return given

    @field_validator("tables")
    @classmethod
    def _known_tables(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        for name in names:
            if name not in _TABLES:
                raise ValueError(f"has no table '{name}'; known: {', '.join(_TABLES)}")
        if len(set(names)) < len(names):
            raise ValueError("names a table twice")
        return names

    @field_validator("retention")
    @classmethod
    def _pages_to_resume_from(cls, retention: RetentionSection, info: ValidationInfo) -> RetentionSection:
        if "resume_within" in info.data and retention.landed < info.data["resume_within"]:
            raise ValueError("landed must not be less than resume_within: a census goes on from its landed pages")
        return retention

    @field_validator("clusters")
    @classmethod
    def _cluster_names(cls, clusters: dict[str, ClusterSection]) -> dict[str, ClusterSection]:
        spelled: dict[str, str] = {}
        for name in clusters:
            cluster_name(name)
            other = spelled.setdefault(environment_spelling(name), name)
            if other != name:
                raise ValueError(f"clusters '{other}' and '{name}' are the same in an environment variable's name")
        return clusters

    @field_validator("clusters")
    @classmethod
    def _names_of_one_cluster(cls, clusters: dict[str, ClusterSection]) -> dict[str, ClusterSection]:
        owners = {name: name for name in clusters}
        for name, section in clusters.items():
            for former in section.former_names:
                owner = owners.get(former)
                if owner is not None:
                    raise ValueError(f"'{former}' is a former name of '{name}', and already a name of '{owner}'")
                owners[former] = name
        return clusters


class LakeAlone(File):
    """What is known where a command line names a lake, and nothing names brokers."""

    clusters: dict[str, ClusterSection] = Field(default={})
