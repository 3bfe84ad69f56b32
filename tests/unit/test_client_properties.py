"""Brokers of a command line, with Kafka's client.properties, or of the environment alone: what a file gives, too."""

import os
import threading
from pathlib import Path
from typing import Any

import pytest
import yaml

from kafka_census.config import load, load_given
from kafka_census.declarations.given import Given
from kafka_census.errors import ConfigError
from kafka_census.kafka.protocol.aws import Aws
from kafka_census.kafka.protocol.secret import Secret
from kafka_census.kafka.protocol.settings import (
    ClientCredentials,
    ClusterSettings,
    Kerberos,
    Keytab,
    Sasl,
    Ssl,
    Token,
)
from unit.configuring import loaded, ran, with_cluster

pytestmark = pytest.mark.usefixtures("conf")

CANARY = "canary-hunter2"
FILE = "client.properties"
MODULES = "org.apache.kafka.common.security"
OF = {
    "PLAIN": f"{MODULES}.plain.PlainLoginModule",
    "SCRAM-SHA-512": f"{MODULES}.scram.ScramLoginModule",
    "OAUTHBEARER": f"{MODULES}.oauthbearer.OAuthBearerLoginModule",
    "AWS_MSK_IAM": "software.amazon.msk.auth.iam.IAMLoginModule",
    "GSSAPI": "com.sun.security.auth.module.Krb5LoginModule",
}
TRUST = "ssl.truststore.location=store\nssl.truststore.password=t"
KEYSTORE = "ssl.keystore.location=store\nssl.keystore.password=k\nssl.keystore.type=JKS\nssl.key.password=p"
URL = "sasl.oauthbearer.token.endpoint.url=https://login.example.org/token"
HANDLER = f"sasl.login.callback.handler.class={MODULES}.oauthbearer.secured.OAuthBearerLoginCallbackHandler"
MSK = "b-1.demo.abc.c2.kafka.eu-central-1.amazonaws.com:9098"


def sasl(mechanism: str, options: str, *others: str, protocol: str = "SASL_SSL", module: str = "") -> str:
    jaas = f"sasl.jaas.config={module or OF[mechanism]} required {options};"
    return "\n".join((f"security.protocol={protocol}", f"sasl.mechanism={mechanism}", jaas, *others))


def given(text: str, servers: str = "h:1,h:2", **environ: str) -> Any:
    """The configuration of a command line with this file."""
    Path(FILE).write_text(text, encoding="latin-1")
    return load_given(Given(bootstrap_server=servers, command_config=FILE), environ)


def settings(**values: Any) -> ClusterSettings:
    return ClusterSettings("kafka", ("h:1", "h:2"), **values)


def signed(mechanism: str, **how: Any) -> ClusterSettings:
    return settings(security_protocol="SASL_SSL", sasl=Sasl(mechanism, **how))


