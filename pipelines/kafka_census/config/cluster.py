"""The model of one cluster of a configuration (`clusters.NAME`), and the names that a cluster may have."""

import re
from typing import Literal, Self

from pydantic import field_validator, model_validator

from kafka_census.config.section import Section
from kafka_census.config.security import SaslSection, SslSection
from kafka_census.config.values import Names, Patterns, Switch, Text, Words
from kafka_census.kafka.protocol.allowed_hosts import is_entry
from kafka_census.kafka.protocol.settings import CLEAR_PASSWORD, ClusterSettings

_LAST_PORT = 65535
_NAME = re.compile(r"[A-Za-z0-9]+([._-][A-Za-z0-9]+)*")
_SERVER = re.compile(r"(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+):([0-9]{1,5})")


class ClusterSection(Section):
    """One cluster of `clusters`."""

    bootstrap_servers: Words
    cluster_id: Text | None = None
    former_names: Names = ()
    client_id: Text = ClusterSettings.client_id
    security_protocol: Literal["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"] = "PLAINTEXT"
    allow_clear_password: Switch = False
    allowed_hosts: Patterns = ()
    ssl: SslSection | None = None
    sasl: SaslSection | None = None
    desired_state: Text | None = None

    @field_validator("bootstrap_servers")
    @classmethod
    def _host_and_port(cls, servers: tuple[str, ...]) -> tuple[str, ...]:
        for number, server in enumerate(servers, 1):
            match = _SERVER.fullmatch(server)
            if not match or not 0 < int(match[2]) <= _LAST_PORT:
                raise ValueError(f"server {number} must be host:port")
        return servers

    @field_validator("former_names")
    @classmethod
    def _are_names(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(cluster_name(name) for name in dict.fromkeys(names))

    @field_validator("allowed_hosts")
    @classmethod
    def _hosts(cls, entries: tuple[str, ...]) -> tuple[str, ...]:
        for number, entry in enumerate(entries, 1):
            if not is_entry(entry):
                examples = "a host name, a suffix such as .example.org, or a network such as 10.1.0.0/16"
                raise ValueError(f"entry {number} must be {examples}")
        return entries

    @model_validator(mode="after")
    def _fits_protocol(self) -> Self:
        protocol = self.security_protocol
        if protocol.startswith("SASL") and self.sasl is None:
            raise ValueError(f"security_protocol {protocol} needs a sasl section")
        if protocol == "SASL_PLAINTEXT" and self.sasl is not None and self.sasl.aws is not None:
            raise ValueError("mechanism AWS_MSK_IAM needs security_protocol SASL_SSL: AWS has no other listener for it")
        mechanism = self.sasl.mechanism if self.sasl is not None else None
        if protocol == "SASL_PLAINTEXT" and mechanism in CLEAR_PASSWORD and not self.allow_clear_password:
            what = "the token" if self.sasl is not None and self.sasl.oauth else "the password"
            raise ValueError(
                f"mechanism {mechanism} sends {what} in clear without TLS: use security_protocol SASL_SSL, "
                "or accept that with allow_clear_password: true"
            )
        if not protocol.startswith("SASL") and self.sasl is not None:
            raise ValueError(f"security_protocol {protocol} uses no sasl section; use SASL_SSL or SASL_PLAINTEXT")
        if not protocol.endswith("SSL") and self.ssl is not None:
            raise ValueError(f"security_protocol {protocol} uses no ssl section; use SSL or SASL_SSL")
        return self


def cluster_name(name: str) -> str:
    """The name of a cluster. Raises ValueError for a text that is none."""
    if not _NAME.fullmatch(name):
        raise ValueError(f"cluster name '{name}' must be letters and digits joined by single - . or _")
    return name


def environment_spelling(name: str) -> str:
    """A cluster's name as written in an environment variable: `eu-prod.1` becomes `EU_PROD_1`."""
    return re.sub(r"[.-]", "_", name).upper()
