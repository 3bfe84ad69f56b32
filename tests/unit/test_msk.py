"""AWS_MSK_IAM: which credentials of botocore's sign, what is signed, and that none of them is shown.

botocore is the real one; its credentials come from files, variables and processes of the test. The broker is a
stand-in, which lets everybody or nobody in. No test reaches AWS.
"""

import json
import os
import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import botocore.auth
import pytest
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from kafka.protocol.admin import DescribeClusterRequest

from harness.responses import listed_groups
from harness.sasl import sasl
from harness.standin import StandIn
from harness.tls import Tls
from harness.token_issuer import TokenIssuer
from kafka_census.errors import AuthenticationFailed, ConfigError
from kafka_census.kafka.error_codes import ErrorCode
from kafka_census.kafka.protocol import aws
from kafka_census.kafka.protocol.aws import Aws
from kafka_census.kafka.protocol.cluster import bootstrap
from kafka_census.kafka.protocol.settings import ClusterSettings, Sasl, Ssl
from kafka_messages.kip_1062 import ListGroupsRequest
from unit.test_tls import server_context
from unit.walking import PATIENT, walk

SECRET_KEY = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
TOKEN = "session/canary+token=="
REGION = "eu-central-1"
LET_IN = b'{"version":"2020_10_22","request-id":"eb1fb2f4-4e3f-4c5d-b4ac-b1e4b7a5d1c0"}'
"""What MSK answers a client that is let in."""


@dataclass
class Sdk:
    """The files in which botocore looks for credentials; `census` is the profile of the tests."""

    folder: Path

    def keep(self, *lines: str) -> None:
        """What the profile has in the shared file: credentials that last, or none any more."""
        (self.folder / "credentials").write_text("\n".join(["[census]", *lines, ""]), encoding="utf-8")
        aws._found.cache_clear()

    def configure(self, *lines: str) -> None:
        """Profiles that botocore gets from elsewhere."""
        (self.folder / "config").write_text("\n".join([*lines, ""]), encoding="utf-8")

    def issue(self, access_key: str, secret_key: str, lasting: timedelta) -> None:
        """What the process of the profile `renewed` prints: credentials that end, as those of a role do."""
        ends = (datetime.now(UTC) + lasting).isoformat()
        keys = {"AccessKeyId": access_key, "SecretAccessKey": secret_key, "SessionToken": f"of {access_key}"}
        issued = json.dumps({"Version": 1, "Expiration": ends, **keys})
        (self.folder / "issued.json").write_text(issued, encoding="utf-8")


def keys(access_key: str, secret_key: str) -> tuple[str, str]:
    return f"aws_access_key_id = {access_key}", f"aws_secret_access_key = {secret_key}"


@dataclass
class SecuredStandIn(StandIn):
    """A broker that speaks TLS, and what it was sent to authenticate with."""

    tokens: list[bytes] = field(default_factory=list)

    def signers(self) -> list[str]:
        return [json.loads(token)["x-amz-credential"].partition("/")[0] for token in self.tokens]

    def settings(self, tls: Tls, profile: str | None = "census") -> ClusterSettings:
        signs = Sasl("AWS_MSK_IAM", aws=Aws(REGION, profile))
        trusts = Ssl(cafile=str(tls.cafile))
        return ClusterSettings("prod", (self.address,), security_protocol="SASL_SSL", ssl=trusts, sasl=signs)

    def refusal(self, tls: Tls, profile: str | None = "census") -> str:
        """The one line at bootstrap."""
        with pytest.raises(AuthenticationFailed) as caught:
            bootstrap(self.settings(tls, profile), PATIENT)
        (line,) = str(caught.value).splitlines()
        return line


Sent = Callable[[str | bytes], SecuredStandIn]


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> Tls:
    return Tls(tmp_path_factory.mktemp("msk") / "tls")