USER = {"username": "census", "password": Secret(CANARY)}
ENDPOINT = "https://login.example.org/token"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", settings()),
        ("security.protocol: plaintext\nclient.id tool\nkey.serializer=x\n!batch.size=1", settings(client_id="tool")),
        (sasl("PLAIN", f'username="census" password="{CANARY}"'), signed("PLAIN", **USER)),
        (
            sasl("SCRAM-SHA-512", "username=census password='a;b'", protocol="SASL_PLAINTEXT"),
            settings(security_protocol="SASL_PLAINTEXT", sasl=Sasl("SCRAM-SHA-512", "census", Secret("a;b"))),
        ),
        (
            sasl("OAUTHBEARER", f"clientId='c' clientSecret='{CANARY}' scope=kafka", URL, HANDLER),
            signed("OAUTHBEARER", oauth=ClientCredentials(ENDPOINT, "c", Secret(CANARY), "kafka")),
        ),
        (
            # KIP-1139
            sasl(
                *("OAUTHBEARER", "", URL, f"sasl.oauthbearer.client.credentials.client.secret={CANARY}"),
                "sasl.oauthbearer.client.credentials.client.id=c",
            ),
            signed("OAUTHBEARER", oauth=ClientCredentials(ENDPOINT, "c", Secret(CANARY))),
        ),
        (
            sasl("OAUTHBEARER", "", "sasl.oauthbearer.token.endpoint.url=file:HERE/a%20token"),
            signed("OAUTHBEARER", oauth=Token(Secret(CANARY), "HERE/a token")),
        ),
        (
            sasl("GSSAPI", "useKeyTab=true keyTab='keytab' principal='c@R' storeKey=true serviceName=brokers"),
            signed("GSSAPI", kerberos=Kerberos("brokers", "c@R", Keytab(Secret("BQI="), "HERE/keytab"))),
        ),
        (
            sasl("GSSAPI", "useTicketCache=true ticketCache='/run/c'", "sasl.kerberos.service.name=k").replace(
                "sasl.mechanism=GSSAPI\n", ""
            ),
            signed("GSSAPI", kerberos=Kerberos("k", None, None, "/run/c")),
        ),
        (
            f"security.protocol=SSL\n{TRUST}\n{KEYSTORE}\nssl.endpoint.identification.algorithm=",
            settings(
                security_protocol="SSL",
                ssl=Ssl("HERE/store", Secret("t"), "HERE/store", None, Secret("k"), Secret("p"), check_hostname=False),
            ),
        ),
        (
            "security.protocol=SSL\nssl.keystore.type=PEM\nssl.keystore.location=store\nssl.key.password=p",
            settings(security_protocol="SSL", ssl=Ssl(certfile="HERE/store", password=Secret("p"))),
        ),
    ],
)
def test_client_properties_give_what_a_configuration_file_gives(
    conf: Path, text: str, expected: ClusterSettings
) -> None:
    for name, content in (("store", b"x"), ("a token", CANARY.encode()), ("keytab", b"\x05\x02")):
        (conf.parent / name).write_bytes(content)
    config = given(text.replace("HERE", str(conf.parent)))
    found = config.cluster("kafka")
    assert repr(found) == repr(expected).replace("HERE", str(conf.parent))
    if expected.sasl is not None:
        assert (found.sasl.password, found.sasl.kerberos) == (expected.sasl.password, found.sasl.kerberos)
        assert getattr(found.sasl.oauth, "client_secret", None) == getattr(expected.sasl.oauth, "client_secret", None)
    assert (found.ssl.password, found.ssl.key_password) == (expected.ssl.password, expected.ssl.key_password)
    assert CANARY not in repr(config) + repr(found) + repr(config.source)
    assert config.lake.root == f"{conf.parent}/kafka-census-lake"


def test_aws_s_region_is_that_of_the_brokers_or_of_its_sdk() -> None:
    handler = "sasl.client.callback.handler.class=software.amazon.msk.auth.iam.IAMClientCallbackHandler"
    text = sasl("AWS_MSK_IAM", 'awsProfileName="census"', handler)
    assert given(text, MSK).cluster("kafka").sasl == Sasl("AWS_MSK_IAM", aws=Aws("eu-central-1", "census"))
    assert given(text, AWS_REGION="us-east-1").cluster("kafka").sasl.aws == Aws("us-east-1", "census")
    with pytest.raises(ConfigError, match=r"'region' is missing in clusters\.kafka\.sasl\.aws"):
        given(text)


def test_certificates_and_a_key_may_stand_in_the_file(conf: Path) -> None:
    lines = {"ssl.truststore.certificates": "CA", "ssl.keystore.certificate.chain": "CERT", "ssl.keystore.key": CANARY}
    text = "".join(f"{key}=-----BEGIN-----\\n\\\n  {value}\\n\n" for key, value in lines.items())
    config = given(f"security.protocol=SSL\n{text}ssl.key.password=p")
    found = config.cluster("kafka").ssl
    pem = [found.content(path).decode() for path in (found.cafile, found.certfile, found.keyfile)]
    assert pem == [f"-----BEGIN-----\n{value}\n" for value in lines.values()]
    assert found.password == Secret("p")
    assert CANARY not in repr(found) + repr(config)


