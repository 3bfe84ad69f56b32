"""Kafka's `client.properties` as the section of a cluster: what Kafka's tools read with --command-config.

A secret becomes a reference to its property, as a configuration may have it, never its text. What cannot be followed,
such as a class of Java that finds tokens, is an error; other keys about security that are not used are named in a note.
Keys about nothing that a census does (serializers, sizes of batches) are passed over.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote, urlsplit

from kafka_census.config.jaas import BadJaas, LoginModule, login_module
from kafka_census.errors import ConfigError
from kafka_census.files.properties_file import Property
from kafka_census.files.yaml_file import Path
from kafka_census.kafka.protocol.settings import CLEAR_PASSWORD

JAAS = "sasl.jaas.config"

_ABOUT_SECURITY = ("ssl.", "sasl.", "security.")
_IMPLIED = ("ssl.truststore.type", "ssl.keystore.type", "sasl.oauthbearer.header.urlencode")
"""Keys without a setting of ours: a store is known by its content, and credentials are always percent-encoded."""

_HANDLERS = {
    "sasl.login.callback.handler.class": ("OAuthBearerLoginCallbackHandler",),
    "sasl.client.callback.handler.class": ("IAMClientCallbackHandler",),
    "sasl.oauthbearer.jwt.retriever.class": (
        "ClientCredentialsJwtRetriever",
        "DefaultJwtRetriever",
        "FileJwtRetriever",
    ),
}
"""Classes whose work is done here, too, by their key."""

_MSK_HOST = re.compile(r"\.kafka(?:-serverless)?\.([a-z0-9-]+)\.(?:amazonaws\.com|api\.aws)")


@dataclass(frozen=True)
class FromProperties:
    """A cluster's section.

    section    data for the model of the section, without `bootstrap_servers`
    locations  the line and the property of each value, by its keys in the section
    notes      one line each: what somebody should know
    """

    section: dict[str, Any]
    locations: dict[Path, str]
    notes: tuple[str, ...]


def cluster_section(
    found: Mapping[str, Property], name: str, servers: tuple[str, ...], environ: Mapping[str, str]
) -> FromProperties:
    """The section of a cluster.

    found    the properties of the file `name`
    servers  host:port of brokers, whose names on Amazon MSK tell the region
    environ  the environment, of which AWS's region is taken otherwise

    Raises ConfigError, which names the file, the line and the property.
    """
    this = _Reading(found, name)
    if "config.providers" in found:
        raise this.mistake("config.providers", "is not supported: the file must have the values themselves")
    protocol = (this.get("security.protocol") or "PLAINTEXT").upper()
    this.put(("security_protocol",), protocol, "security.protocol")
    this.put(("client_id",), this.get("client.id") or None, "client.id")
    if protocol.endswith("SSL"):
        this.section["ssl"] = {}
        _ssl(this)
    notes: list[str] = []
    if protocol.startswith("SASL"):
        mechanism = this.get("sasl.mechanism") or "GSSAPI"
        if mechanism not in _MECHANISMS:
            raise this.mistake("sasl.mechanism", f"is none of {', '.join(_MECHANISMS)}")
        this.put(("sasl", "mechanism"), mechanism, "sasl.mechanism")
        region = next(_regions(servers), None) or environ.get("AWS_REGION") or environ.get("AWS_DEFAULT_REGION")
        _MECHANISMS[mechanism](this, region)
        if protocol == "SASL_PLAINTEXT" and mechanism in CLEAR_PASSWORD:
            this.section["allow_clear_password"] = True
            what = "the token" if mechanism == "OAUTHBEARER" else "the password"
            notes.append(f"{name}: SASL_PLAINTEXT with {mechanism} sends {what} in clear; prefer SASL_SSL")
    unused = [key for key in found if key.startswith(_ABOUT_SECURITY) and key not in this.used.union(_IMPLIED)]
    unused += [f"an option of {JAAS}"] if this.has_unused_option else []
    if unused:
        notes.append(f"{name}: not used with {protocol}: {', '.join(unused)}")
    return FromProperties(this.section, this.locations, tuple(notes))


@dataclass
class _Reading:
    """The properties, what became of them so far, and which of them were used."""

    found: Mapping[str, Property]
    name: str
    section: dict[str, Any] = field(default_factory=dict)
    locations: dict[Path, str] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    has_unused_option: bool = False

    def get(self, key: str) -> str | None:
        """The value of a key that is no secret; None where there is none."""
        self.used.add(key)
        return self.found[key].value.strip() if key in self.found else None

    def secret(self, key: str, option: str | None = None) -> dict[str, str] | None:
        """The reference to a secret: to a property, or to an option of the login module; None where there is none."""
        self.used.add(key)
        if key not in self.found or not self.found[key].value:
            return None
        return {"file": self.name, "property": key if option is None else f"{key}/{option}"}

    def put(self, path: Path, value: object, key: str) -> None:
        """Give the section a value, which came from this property; None gives it nothing."""
        if value is None:
            return
        into = self.section
        for part in path[:-1]:
            into = into.setdefault(str(part), {})
        into[str(path[-1])] = value
        self.locations[path] = self.where(key)

    def where(self, key: str) -> str:
        """The file, the line and the property."""
        return f"{self.name}:{self.found[key].line}: {key}" if key in self.found else f"{self.name}: {key}"

    def mistake(self, key: str, text: str) -> ConfigError:
        """The error about a property."""
        return ConfigError(f"{self.where(key)} {text}")

    def module(self, name: str, knows: tuple[str, ...]) -> LoginModule:
        """The login module, whose class has this name; `knows` are the options that are used."""
        self.used.add(JAAS)
        if JAAS not in self.found:
            raise self.mistake(JAAS, "is missing; a JAAS file (java.security.auth.login.config) is not read")
        try:
            module = login_module(self.found[JAAS].value)
        except BadJaas as error:
            raise self.mistake(JAAS, str(error)) from None
        if module.name.rpartition(".")[2] != name:
            raise self.mistake(JAAS, f"must name the {name} for mechanism {self.section['sasl']['mechanism']}")
        self.has_unused_option = any(option not in knows for option in module.options)
        return module

    def require_known_class(self, key: str) -> None:
        """Raise ConfigError where a class does what is not done here."""
        given = self.get(key)
        if given is not None and given.rpartition(".")[2] not in _HANDLERS[key]:
            raise self.mistake(key, f"is a class of Java, which is not run; known: {', '.join(_HANDLERS[key])}")


def _regions(servers: tuple[str, ...]) -> Iterator[str]:
    for server in servers:
        if match := _MSK_HOST.search(server):
            yield match[1]


def _ssl(this: _Reading) -> None:
    for key, setting in (("ssl.truststore.location", "cafile"), ("ssl.keystore.location", "certfile")):
        this.put(("ssl", setting), this.get(key), key)
    is_store = "ssl.keystore.location" in this.found and (this.get("ssl.keystore.type") or "").upper() != "PEM"
    own = "ssl.keystore.password" if is_store else "ssl.key.password"
    secrets = {"cafile_password": "ssl.truststore.password", "password": own}
    secrets |= {"key_password": "ssl.key.password"} if is_store else {}
    secrets |= {"ca_pem": "ssl.truststore.certificates"}
    secrets |= {"cert_pem": "ssl.keystore.certificate.chain", "key_pem": "ssl.keystore.key"}
    for setting, key in secrets.items():
        this.put(("ssl", setting), this.secret(key), key)
    key = "ssl.endpoint.identification.algorithm"
    algorithm = this.get(key)
    if algorithm is not None and algorithm.lower() not in ("", "https"):
        raise this.mistake(key, "must be https, or empty for no check of the name in a broker's certificate")
    this.put(("ssl", "check_hostname"), False if algorithm == "" else None, key)


def _password(this: _Reading, _region: str | None) -> None:
    name = "PlainLoginModule" if this.section["sasl"]["mechanism"] == "PLAIN" else "ScramLoginModule"
    module = this.module(name, ("username", "password", "tokenauth"))
    if module.options.get("tokenauth", "").lower() == "true":
        raise this.mistake(JAAS, "has tokenauth: delegation tokens are not supported")
    for option in ("username", "password"):
        if not module.options.get(option):
            raise this.mistake(JAAS, f"has no {option}")
    this.put(("sasl", "username"), module.options["username"], JAAS)
    this.put(("sasl", "password"), this.secret(JAAS, "password"), JAAS)


def _oauth(this: _Reading, _region: str | None) -> None:
    for key in ("sasl.login.callback.handler.class", "sasl.oauthbearer.jwt.retriever.class"):
        this.require_known_class(key)
    module = this.module("OAuthBearerLoginModule", ("clientId", "clientSecret", "scope", "ssl.truststore.location"))
    if any(option.startswith("extension_") for option in module.options):
        raise this.mistake(JAAS, "has an extension_...: SASL extensions are not supported")
    url = "sasl.oauthbearer.token.endpoint.url"
    endpoint = this.get(url)
    if endpoint is None:
        raise this.mistake(url, "is missing; tokens that nobody signed (unsecuredLogin...) are not supported")
    if endpoint.startswith("file:"):
        this.put(("sasl", "oauth", "token"), {"file": unquote(urlsplit(endpoint).path)}, url)
        return
    at: Path = ("sasl", "oauth", "token_endpoint")
    this.put((*at, "url"), endpoint, url)
    client = "sasl.oauthbearer.client.credentials.client."
    for key, option, property_key in (
        ("client_id", "clientId", f"{client}id"),
        ("scope", "scope", "sasl.oauthbearer.scope"),
        ("cafile", "ssl.truststore.location", ""),
    ):
        given = module.options.get(option)
        this.put((*at, key), this.get(property_key) if given is None else given, JAAS if given else property_key)
    secret = this.secret(JAAS, "clientSecret") if "clientSecret" in module.options else this.secret(f"{client}secret")
    this.put((*at, "client_secret"), secret, JAAS if "clientSecret" in module.options else f"{client}secret")


def _aws(this: _Reading, region: str | None) -> None:
    this.require_known_class("sasl.client.callback.handler.class")
    module = this.module("IAMLoginModule", ("awsProfileName",))
    if any(option.startswith("awsRole") for option in module.options):
        raise this.mistake(JAAS, "has awsRole...: name a profile with that role, by awsProfileName")
    this.put(("sasl", "aws"), {}, JAAS)
    this.put(("sasl", "aws", "region"), region, JAAS)
    this.put(("sasl", "aws", "profile"), module.options.get("awsProfileName"), JAAS)


_KERBEROS = ("principal", "keyTab", "useKeyTab", "ticketCache", "useTicketCache", "serviceName")
_OF_JAVA = ("storeKey", "doNotPrompt", "renewTGT", "debug", "refreshKrb5Config", "isInitiator")
"""Options about Java's own memory and prompts."""


