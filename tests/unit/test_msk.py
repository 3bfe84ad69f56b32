"""AWS_MSK_IAM: which credentials of botocore's sign, what is signed, and that none of them is shown.

botocore is the real one; its credentials come from files, variables and processes of the test. The broker is a
stand-in, which lets everybody or nobody in. No test reaches AWS.
"""

import json
import os
import pickle
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import botocore.auth
import pytest
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from harness.tls import Tls
from harness.token_issuer import TokenIssuer
from kafka_census.errors import ConfigError
from kafka_census.kafka.error_codes import ErrorCode
from kafka_census.kafka.protocol import aws
from kafka_census.kafka.protocol.aws import Aws
from kafka_census.kafka.protocol.settings import ClusterSettings, Sasl, Ssl
from kafka_messages.kip_1062 import ListGroupsRequest
from unit import walking
from unit.test_tls import server_context
from unit.walking import Serve

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


class Broker(walking.Broker):
    """One that speaks TLS; whoever signs names a profile of AWS's SDK."""

    mechanism = "AWS_MSK_IAM"

    def __init__(self, serve: Serve, tls: Tls, answer: str | bytes = "no") -> None:
        super().__init__(serve, lambda _: answer, secured=server_context(tls.keystore))
        self.ssl = Ssl(cafile=str(tls.cafile))

    def signers(self) -> list[str]:
        return [json.loads(token)["x-amz-credential"].partition("/")[0] for token in self.sent]

    def settings(self, by: str | None) -> ClusterSettings:
        signs = Sasl("AWS_MSK_IAM", aws=Aws(REGION, by))
        return ClusterSettings("prod", (self.at.address,), security_protocol="SASL_SSL", ssl=self.ssl, sasl=signs)


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


@pytest.mark.usefixtures("sdk")
@pytest.mark.parametrize(("answer", "code", "asked"), [(LET_IN, 0, 1), (b"", ErrorCode.SASL_AUTHENTICATION_FAILED, 0)])
def test_a_connection_that_is_let_in_is_asked_on(serve: Serve, tls: Tls, answer: bytes, code: int, asked: int) -> None:
    """On the same connection. An empty answer lets nobody in: it is none of MSK, as in AWS's own client."""
    broker = Broker(serve, tls, answer)
    page = broker.page("census")
    assert (page.error_code, len(page.rows), len(broker.at.of(ListGroupsRequest))) == (code, asked, asked)
    assert (broker.signers(), broker.at.connections) == (["AKIDEXAMPLE"], 1)


@pytest.mark.usefixtures("sdk")
def test_the_signature_is_that_of_aws_s_own_signer(serve: Serve, tls: Tls, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the same moment, host, region and credentials; the secret key is not sent, and nothing sent is shown."""
    broker = Broker(serve, tls)
    broker.answer = lambda token: f"who signs {token.decode()!r}?"
    text = broker.refusal("census")
    (token,) = broker.sent
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
    sdk: Sdk, serve: Serve, tls: Tls, profile: str | None, said: str, caplog: pytest.LogCaptureFixture
) -> None:
    sdk.issue("AKIDENDED", "a key that has ended", timedelta(minutes=-5))
    broker = Broker(serve, tls)
    text = broker.refusal(profile)
    assert f"AWS's SDK found no credentials here: {said}" in text
    assert text.endswith("check clusters.prod.sasl")
    assert (broker.sent, caplog.records) == ([], [])


def test_a_role_that_may_not_be_assumed_is_one_line(sdk: Sdk, serve: Serve, tls: Tls) -> None:
    refusal = b"<ErrorResponse><Error><Code>AccessDenied</Code><Message>not you</Message></Error></ErrorResponse>"
    broker = Broker(serve, tls)
    with TokenIssuer(sdk.folder).endpoint("census", "unused") as service:
        service.answer = (403, {"Content-Type": "text/xml"}, refusal)
        role = ("role_arn = arn:aws:iam::123456789012:role/census", "source_profile = census", f"region = {REGION}")
        sts = ("services = own", "[services own]", f"sts =\n  endpoint_url = {service.url}")
        sdk.configure("[profile role]", *role, *sts)
        text = broker.refusal("role")
    assert "AWS's SDK found no credentials here: An error occurred (AccessDenied) when calling the AssumeRole" in text
    assert "operation: not you" in text
    assert broker.sent == []


def test_credentials_are_asked_for_at_each_authentication(
    sdk: Sdk, serve: Serve, tls: Tls, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Variables are found where no profile is configured."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDVARIABLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "a key in a variable")
    broker = Broker(serve, tls)
    for access_key, secret_key in (("AKIDOLDER", "a secret key"), ("AKIDNEWER", "another secret key")):
        sdk.issue(access_key, secret_key, timedelta(minutes=5))
        broker.refusal("renewed")
    assert broker.signers() == ["AKIDOLDER", "AKIDNEWER"]
    hidden = aws.secrets_of(Aws(REGION, "renewed"))
    assert {"a secret key", "of AKIDOLDER", "another secret key", "of AKIDNEWER"} <= hidden
    assert aws.credentials(Aws(REGION)) == ("AKIDVARIABLE", "a key in a variable", None)


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


def test_a_package_that_is_not_installed_is_reported_before_anything_is_sent(
    serve: Serve, tls: Tls, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(aws, "find_spec", lambda _name: None)
    broker = Broker(serve, tls)
    reported = "clusters.prod.sasl.mechanism: AWS_MSK_IAM: the package botocore is not installed: pip install 'kafka-"
    assert broker.refusal(None, ConfigError).startswith(reported)
    assert broker.at.connections == 0