KEYTAB = "useKeyTab=true keyTab=k"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a=b\nsecurity.protocol=TLS", "2: security.protocol: clusters.kafka.security_protocol must be 'PLAINTEXT', "),
        (sasl("PLAIN", "").replace("=PLAIN", "=NTLM"), "2: sasl.mechanism is none of PLAIN, SCRAM-SHA-256, SCRAM-SHA"),
        ("security.protocol=SASL_SSL\nsasl.mechanism=PLAIN", " sasl.jaas.config is missing; a JAAS file (java.sec"),
        (sasl("PLAIN", f"username=u password='{CANARY}'")[:-1], "3: sasl.jaas.config does not end with a semicolon"),
        (sasl("PLAIN", f"username=u password={CANARY}@x"), "3: sasl.jaas.config has a character between its options"),
        (sasl("PLAIN", f"username=u password=x {CANARY} y"), "has an option without a value that is a word or in quo"),
        (sasl("PLAIN", "username=u"), "sasl.jaas.config has no password"),
        (sasl("PLAIN", "", module="a.ScramLoginModule"), "must name the PlainLoginModule for mechanism PLAIN"),
        (sasl("SCRAM-SHA-512", "username=u password=p tokenauth=true"), "delegation tokens are not supported"),
        (sasl("OAUTHBEARER", "clientId=c"), "token.endpoint.url is missing; tokens that nobody signed"),
        (sasl("OAUTHBEARER", "extension_logicalCluster=c", URL), "SASL extensions are not supported"),
        (
            sasl("OAUTHBEARER", "", "sasl.login.callback.handler.class=a.B"),
            "4: sasl.login.callback.handler.class is a ",
        ),
        (sasl("OAUTHBEARER", "clientId=c", URL), "'client_secret' is missing in clusters.kafka.sasl.oauth.token_endp"),
        (sasl("AWS_MSK_IAM", "awsRoleArn='a'"), "has awsRole...: name a profile with that role"),
        (sasl("GSSAPI", "storeKey=true"), "needs useKeyTab=true with keyTab and principal, or useTicketCache=true"),
        (sasl("GSSAPI", KEYTAB), "keytab needs principal"),
        ("security.protocol=SSL\nssl.endpoint.identification.algorithm=LDAPS", "2: ssl.endpoint.identification.algor"),
        ("security.protocol=SSL\nssl.keystore.key=k", "key_pem needs cert_pem"),
        ("config.providers=file", "1: config.providers is not supported"),
        (f"password=\\u{CANARY}", " is no .properties file: \\u without four hexadecimal digits"),
    ],
)
def test_what_cannot_be_followed_is_one_line_without_a_value(text: str, line: str) -> None:
    with pytest.raises(ConfigError) as caught:
        given(text)
    said = str(caught.value)
    assert said.startswith(f"{FILE}:"), said
    assert line in said
    assert (said.count("\n"), CANARY in said, caught.value.exit_code) == (0, False, 2)


def test_keys_about_security_that_are_not_used_are_one_line_and_others_none() -> None:
    text = "ssl.truststore.type=JKS\nssl.cipher.suites=x\nsecurity.providers=y\nlinger.ms=5\nbootstrap.servers=h:9\n"
    assert given(f"{text}sasl.jaas.config=z").notes == (
        f"{FILE}: not used with PLAINTEXT: ssl.cipher.suites, security.providers, sasl.jaas.config",
    )
    clear = sasl("PLAIN", "username=u password=p debug=true", protocol="SASL_PLAINTEXT")
    assert given(clear).notes == (
        f"{FILE}: SASL_PLAINTEXT with PLAIN sends the password in clear; prefer SASL_SSL",
        f"{FILE}: not used with SASL_PLAINTEXT: an option of sasl.jaas.config",
    )


def test_a_file_may_be_a_pipe_which_is_read_once(conf: Path) -> None:
    """As a shell makes it for `<(decrypt client.properties)`."""
    pipe = conf.parent / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(sasl("PLAIN", f"username=u password={CANARY}"),))
    writer.start()
    config = load_given(Given(bootstrap_server="h:1", command_config=str(pipe)), {})
    writer.join()
    assert config.cluster("kafka").sasl.password == Secret(CANARY)
    assert config.exposed("kafka") == ()


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ({"file": FILE, "property": "no"}, f"the file HERE/{FILE} has no no"),
        (
            {"file": FILE, "property": "sasl.jaas.config/username"},
            f"the file HERE/{FILE} has no sasl.jaas.config/username",
        ),
        ({"file": FILE, "property": "b/c"}, f"b in the file HERE/{FILE} does not end with a semicolon"),
        ({"file": FILE, "property": "c"}, f"c in the file HERE/{FILE} is empty"),
        ({"file": "no", "property": "c"}, "no: cannot be read: No such file or directory"),
        ({"env": "A", "property": "c"}, "property (a key of a .properties file) needs file"),
    ],
)
def test_a_reference_to_a_property_leads_to_a_text_or_to_one_line(conf: Path, source: Any, line: str) -> None:
    (conf.parent / FILE).write_text(f"sasl.jaas.config=a.B required password={CANARY};\nb=a.B required {CANARY}=x\nc=")
    keys = {"mechanism": "PLAIN", "username": "u", "password": source}
    with pytest.raises(ConfigError) as caught:
        loaded(with_cluster(security_protocol="SASL_SSL", sasl=keys)).cluster("local")
    said = str(caught.value)
    assert said.endswith(f": {line.replace('HERE', str(conf.parent))}")
    assert (said.count("\n"), CANARY in said) == (0, False)