@pytest.fixture
def sdk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sdk]:
    """Credentials in the profile `census`, none in the default profile; nothing of this machine or its network."""
    files = Sdk(tmp_path)
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    files.configure(
        *("[profile renewed]", f"credential_process = cat {tmp_path}/issued.json"),
        *("[profile missing]", f"credential_process = {tmp_path}/no-program"),
        *("[profile words]", "credential_process = echo these are no credentials"),
    )
    files.keep(*keys("AKIDEXAMPLE", SECRET_KEY), f"aws_session_token = {TOKEN}")
    yield files
    aws._found.cache_clear()


@pytest.fixture
def sent(tls: Tls) -> Iterator[Sent]:
    """Serve a broker: bytes let everybody in, words refuse everybody, with what was sent where they have braces."""
    started: list[SecuredStandIn] = []

    def serve(answer: str | bytes) -> SecuredStandIn:
        def taken(token: bytes) -> str | bytes:
            broker.tokens.append(token)
            return answer.format(token.decode()) if isinstance(answer, str) else answer

        groups = {ListGroupsRequest: listed_groups("a")}
        unasked = {DescribeClusterRequest: lambda _request, _n: pytest.fail("nobody was let in")}
        scripts = {**sasl(taken, ("AWS_MSK_IAM",)), **groups, **unasked}
        broker = SecuredStandIn(scripts, secured=server_context(tls.keystore))
        started.append(broker.__enter__())
        return broker

    yield serve
    for one in started:
        one.__exit__()


@pytest.mark.usefixtures("sdk")
@pytest.mark.parametrize(("answer", "code", "asked"), [(LET_IN, 0, 1), (b"", ErrorCode.SASL_AUTHENTICATION_FAILED, 0)])
def test_a_connection_that_is_let_in_is_asked_on(sent: Sent, tls: Tls, answer: bytes, code: int, asked: int) -> None:
    """On the same connection. An empty answer lets nobody in: it is none of MSK, as in AWS's own client."""
    broker = sent(answer)
    (page,) = walk(broker, "ListGroups", "groups", collect=PATIENT, settings=broker.settings(tls))
    assert (page.error_code, len(page.rows), len(broker.of(ListGroupsRequest))) == (code, asked, asked)
    assert (broker.signers(), broker.connections) == (["AKIDEXAMPLE"], 1)


