"""AWS_MSK_IAM against a stand-in: what is signed, with which credentials, and that none of them is shown.

botocore is not installed here: what it finds is given by a stand-in of its session. No test reaches AWS.
"""

import datetime as dt
import json
import pickle
import socket
import ssl
import sys
from collections.abc import Callable, Iterator
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from kafka.net.sasl import msk
from kafka.protocol.admin import DescribeClusterRequest

from harness.sasl import sasl
from harness.standin import StandIn
from harness.tls import Tls
from kafka_census.errors import AuthenticationFailed, ConfigError
from kafka_census.protocol import aws
from kafka_census.protocol.cluster import bootstrap
from kafka_census.protocol.settings import Aws, ClusterSettings, Sasl, Ssl
from unit.walking import PATIENT

SECRET_KEY = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
TOKEN = "session/canary+token=="
REGION = "eu-central-1"
SIGNATURE = "7ee401fb5999ce3f85896c01e3c0e8b38f8ed00058d24ccb379183d0b0fc64bc"
"""Of the request below, by botocore 1.44.8: SigV4QueryAuth of GET https://127.0.0.1/?Action=kafka-cluster:Connect."""


class SecuredStandIn(StandIn):
    """A broker that speaks TLS."""

    context: ssl.SSLContext

    def _serve(self, sock: socket.socket) -> None:
        super()._serve(self.context.wrap_socket(sock, server_side=True))


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> Tls:
    """Of the broker."""
    return Tls(tmp_path_factory.mktemp("msk") / "tls")