def test_the_environment_alone_names_clusters_and_wins_over_properties_not_over_options() -> None:
    of = "KAFKA_CENSUS__CLUSTERS__"
    named = {f"{of}EU_PROD__BOOTSTRAP_SERVERS": "h:1", f"{of}EU_PROD__SASL__PASSWORD": CANARY}
    named |= {f"{of}EU_PROD__SECURITY_PROTOCOL": "SASL_SSL", f"{of}EU_PROD__SASL__MECHANISM": "PLAIN"}
    named |= {f"{of}EU_PROD__SASL__USERNAME": "u"}
    alone = load_given(Given(), named)
    assert (alone.only_cluster, alone.cluster("eu_prod").sasl.password) == ("eu_prod", Secret(CANARY))
    assert alone.lake.root == str(Path("kafka-census-lake").resolve())
    assert load_given(Given(lake="other"), {**named, "KAFKA_CENSUS__LAKE__CATALOG": "a.b"}).lake.root.endswith("/other")
    with pytest.raises(ConfigError, match="EU_PROD__BOOTSTRAP_SERVER: unknown key"):
        load_given(Given(), {f"{of}EU_PROD__BOOTSTRAP_SERVER": "h:1"})

    variables = {f"{of}PROD_1__BOOTSTRAP_SERVERS": "no:1", f"{of}PROD_1__CLIENT_ID": "env"}
    Path(FILE).write_text("client.id=file", encoding="utf-8")
    options = Given(bootstrap_server="h:1", command_config=FILE, cluster="prod-1")
    found = load_given(options, variables).cluster("prod-1")
    assert (found.bootstrap_servers, found.client_id) == (("h:1",), "env")
    with pytest.raises(ConfigError, match=f"{FILE}; did you mean 'PROD_1'"):
        load_given(options, {f"{of}PROD_2__CLIENT_ID": "x"})


@pytest.mark.parametrize(
    ("argv", "line"),
    [
        ("run --config a.yaml --bootstrap-server h:1", "--config and --bootstrap-server exclude each other"),
        ("sql --config a.yaml --lake l", "--config and --lake exclude each other"),
        ("doctor --command-config c", "--command-config goes with --bootstrap-server HOST:PORT"),
        ("run --lake l", "--lake is used without a configuration file: name brokers with --bootstrap-server HOST:PORT"),
        (
            "run --bootstrap-server h",
            "--bootstrap-server: clusters.kafka.bootstrap_servers: server 1 must be host:port",
        ),
        ("doctor --bootstrap-server h:1 --command-config no", "no: cannot be read: No such file or directory"),
        (
            "run --bootstrap-server h:1 --cluster a --cluster b",
            "--bootstrap-server leads to one cluster: give one --clu",
        ),
        ("run --bootstrap-server h:1 --cluster a:b", "clusters: cluster name 'a:b' must be letters and digits joined"),
        ("run --clus a", "error: unrecognized arguments: --clus a; see --help"),
        ("sql --config a --config b", "error: argument --config: is given twice; see --help"),
        ("report", "neither conf/census.yaml nor the lake kafka-census-lake is in this folder; name the lake with"),
        ("init --lake l", "--command-config, --lake and --cluster go with --bootstrap-server HOST:PORT"),
    ],
)
def test_options_that_do_not_fit_are_one_line_and_2(argv: str, line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert ran(*argv.split()) == 2
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)
    assert line in said.err


def test_init_fills_the_file_in_and_writes_no_secret(capsys: pytest.CaptureFixture[str]) -> None:
    """What the file gives is what the command line gives."""
    text = sasl("PLAIN", f"username=u password={CANARY}", "ssl.truststore.certificates=CA", "ssl.cipher.suites=x")
    Path(FILE).write_text(text, encoding="utf-8")
    options = ("--bootstrap-server", "h:1,h:2", "--command-config", FILE, "--cluster", "eu-prod", "--lake", "s3://b/l")
    assert ran("init", *options) == 0
    said = capsys.readouterr()
    assert said.out == "conf/census.yaml is written. Next: kafka-census run\n"
    assert said.err == f"note: {FILE}: not used with SASL_SSL: ssl.cipher.suites\n"
    written = Path("conf/census.yaml").read_text(encoding="utf-8")
    assert CANARY not in written
    made = load("conf/census.yaml", {})
    of_options = load_given(Given(None, "h:1,h:2", FILE, "s3://b/l", "eu-prod"), {})
    assert (made.lake, made.tables, made.collect) == (of_options.lake, of_options.tables, of_options.collect)
    assert made.cluster("eu-prod") == of_options.cluster("eu-prod")
    assert made.cluster("eu-prod").sasl.password == Secret(CANARY)
    assert list(yaml.safe_load(written)["clusters"]) == ["eu-prod"]