def _gssapi(this: _Reading, _region: str | None) -> None:
    module = this.module("Krb5LoginModule", (*_KERBEROS, *_OF_JAVA))
    options, at = module.options, ("sasl", "kerberos")
    service = "sasl.kerberos.service.name"
    given = options.get("serviceName")
    this.put((*at, "service_name"), this.get(service) if given is None else given, service if given is None else JAAS)
    this.put((*at, "principal"), options.get("principal"), JAAS)
    if options.get("useKeyTab", "").lower() == "true" and options.get("keyTab"):
        this.put((*at, "keytab"), {"file": options["keyTab"].removeprefix("file:")}, JAAS)
    elif options.get("useTicketCache", "").lower() == "true":
        this.put(at, this.section["sasl"].get("kerberos", {}), JAAS)
        this.put((*at, "ticket_cache"), options.get("ticketCache"), JAAS)
    else:
        raise this.mistake(JAAS, "needs useKeyTab=true with keyTab and principal, or useTicketCache=true")


_MECHANISMS: Mapping[str, Callable[[_Reading, str | None], None]] = {
    "PLAIN": _password,
    "SCRAM-SHA-256": _password,
    "SCRAM-SHA-512": _password,
    "OAUTHBEARER": _oauth,
    "AWS_MSK_IAM": _aws,
    "GSSAPI": _gssapi,
}