@pytest.fixture
def sdk(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """What botocore finds, by profile; nothing in the default one."""
    found: dict[str | None, tuple[str, str, str | None]] = {"census": ("AKIDEXAMPLE", SECRET_KEY, TOKEN)}

    class Session:
        """As far as it is used."""

        def __init__(self, profile: str | None) -> None:
            self.profile = profile

        def get_credentials(self) -> Any:
            """None, or what can be frozen."""
            is_there = self.profile in found
            return SimpleNamespace(get_frozen_credentials=lambda: found[self.profile]) if is_there else None

    modules = {name: ModuleType(name) for name in ("botocore", "botocore.session", "botocore.exceptions")}
    modules["botocore.session"].Session = Session  # type: ignore[attr-defined]
    modules["botocore.exceptions"].BotoCoreError = type("BotoCoreError", (Exception,), {})  # type: ignore[attr-defined]
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr(aws, "find_spec", lambda name: name)
    aws._found.cache_clear()
    return SimpleNamespace(found=found)


@pytest.fixture
def sent(tls: Tls) -> Iterator[Callable[[str], tuple[SecuredStandIn, list[bytes]]]]:
    """Serve a broker that refuses everybody in the words that are made of what it was sent."""
    started: list[SecuredStandIn] = []

    def serve(words: str) -> tuple[SecuredStandIn, list[bytes]]:
        tokens: list[bytes] = []

        def answer(token: bytes) -> str:
            tokens.append(token)
            return words.format(token.decode())

        nobody = {DescribeClusterRequest: lambda _request, _n: pytest.fail("nobody was let in")}
        broker = SecuredStandIn({**sasl(answer, ("AWS_MSK_IAM",)), **nobody})
        broker.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        broker.context.load_cert_chain(tls.keystore)
        started.append(broker.__enter__())
        return broker, tokens

    yield serve
    for one in started:
        one.__exit__()


def settings(broker: StandIn, tls: Tls, profile: str | None = "census") -> ClusterSettings:
    """A cluster of MSK."""
    return ClusterSettings(
        "prod",
        (f"127.0.0.1:{broker.endpoint.port}",),
        security_protocol="SASL_SSL",
        ssl=Ssl(cafile=str(tls.cafile)),
        sasl=Sasl("AWS_MSK_IAM", aws=Aws(REGION, profile)),
    )


def line(cluster: ClusterSettings) -> str:
    """The one line at bootstrap."""
    with pytest.raises(AuthenticationFailed) as caught:
        bootstrap(cluster, PATIENT)
    assert len(str(caught.value).splitlines()) == 1
    return str(caught.value)


@pytest.mark.usefixtures("sdk")
def test_the_signature_is_that_of_aws_s_own_signer(
    sent: Callable[[str], tuple[SecuredStandIn, list[bytes]]], tls: Tls, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the same moment, host, region and credentials; the secret key is not sent, and nothing sent is shown."""
    fixed = SimpleNamespace(now=lambda _zone: dt.datetime(2026, 11, 25, 12, tzinfo=dt.UTC))
    monkeypatch.setattr(msk, "datetime", SimpleNamespace(datetime=fixed, timezone=dt.timezone))
    broker, tokens = sent("who signs {0!r}?")
    text = line(settings(broker, tls))
    (token,) = tokens
    reported = json.loads(token)
    assert reported["x-amz-credential"] == "AKIDEXAMPLE/20261125/eu-central-1/kafka-cluster/aws4_request"
    assert (reported["host"], reported["action"], reported["x-amz-security-token"]) == (
        "127.0.0.1",
        "kafka-cluster:Connect",
        TOKEN,
    )
    assert reported["x-amz-signature"] == SIGNATURE
    assert SECRET_KEY not in token.decode()
    assert "who signs" in text
    assert "***" in text
    assert "canary" not in text


@pytest.mark.usefixtures("sdk")
def test_no_credentials_are_one_line(sent: Callable[[str], tuple[SecuredStandIn, list[bytes]]], tls: Tls) -> None:
    """Nothing is sent."""
    broker, tokens = sent("no")
    text = line(settings(broker, tls, profile=None))
    assert "AWS's SDK found no credentials here: no variables, no profile, no role; check clusters.prod.sasl" in text
    assert tokens == []


def test_credentials_are_asked_for_at_each_authentication(
    sdk: SimpleNamespace, sent: Callable[[str], tuple[SecuredStandIn, list[bytes]]], tls: Tls
) -> None:
    """Those of a role are renewed by botocore; the old and the new ones are hidden."""
    broker, tokens = sent("no")
    cluster = settings(broker, tls)
    line(cluster)
    sdk.found["census"] = ("AKIDNEWER", "another secret key", None)
    line(cluster)
    assert [json.loads(token)["x-amz-credential"].partition("/")[0] for token in tokens] == ["AKIDEXAMPLE", "AKIDNEWER"]
    assert {TOKEN, SECRET_KEY, "another secret key"} <= aws.secrets_of(Aws(REGION, "census"))


@pytest.mark.parametrize("has", ["nothing", "no package", "credentials"])
def test_an_executor_without_credentials_signs_with_those_of_the_driver(
    sdk: SimpleNamespace, monkeypatch: pytest.MonkeyPatch, has: str
) -> None:
    """Of the moment at which the task was sent; one that has credentials uses its own. No text shows them."""
    task = pickle.dumps(Aws(REGION, "census"))
    sdk.found.clear()
    aws._found.cache_clear()
    if has == "credentials":
        sdk.found["census"] = ("AKIDHERE", "a key of this machine", None)
    if has == "no package":
        monkeypatch.setattr(aws, "find_spec", lambda _name: None)
    there = pickle.loads(pickle.dumps(pickle.loads(task)))  # noqa: S301 - our own
    used = aws.credentials(there)
    assert used == (sdk.found.get("census") or ("AKIDEXAMPLE", SECRET_KEY, TOKEN))
    assert {used.secret_key, used.token} - {None} <= aws.secrets_of(there)
    assert (SECRET_KEY in repr(there), TOKEN in repr(there)) == (False, False)
    assert there == Aws(REGION, "census")


def test_a_package_that_is_not_installed_is_reported_before_anything_is_sent(
    tls: Tls, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the command that installs it; exit 2."""
    monkeypatch.setattr(aws, "find_spec", lambda _name: None)
    reported = (
        r"^clusters\.prod\.sasl\.mechanism: AWS_MSK_IAM: the package botocore is not installed: pip install 'kafka-cen"
    )
    with StandIn({}) as broker, pytest.raises(ConfigError, match=reported):
        bootstrap(settings(broker, tls), PATIENT)
    assert broker.connections == 0
