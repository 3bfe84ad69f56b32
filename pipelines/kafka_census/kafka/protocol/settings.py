"""How to reach a cluster and how hard to try, as frozen values.

`config` builds these from conf/; everything on the wire side takes them as values.
Times are milliseconds, sizes bytes.
"""

from base64 import b64encode
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Self

from kafka_census.files import operator_file
from kafka_census.kafka.protocol.aws import Aws
from kafka_census.kafka.protocol.secret import Secret


@dataclass(frozen=True)
class Ssl:
    """TLS: files, PEM, PKCS#12 or JKS; `cafile` None trusts the system's authorities.

    Pickled for a task it takes along what the files hold by then: an executor may have no such files.

    password      of the private key, or of the store in `certfile`, which holds key and certificate
    key_password  of the private key in a JKS store; None: that of the store
    carried       what came along with a task, or without a file, by path
    """

    cafile: str | None = None
    cafile_password: Secret | None = None
    certfile: str | None = None
    keyfile: str | None = None
    password: Secret | None = None
    key_password: Secret | None = None
    check_hostname: bool = True
    carried: Mapping[str, bytes] = field(default_factory=dict, repr=False, compare=False)

    def content(self, path: str) -> bytes:
        """What one of the files holds: as it came along, else as it is here. Raises OSError."""
        held = self.carried.get(path)
        return operator_file.regular(path) if held is None else held

    def __reduce__(self) -> tuple[type["Ssl"], tuple[object, ...]]:
        """Pickle the files with their contents; one that cannot be read is reported by whoever opens it."""
        carried = {}
        for path in filter(None, (self.cafile, self.certfile, self.keyfile)):
            with suppress(OSError):
                carried[path] = self.content(path)
        trusted, own = (self.cafile, self.cafile_password), (self.certfile, self.keyfile)
        return Ssl, (*trusted, *own, self.password, self.key_password, self.check_hostname, carried)


@dataclass(frozen=True)
class Renewed:
    """A secret that somebody else renews. What `file` holds is read anew at each authentication; without one, `text`.

    Pickled for a task it takes along what the file holds by then: an executor may have no such file.
    """

    text: Secret
    file: str | None = None

    def current(self) -> Secret:
        """The secret as it is now; `text` where the file cannot be read, or is empty while it is replaced."""
        try:
            found = self._text_of(operator_file.regular(self.file)) if self.file else ""
        except (OSError, UnicodeDecodeError):
            return self.text
        return Secret(found) if found else self.text

    def _text_of(self, content: bytes) -> str:
        return content.decode().strip()

    def __reduce__(self) -> tuple[type[Self], tuple[Secret, str | None]]:
        """Pickle the secret as it is now."""
        return type(self), (self.current(), self.file)


class Token(Renewed):
    """A token for OAUTHBEARER."""


class Keytab(Renewed):
    """The keys of a Kerberos principal: a keytab's bytes, in base64."""

    def _text_of(self, content: bytes) -> str:
        return b64encode(content).decode()


@dataclass(frozen=True)
class ClientCredentials:
    """What a token endpoint gives tokens for (RFC 6749, 4.4); `ssl` says by which authorities it is known."""

    token_endpoint: str
    client_id: str
    client_secret: Secret
    scope: str | None = None
    ssl: Ssl = Ssl()


@dataclass(frozen=True)
class Kerberos:
    """GSSAPI: a principal with its keytab, or a ticket cache; `ticket_cache` None for the cache of `KRB5CCNAME`.

    service_name  the first part of the brokers' principals: `kafka` of `kafka/host@REALM`
    principal     None for the principal of the ticket cache
    """

    service_name: str = "kafka"
    principal: str | None = None
    keytab: Keytab | None = None
    ticket_cache: str | None = None


CLEAR_PASSWORD = ("PLAIN", "OAUTHBEARER")
"""Mechanisms that send the password, or a token that serves as one. The others prove it without sending it."""


@dataclass(frozen=True)
class Sasl:
    """SASL: PLAIN, SCRAM-SHA-256 and SCRAM-SHA-512 have `username` and `password`; OAUTHBEARER has `oauth`.

    AWS_MSK_IAM has `aws`, GSSAPI `kerberos`.
    """

    mechanism: str
    username: str | None = None
    password: Secret | None = None
    oauth: Token | ClientCredentials | None = None
    aws: Aws | None = None
    kerberos: Kerberos | None = None


@dataclass(frozen=True)
class ClusterSettings:
    """One configured cluster. `cluster_id`, where given, is proven on every connection before anything else is asked.

    allowed_hosts    names, suffixes and networks to which connections may lead; none: any host
    answered_before  whether `cluster_id` is that of an earlier answer, because the configuration names none
    """

    name: str
    bootstrap_servers: tuple[str, ...]
    cluster_id: str | None = None
    client_id: str = "kafka-census"
    security_protocol: str = "PLAINTEXT"
    ssl: Ssl = Ssl()
    sasl: Sasl | None = None
    allowed_hosts: tuple[str, ...] = ()
    answered_before: bool = False

    def proving(self, cluster_id: str) -> Self:
        """The same for connections that prove this id, which an earlier answer named."""
        return replace(self, cluster_id=cluster_id, answered_before=self.cluster_id is None)

    @property
    def uses_tls(self) -> bool:
        """Whether connections are encrypted."""
        return self.security_protocol.endswith("SSL")

    @property
    def sends_clear_password(self) -> bool:
        """Whether connections send a password or a token that everybody on their way can read."""
        return self.sasl is not None and not self.uses_tls and self.sasl.mechanism in CLEAR_PASSWORD
