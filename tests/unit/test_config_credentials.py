"""`sasl` of a cluster: what each mechanism takes, as values; what does not fit is one line without a value."""

from base64 import b64encode
from pathlib import Path

import pytest

from kafka_census.errors import ConfigError
from kafka_census.kafka.protocol.aws import Aws
from kafka_census.kafka.protocol.secret import Secret
from kafka_census.kafka.protocol.settings import ClientCredentials, Kerberos, Keytab, Sasl, Ssl, Token
from unit.configuring import loaded, local, refusal, with_cluster

pytestmark = pytest.mark.usefixtures("conf")

CANARY = "canary-hunter2"
PLAIN = {"mechanism": "PLAIN", "username": "u", "password": {"env": "P"}}
BEARER = {"mechanism": "OAUTHBEARER", "oauth": {"token": {"env": "P"}}}
IN_CLEAR = "in clear without TLS: use security_protocol SASL_SSL, or accept that with allow_clear_password: true"


def with_sasl(**sasl: object) -> str:
    return with_cluster(security_protocol="SASL_SSL", sasl=sasl)


def test_a_token_comes_from_a_file_that_is_read_again_or_from_a_variable(
    conf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (conf.parent / "jwt").write_text(f"{CANARY}\n", encoding="utf-8")
    text = with_sasl(mechanism="OAUTHBEARER", oauth={"token": {"file": "jwt"}})
    config = loaded(text)
    assert config.cluster("local").sasl == Sasl("OAUTHBEARER", oauth=Token(Secret(CANARY), str(conf.parent / "jwt")))
    own = {"KAFKA_CENSUS__CLUSTERS__LOCAL__SASL__OAUTH__TOKEN": CANARY}
    assert local(text, **own).sasl == Sasl("OAUTHBEARER", oauth=Token(Secret(CANARY)))
    monkeypatch.setattr("kafka_census.config.is_exposed", Path.is_file)
    assert config.exposed("local") == ("jwt",)


def test_client_credentials_are_those_of_a_token_endpoint(conf: Path) -> None:
    (conf.parent / "ca.pem").touch()
    endpoint = {"url": "https://login.example.org/token", "client_id": "c", "client_secret": {"env": "CLIENT_SECRET"}}
    oauth = {"token_endpoint": {**endpoint, "scope": "kafka", "cafile": "ca.pem"}}
    text = with_sasl(mechanism="OAUTHBEARER", oauth=oauth)
    sasl = local(text, CLIENT_SECRET=CANARY).sasl
    trusted = Ssl(cafile=str(conf.parent / "ca.pem"))
    assert sasl.oauth == ClientCredentials(endpoint["url"], "c", Secret(CANARY), "kafka", trusted)
    assert CANARY not in repr(sasl)
    at = "clusters.local.sasl.oauth.token_endpoint.client_secret"
    with pytest.raises(ConfigError, match=f"{at}: the environment variable CLIENT_SECRET is not set$"):
        local(text)


def test_a_keytab_comes_from_a_file_or_in_base64_from_a_variable(conf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (conf.parent / "keytab").write_bytes(b"\x05\x02\xff" + CANARY.encode())
    text = b64encode(b"\x05\x02\xff" + CANARY.encode()).decode()
    kerberos: dict[str, object] = {"principal": "census@EXAMPLE.ORG", "keytab": {"file": "keytab"}}
    config = loaded(with_sasl(mechanism="GSSAPI", kerberos=kerberos))
    assert config.cluster("local").sasl == Sasl(
        "GSSAPI", kerberos=Kerberos("kafka", "census@EXAMPLE.ORG", Keytab(Secret(text), str(conf.parent / "keytab")))
    )
    assert text not in repr(config.cluster("local"))
    monkeypatch.setattr("kafka_census.config.is_exposed", Path.is_file)
    assert config.exposed("local") == ("keytab",)
    kerberos["keytab"] = {"env": "KEYTAB"}
    sasl = local(with_sasl(mechanism="GSSAPI", kerberos=kerberos), KEYTAB=text).sasl
    assert sasl == Sasl("GSSAPI", kerberos=Kerberos("kafka", "census@EXAMPLE.ORG", Keytab(Secret(text))))
    own = {"KAFKA_CENSUS__CLUSTERS__LOCAL__SASL__KERBEROS__KEYTAB": text}
    assert local(with_sasl(mechanism="GSSAPI", kerberos=kerberos), **own).sasl == sasl


def test_tickets_may_be_of_a_cache_and_aws_signs_for_a_region() -> None:
    named = {"service_name": "brokers", "ticket_cache": "/run/census.cache"}
    for kerberos, expected in ((named, Kerberos("brokers", None, None, "/run/census.cache")), ({}, Kerberos())):
        sasl = local(with_sasl(mechanism="GSSAPI", kerberos=kerberos)).sasl
        assert sasl == Sasl("GSSAPI", kerberos=expected)
    aws = {"region": "eu-central-1", "profile": "census"}
    assert local(with_sasl(mechanism="AWS_MSK_IAM", aws=aws)).sasl == Sasl("AWS_MSK_IAM", aws=Aws(*aws.values()))


@pytest.mark.parametrize(
    ("keytab", "reported"),
    [
        ({"file": "none"}, r"the file \S*/none does not exist"),
        ({"file": "empty"}, r"the file \S*/empty is empty"),
        ({"file": "census.yaml"}, r"the file \S*/census\.yaml holds no keytab"),
        ({"env": "NONE"}, "the environment variable NONE is not set"),
        ({"env": "TEXT"}, "the environment variable TEXT holds no keytab in base64"),
    ],
)
def test_what_is_no_keytab_is_one_line(conf: Path, keytab: dict[str, str], reported: str) -> None:
    (conf.parent / "empty").touch()
    text = with_sasl(mechanism="GSSAPI", kerberos={"principal": "census", "keytab": keytab})
    with pytest.raises(ConfigError, match=rf"sasl\.kerberos\.keytab: {reported}$") as caught:
        local(text, TEXT=CANARY)
    assert CANARY not in str(caught.value)


_PASSWORD = {"username": "u", "password": {"env": "P"}}
_TOKEN: dict[str, object] = {"token": {"env": "T"}}
_ENDPOINT: dict[str, object] = {"url": "https://h", "client_id": "c", "client_secret": {"env": "S"}}
_KEYTAB = {"principal": "c", "keytab": {"file": "f"}}
_NO_URLS = ("http://h/token", "h:443", f"https://u:{CANARY}@h/", "file:///etc/passwd", "https://", "https://h#f")
_AT = "clusters.local.sasl.oauth.token_endpoint"
_NO_ENDPOINTS = (
    ({"url": "https://h", "client_id": "c"}, f"'client_secret' is missing in {_AT}"),
    (_ENDPOINT | {"secret": CANARY}, f"unknown key 'secret' in {_AT}; known: url, client_id, client_secret"),
    *((_ENDPOINT | {"url": url}, f"{_AT}.url: must be https://HOST...") for url in _NO_URLS),
)


@pytest.mark.parametrize(
    ("mechanism", "sasl", "expected"),
    [
        ("PLAIN", {"username": "u"}, "sasl: mechanism PLAIN needs password"),
        ("SCRAM-SHA-512", {"password": {"env": "P"}}, "sasl: mechanism SCRAM-SHA-512 needs username"),
        ("PLAIN", {**_PASSWORD, "oauth": _TOKEN}, "sasl: mechanism PLAIN has no oauth"),
        ("AWS_MSK_IAM", {"aws": {}}, "'region' is missing in clusters.local.sasl.aws"),
        ("GSSAPI", {"kerberos": {"keytab": {"file": "f"}}}, "keytab needs principal, such as census@"),
        ("GSSAPI", {"kerberos": _KEYTAB | {"ticket_cache": "t"}}, "give at most one of keytab and ticket_cache"),
        ("GSSAPI", {"kerberos": _KEYTAB | {"keytab": CANARY}}, "a secret is never written here"),
        ("OAUTHBEARER", {}, "sasl: mechanism OAUTHBEARER needs oauth"),
        ("OAUTHBEARER", {**_PASSWORD, "oauth": _TOKEN}, "sasl: mechanism OAUTHBEARER has no username"),
        ("OAUTHBEARER", {"oauth": {}}, "give exactly one of token and token_endpoint"),
        ("OAUTHBEARER", {"oauth": _TOKEN | {"token_endpoint": _ENDPOINT}}, "give exactly one of token and token_endp"),
        *(("OAUTHBEARER", {"oauth": {"token_endpoint": endpoint}}, expected) for endpoint, expected in _NO_ENDPOINTS),
    ],
)
def test_credentials_that_do_not_fit_their_mechanism_are_refused(
    mechanism: str, sasl: dict[str, object], expected: str
) -> None:
    line = refusal(with_sasl(mechanism=mechanism, **sasl))
    assert expected in line
    assert CANARY not in line


def test_a_password_in_clear_needs_consent_and_one_that_nobody_can_read_none() -> None:
    scram, consent = {**PLAIN, "mechanism": "SCRAM-SHA-256"}, {"allow_clear_password": True}
    hidden = [("SASL_SSL", PLAIN, {}), ("SASL_SSL", BEARER, {}), ("SASL_PLAINTEXT", scram, {})]
    for protocol, sasl, how in (*hidden, ("SASL_PLAINTEXT", PLAIN, consent), ("SASL_PLAINTEXT", BEARER, consent)):
        text = with_cluster(security_protocol=protocol, sasl=sasl, **how)
        assert local(text, P=CANARY).sends_clear_password == bool(how)
    for sasl, what in (
        (PLAIN, "mechanism PLAIN sends the password"),
        (BEARER, "mechanism OAUTHBEARER sends the token"),
    ):
        assert f"{what} {IN_CLEAR}" in refusal(with_cluster(security_protocol="SASL_PLAINTEXT", sasl=sasl))


def test_allowed_hosts_are_names_suffixes_and_networks() -> None:
    hosts = "kafka-1.example.org, .eu.example.org, 10.1.0.0/16, ::1"
    assert local(with_cluster()).allowed_hosts == ()
    own = {"KAFKA_CENSUS__CLUSTERS__LOCAL__ALLOWED_HOSTS": hosts}
    assert local(with_cluster(), **own).allowed_hosts == tuple(hosts.split(", "))
    line = refusal(with_cluster(allowed_hosts=["a.example.org", "*.example.org"]))
    assert "entry 2 must be a host name, a suffix such as .exa" in line
