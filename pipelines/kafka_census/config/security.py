"""The model of the sections about signing in to a cluster: `ssl` and `sasl`."""

import re
from typing import Literal, Self

from pydantic import field_validator, model_validator

from kafka_census.config.section import SecretSource, Section
from kafka_census.config.values import Switch, Text
from kafka_census.kafka.protocol.settings import Kerberos

_ENDPOINT = re.compile(
    r"https://[^/?#@\s]+([/?][^#\s]*)?|http://(localhost|127\.0\.0\.1|\[::1\])(:[0-9]+)?([/?][^#\s]*)?"
)


_NEEDED = {"OAUTHBEARER": ("oauth",), "AWS_MSK_IAM": ("aws",), "GSSAPI": ("kerberos",)}
"""Keys of `sasl` by mechanism; mechanisms that are not listed have a user and a password."""


class SslSection(Section):
    """`ssl`: files, which are PEM, PKCS#12 or JKS, or PEM texts by reference."""

    cafile: Text | None = None
    cafile_password: SecretSource | None = None
    certfile: Text | None = None
    keyfile: Text | None = None
    password: SecretSource | None = None
    key_password: SecretSource | None = None
    ca_pem: SecretSource | None = None
    cert_pem: SecretSource | None = None
    key_pem: SecretSource | None = None
    check_hostname: Switch = True

    @model_validator(mode="after")
    def _whole(self) -> Self:
        for key, other in (("ca_pem", "cafile"), ("cert_pem", "certfile"), ("key_pem", "keyfile")):
            if getattr(self, key) and getattr(self, other):
                raise ValueError(f"give {key} or {other}, not both")
        if self.keyfile and not self.certfile:
            raise ValueError("keyfile needs certfile")
        if self.key_pem and not self.cert_pem:
            raise ValueError("key_pem needs cert_pem")
        if self.password and not (self.certfile or self.cert_pem):
            raise ValueError("password (of the private key) needs certfile or cert_pem")
        if self.key_password and not self.certfile:
            raise ValueError("key_password (of the key in a JKS store) needs certfile")
        if self.cafile_password and not self.cafile:
            raise ValueError("cafile_password (of a PKCS#12 or JKS store) needs cafile")
        return self


class TokenEndpointSection(Section):
    """`sasl.oauth.token_endpoint`: the endpoint that issues tokens for client credentials."""

    url: Text
    client_id: Text
    client_secret: SecretSource
    scope: Text | None = None
    cafile: Text | None = None

    @field_validator("url", mode="before")
    @classmethod
    def _encrypted(cls, url: object) -> object:
        if isinstance(url, str) and not _ENDPOINT.fullmatch(url):
            raise ValueError("must be https://HOST..., for the client's secret is sent there; http only on loopback")
        return url


class OAuthSection(Section):
    """`sasl.oauth`: exactly one of a token and a token endpoint."""

    token: SecretSource | None = None
    token_endpoint: TokenEndpointSection | None = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.token is None) == (self.token_endpoint is None):
            raise ValueError("give exactly one of token and token_endpoint")
        return self


class AwsSection(Section):
    """`sasl.aws`: the region of an MSK cluster, and the profile of AWS's SDK."""

    region: Text
    profile: Text | None = None


class KerberosSection(Section):
    """`sasl.kerberos`: the service name of the brokers, and a principal's keytab or a ticket cache."""

    service_name: Text = Kerberos.service_name
    principal: Text | None = None
    keytab: SecretSource | None = None
    ticket_cache: Text | None = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        if self.keytab is not None and self.ticket_cache is not None:
            raise ValueError("give at most one of keytab and ticket_cache")
        if self.keytab is not None and self.principal is None:
            raise ValueError("keytab needs principal, such as census@EXAMPLE.ORG")
        return self


class SaslSection(Section):
    """`sasl`: one user, with a password, tokens, AWS credentials, or Kerberos tickets."""

    mechanism: Literal["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER", "AWS_MSK_IAM", "GSSAPI"]
    username: Text | None = None
    password: SecretSource | None = None
    oauth: OAuthSection | None = None
    aws: AwsSection | None = None
    kerberos: KerberosSection | None = None

    @model_validator(mode="after")
    def _fits_mechanism(self) -> Self:
        needed = _NEEDED.get(self.mechanism, ("username", "password"))
        for key in ("username", "password", "oauth", "aws", "kerberos"):
            if (getattr(self, key) is None) == (key in needed):
                raise ValueError(f"mechanism {self.mechanism} {'needs' if key in needed else 'has no'} {key}")
        return self