@pytest.mark.usefixtures("sdk")
def test_the_signature_is_that_of_aws_s_own_signer(sent: Sent, tls: Tls, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the same moment, host, region and credentials; the secret key is not sent, and nothing sent is shown."""
    broker = sent("who signs {0!r}?")
    text = broker.refusal(tls)
    (token,) = broker.tokens
    reported = json.loads(token)
    at = datetime.strptime(reported["x-amz-date"], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    assert reported["x-amz-credential"] == f"AKIDEXAMPLE/{at:%Y%m%d}/eu-central-1/kafka-cluster/aws4_request"
    named = (reported["host"], reported["action"], reported["x-amz-security-token"])
    assert named == ("127.0.0.1", "kafka-cluster:Connect", TOKEN)
    monkeypatch.setattr(botocore.auth, "get_current_datetime", lambda: at)
    request = AWSRequest("GET", "https://127.0.0.1/", params={"Action": "kafka-cluster:Connect"})
    signer = botocore.auth.SigV4QueryAuth(Credentials("AKIDEXAMPLE", SECRET_KEY, TOKEN), "kafka-cluster", REGION, 900)
    signer.add_auth(request)
    assert request.url.endswith(f"&X-Amz-Signature={reported['x-amz-signature']}")
    assert SECRET_KEY not in token.decode()
    assert [word in text for word in ("who signs", "***", "canary")] == [True, True, False]


@pytest.mark.parametrize(
    ("profile", "said"),
    [
        (None, "no variables, no profile, no role"),
        ("nobody", "The config profile (nobody) could not be found"),
        ("missing", "[Errno 2] No such file or directory"),
        ("words", "Expecting value"),
        ("renewed", "Credentials were refreshed, but the refreshed credentials are still expired"),
    ],
)
def test_no_credentials_are_one_line(
    sdk: Sdk, sent: Sent, tls: Tls, profile: str | None, said: str, caplog: pytest.LogCaptureFixture
) -> None:
    sdk.issue("AKIDENDED", "a key that has ended", timedelta(minutes=-5))
    broker = sent("no")
    text = broker.refusal(tls, profile)
    assert f"AWS's SDK found no credentials here: {said}" in text
    assert text.endswith("check clusters.prod.sasl")
    assert (broker.tokens, caplog.records) == ([], [])


def test_a_role_that_may_not_be_assumed_is_one_line(sdk: Sdk, sent: Sent, tls: Tls) -> None:
    refusal = b"<ErrorResponse><Error><Code>AccessDenied</Code><Message>not you</Message></Error></ErrorResponse>"
    broker = sent("no")
    with TokenIssuer(sdk.folder).endpoint("census", "unused") as service:
        service.answer = (403, {"Content-Type": "text/xml"}, refusal)
        role = ("role_arn = arn:aws:iam::123456789012:role/census", "source_profile = census", f"region = {REGION}")
        sdk.configure(
            "[profile role]", *role, "services = own", "[services own]", f"sts =\n  endpoint_url = {service.url}"
        )
        text = broker.refusal(tls, "role")
    assert "AWS's SDK found no credentials here: An error occurred (AccessDenied) when calling the AssumeRole" in text
    assert "operation: not you" in text
    assert broker.tokens == []


def test_credentials_are_asked_for_at_each_authentication(sdk: Sdk, sent: Sent, tls: Tls) -> None:
    broker = sent("no")
    for access_key, secret_key in (("AKIDOLDER", "a secret key"), ("AKIDNEWER", "another secret key")):
        sdk.issue(access_key, secret_key, timedelta(minutes=5))
        broker.refusal(tls, "renewed")
    assert broker.signers() == ["AKIDOLDER", "AKIDNEWER"]
    hidden = aws.secrets_of(Aws(REGION, "renewed"))
    assert {"a secret key", "of AKIDOLDER", "another secret key", "of AKIDNEWER"} <= hidden


@pytest.mark.parametrize("has", ["nothing", "no package", "credentials"])
def test_an_executor_without_credentials_signs_with_those_of_the_driver(
    sdk: Sdk, monkeypatch: pytest.MonkeyPatch, has: str
) -> None:
    """Of the moment at which the task was sent; one that has credentials uses its own. No text shows them."""
    task = pickle.dumps(Aws(REGION, "census"))
    sdk.keep()
    expected = ("AKIDEXAMPLE", SECRET_KEY, TOKEN)
    if has == "credentials":
        sdk.keep(*keys("AKIDHERE", "a key of this machine"))
        expected = ("AKIDHERE", "a key of this machine", None)
    if has == "no package":
        monkeypatch.setattr(aws, "find_spec", lambda _name: None)
    there = pickle.loads(pickle.dumps(pickle.loads(task)))  # noqa: S301 - our own
    used = aws.credentials(there)
    assert used == expected
    assert {used.secret_key, used.token} - {None} <= aws.secrets_of(there)
    assert (SECRET_KEY in repr(there), TOKEN in repr(there)) == (False, False)
    assert there == Aws(REGION, "census")


@pytest.mark.usefixtures("sdk")
def test_variables_are_found_where_no_profile_is_configured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDVARIABLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "a key in a variable")
    assert aws.credentials(Aws(REGION)) == ("AKIDVARIABLE", "a key in a variable", None)
    assert aws.credentials(Aws(REGION, "census")) == ("AKIDEXAMPLE", SECRET_KEY, TOKEN)


def test_a_package_that_is_not_installed_is_reported_before_anything_is_sent(
    tls: Tls, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(aws, "find_spec", lambda _name: None)
    reported = r"^clusters\.prod\.sasl\.mechanism: AWS_MSK_IAM: the package botocore is not installed: pip install 'kaf"
    with SecuredStandIn({}) as broker, pytest.raises(ConfigError, match=reported):
        bootstrap(broker.settings(tls), PATIENT)
    assert broker.connections == 0
