"""OAUTHBEARER: which token is sent, what is said where there is none, and that none is ever shown."""

import io
import json
import pickle
import socket
import time
from base64 import b64encode
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote_plus

import pytest

from harness.http_proxy import HttpProxy
from harness.listener import Listener
from harness.tls import Tls
from harness.token_issuer import TokenEndpoint, TokenIssuer
from kafka_census.errors import Unreachable
from kafka_census.kafka.error_codes import ErrorCode
from kafka_census.kafka.protocol.aws import Aws
from kafka_census.kafka.protocol.no_token import NoToken, TokenRefused
from kafka_census.kafka.protocol.secret import Secret
from kafka_census.kafka.protocol.settings import ClientCredentials, ClusterSettings, Sasl, Ssl, Token
from kafka_census.kafka.protocol.token_endpoint import LARGEST, asked
from kafka_census.kafka.protocol.tokens import Tokens, tokens_of, user
from kafka_census.terminal.log import Redactor, configure
from kafka_census.upkeep.doctor.rights import principal
from unit import walking
from unit.walking import PATIENT, Serve

SECRET = "canary +/% secret"
OPAQUE = Token(Secret("opaque"))


@pytest.fixture(scope="module")
def issuer(tmp_path_factory: pytest.TempPathFactory) -> TokenIssuer:
    return TokenIssuer(tmp_path_factory.mktemp("issuer"))


@pytest.fixture
def endpoint(issuer: TokenIssuer) -> Iterator[TokenEndpoint]:
    with issuer.endpoint("census", SECRET) as served:
        yield served


@pytest.fixture
def file(tmp_path: Path, issuer: TokenIssuer) -> Path:
    path = tmp_path / "token"
    path.write_text(f"{issuer.token('census')}\n", encoding="utf-8")
    return path


def credentials(endpoint: TokenEndpoint, **more: Any) -> ClientCredentials:
    """Those that the endpoint takes, unless they are changed."""
    known = {"token_endpoint": endpoint.url, "client_id": "census", "client_secret": Secret(SECRET)}
    return ClientCredentials(**known | more)


def of(file: Path) -> Token:
    """The token that a configuration finds in a file."""
    return Token(Secret(file.read_text(encoding="utf-8").strip()), str(file))


class Broker(walking.Broker):
    """Whoever signs has a token, or knows where there are some."""

    mechanism = "OAUTHBEARER"

    def settings(self, by: Token | ClientCredentials) -> ClusterSettings:
        signs = Sasl("OAUTHBEARER", oauth=by)
        return ClusterSettings("prod", (self.at.address,), security_protocol="SASL_PLAINTEXT", sasl=signs)


def message(token: str) -> bytes:
    """What RFC 7628 makes of a token."""
    return f"n,,\x01auth=Bearer {token}\x01\x01".encode()


def test_the_token_of_a_file_is_read_anew_at_each_authentication(serve: Serve, issuer: TokenIssuer, file: Path) -> None:
    """Whoever renews it needs to tell nobody; while the file is not there, the one that is known is sent.

    That is the token of the moment in a task, whose executor may have no such file, and which may outlast its token.
    """
    broker, oauth, first = Broker(serve), of(file), file.read_text(encoding="utf-8").strip()
    second, third = issuer.token("census"), issuer.token("census")
    assert broker.page(oauth).error_code == 0
    file.write_text(second, encoding="utf-8")
    arrived = pickle.loads(pickle.dumps(oauth))  # noqa: S301 - as a worker does
    file.write_text(third, encoding="utf-8")
    assert broker.page(arrived).error_code == 0
    file.unlink()
    assert [broker.page(each).error_code for each in (oauth, arrived)] == [0, 0]
    assert broker.sent == list(map(message, (first, third, first, second)))


def test_a_token_endpoint_is_asked_once_for_all_connections(serve: Serve, endpoint: TokenEndpoint) -> None:
    """By the client's id and secret, percent-encoded as RFC 6749 wants them, with the scope.

    The log, which began before, hides the token.
    """
    broker, oauth, out, redactor = Broker(serve), credentials(endpoint, scope="kafka read"), io.StringIO(), Redactor()
    redactor.learn(broker.settings(oauth))
    progress = configure("json", redactor, out)
    assert [broker.page(oauth).error_code for _ in range(2)] == [0, 0]
    assert endpoint.asked == [{"grant_type": "client_credentials", "scope": "kafka read"}]
    assert broker.sent == [message(endpoint.issued[0])] * 2
    progress("failed", error=f"sent {endpoint.issued[0]} for {SECRET}")
    hidden = (SECRET, endpoint.issued[0].rpartition(".")[2])
    assert [secret for secret in hidden if secret in out.getvalue()] == []


def test_a_token_is_renewed_before_it_ends_and_serves_until_then_while_the_endpoint_is_down(
    endpoint: TokenEndpoint,
) -> None:
    """At four fifths of its lifetime of 300 s; a fault of the endpoint for a minute costs nothing."""
    now, down = [1000.0], (503, {}, b"")
    tokens = Tokens(credentials(endpoint), lambda: now[0])
    given = []
    for now[0], endpoint.answer in ((1000, None), (1239, None), (1240, None), (1400, None), (1539, down)):
        given.append(endpoint.issued.index(tokens.current(3)))
    assert given == [0, 0, 1, 1, 1]
    now[0] = 1540
    with pytest.raises(NoToken):
        tokens.current(3)
    endpoint.answer = None
    assert tokens.current(3) == endpoint.issued[2]


def test_the_user_is_whom_the_token_is_about(issuer: TokenIssuer, file: Path, endpoint: TokenEndpoint) -> None:
    """`sub`, by which brokers know it; else the client's id, or nobody knows: `NAME` in the doctor's lines.

    Too deeply nested claims are none.
    """
    deep = f"a.{b64encode(b'[' * 3_000).decode().rstrip('=')}.c"
    endpoint.answer = 200, {}, f'{{"access_token": "{deep}"}}'.encode()
    tokens_of(credentials(endpoint)).current(3)
    whom = (of(file), OPAQUE, credentials(endpoint), Token(Secret(issuer.token("", sub=["a"]))))
    signs = [*(Sasl("OAUTHBEARER", oauth=oauth) for oauth in whom), Sasl("PLAIN", "u", Secret("p"))]
    assert [user(one) for one in signs] == ["census", None, "census", None, "u"]
    signs = [*signs[1:3], Sasl("AWS_MSK_IAM", aws=Aws("r"))]
    lines = [principal(ClusterSettings("c", (), security_protocol="SASL_SSL", sasl=one)) for one in signs]
    assert lines == ["User:NAME", "User:census", "User:NAME"]


@pytest.mark.parametrize(
    ("status", "answer", "kind", "text"),
    [
        (400, '{"error": "invalid_scope"}', TokenRefused, "answered 400 (invalid_scope)"),
        (403, "[1]", TokenRefused, "answered 403"),
        (302, "", TokenRefused, "answered 302"),
        (200, "<html>Log in", TokenRefused, "answered no access_token: is it the right address?"),
        (200, '{"access_token": "x", "token_type": "mac"}', TokenRefused, "no bearer token"),
        (200, '{"access_token": "x\\u0001host=y"}', TokenRefused, "what the token endpoint gave is no token"),
        (429, "", NoToken, "answered 429"),
        (503, "", NoToken, "answered 503"),
        # Nested too deeply for the reader of JSON, or for what is done with it.
        (200, "[" * 100_000, TokenRefused, "answered no access_token"),
        (400, '{"error":' * 100_000, TokenRefused, "answered 400"),
        (200, f'{{"access_token": "x", "token_type": {"[" * 900}{"]" * 900}}}', TokenRefused, "no bearer token"),
        # Too large: to be quoted, or to be an answer.
        (400, f'{{"error": "{SECRET * 100}"}}', TokenRefused, f"answered 400 (in {len(SECRET) * 100:,} characters)"),
        (200, f'{{"access_token": "x", "more": "{"x" * LARGEST}"}}', TokenRefused, f"more than {LARGEST:,} bytes"),
        (400, "x" * (LARGEST + 1), TokenRefused, "answered 400"),
        (200, "chunked", NoToken, "the token endpoint http://"),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else None,
)
def test_what_a_token_endpoint_says_instead_is_one_line(
    endpoint: TokenEndpoint, status: int, answer: str, kind: type[Exception], text: str
) -> None:
    headers = {302: {"Location": "http://127.0.0.1:1/"}}.get(status, {"Content-Type": "application/json"})
    endpoint.answer = status, {"Transfer-Encoding": answer} if answer == "chunked" else headers, answer.encode()
    with pytest.raises(kind) as caught:
        Tokens(credentials(endpoint)).current(3)
    (line,) = str(caught.value).splitlines()
    assert text in line


@dataclass
class Talker(Listener):
    """Sends some bytes, then one byte after another without end where they end in a space."""

    says: bytes

    def _serve(self, sock: socket.socket) -> None:
        sock.recv(1 << 16)
        sock.sendall(self.says)
        while self.says.endswith(b" "):
            time.sleep(0.05)
            sock.sendall(b"x")

    @property
    def source(self) -> ClientCredentials:
        return ClientCredentials(f"http://{self.address}/", "census", Secret(SECRET))


@pytest.mark.parametrize(
    "says", [b"HTTP/1.1 200 ", b"HTTP/1.1 200 OK\r\nX: ", b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n "]
)
def test_a_token_endpoint_that_never_ends_its_answer_ends_by_a_deadline(says: bytes) -> None:
    """Whichever part of the answer is without end; whoever waits for the same token meanwhile waits no longer."""
    with Talker(says) as talker:
        tokens, began = Tokens(talker.source), time.monotonic()

        def ask(_number: int) -> float:
            with pytest.raises(NoToken, match="no answer in time"):
                tokens.current(0.5)
            return time.monotonic() - began

        with ThreadPoolExecutor(4) as pool:
            assert max(pool.map(ask, range(4))) < 1.5


@pytest.mark.parametrize(
    "says",
    [
        *(b"SSH-2.0-OpenSSH_9.6\r\n", b"x" * 70_000, b"", b"HTTP/1.1 999999 " + b"x" * 60_000 + b"\r\n\r\n"),
        b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 1000 + b"\r\n",
        *(b"HTTP/1.1 200 OK\r\nContent-Length: " + rest for rest in (b"-1\r\n\r\n", b"10\r\n\r\n[")),
    ],
    ids=lambda says: says[:40].decode(),
)
def test_a_token_endpoint_that_speaks_no_http_is_one_short_line(says: bytes) -> None:
    with Talker(says) as talker:
        source = talker.source
        with pytest.raises((NoToken, TokenRefused)) as caught:
            Tokens(source).current(0.5)
    (line,) = str(caught.value).splitlines()
    assert line.startswith(f"the token endpoint {source.token_endpoint}")
    assert len(line) < 500


@pytest.mark.parametrize(
    ("lifetime", "seconds"),
    [
        *((b"300", 300), (b'"300"', 300), (b"0.5", 0.5), (b"1" * 400, 60), (b"1e999", 60), (b"NaN", 60), (b"-1", 60)),
        *((b'"\xc2\xb2"', 60), (b'"soon"', 60), (b"[300]", 60), (b"null", 60), (b'"' + b"9" * 5000 + b'"', 60)),
    ],
)
def test_a_lifetime_that_is_none_is_a_minute(endpoint: TokenEndpoint, lifetime: bytes, seconds: float) -> None:
    endpoint.answer = 200, {}, b'{"access_token": "x", "expires_in": ' + lifetime + b"}"
    assert asked(credentials(endpoint), 3) == ("x", seconds)


@pytest.mark.parametrize("answer", [b"[" * 100_000, b'{"status":' * 100_000, b'{"status": 1}', b"\xff", b"1" * 5000])
def test_what_a_broker_says_of_a_token_is_its_error_whatever_it_is(serve: Serve, answer: bytes) -> None:
    broker = Broker(serve, lambda _: answer)
    page = broker.page(OPAQUE)
    assert page.error_code == ErrorCode.SASL_AUTHENTICATION_FAILED
    assert str(page.error_message).endswith("the broker refused the token")
    assert broker.refusal(OPAQUE).endswith("the broker refused the token; check clusters.prod.sasl")


def test_a_token_endpoint_is_reached_by_the_proxy_of_the_environment(
    issuer: TokenIssuer, endpoint: TokenEndpoint, tls: Tls, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`HTTPS_PROXY`, but not where `NO_PROXY` says so; by http the secret goes in clear: on this machine alone.

    One that is no URL is not quoted: it may hold a user and a password. An authority that is not known gets nothing.
    """
    for name in ("https_proxy", "no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with issuer.endpoint("census", SECRET, keystore=tls.keystore) as secured, HttpProxy() as proxy:
        source = credentials(secured, ssl=Ssl(cafile=str(tls.cafile)))
        monkeypatch.setenv("HTTPS_PROXY", "http:/user:canary-p@ss@proxy:3128")
        with pytest.raises(NoToken) as caught:
            Tokens(source).current(3)
        assert [secret for secret in ("canary", "ss@") if secret in str(caught.value)] == []
        monkeypatch.setenv("http_proxy", proxy.url)
        monkeypatch.setenv("HTTPS_PROXY", proxy.url)
        in_clear, by_proxy = (Tokens(each).current(3) for each in (credentials(endpoint), source))
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        directly = Tokens(source).current(3)
        with pytest.raises(NoToken, match="its certificate was not accepted: self-signed"):
            Tokens(credentials(secured)).current(3)
    assert (endpoint.issued, secured.issued) == ([in_clear], [by_proxy, directly])
    assert (proxy.targets, proxy.connections) == ([secured.url.split("/")[2]], 1)


def test_a_token_endpoint_that_echoes_the_request_tells_nobody(serve: Serve, endpoint: TokenEndpoint) -> None:
    """Its header has the client's secret percent-encoded (RFC 6749, 2.3.1), and then in base64."""
    sent = b64encode(f"census:{quote_plus(SECRET)}".encode()).decode()
    says = {"error": "invalid_client", "error_description": f"Basic {sent}"}
    endpoint.answer = 401, {}, json.dumps(says).encode()
    broker = Broker(serve)
    line = broker.refusal(credentials(endpoint))
    head, _, rest = line.partition(" answered 401 (invalid_client: Basic ")
    assert head.endswith(f"the token endpoint {endpoint.url}")
    assert rest.endswith("***); check clusters.prod.sasl")
    assert broker.sent == []
    sure = b64encode(f"census:{quote_plus(SECRET)}".encode())[12:-4].decode()
    assert not [sure[at : at + 8] for at in range(len(sure) - 7) if sure[at : at + 8] in line]


def test_a_token_endpoint_that_is_down_is_asked_again(serve: Serve, issuer: TokenIssuer) -> None:
    broker = Broker(serve)
    with issuer.endpoint("census", SECRET) as gone:
        pass
    page = broker.page(credentials(gone))
    assert (page.error_code, broker.at.connections) == (ErrorCode.CONNECTION_FAILED, PATIENT.max_attempts)
    assert f"the token endpoint {gone.url}: Connection refused" in str(page.error_message)
    line = broker.refusal(credentials(gone), Unreachable)
    assert line.endswith("check clusters.prod.sasl.oauth, and the way to the token endpoint")


@pytest.mark.parametrize("echo", [bytes.decode, repr, lambda sent: b64encode(sent).decode()])
def test_a_broker_that_echoes_a_token_tells_nobody(
    serve: Serve, endpoint: TokenEndpoint, echo: Callable[[bytes], str]
) -> None:
    broker, oauth = Broker(serve, lambda sent: f"who is {echo(sent)}?"), credentials(endpoint)
    said = [str(broker.page(oauth).error_message), broker.refusal(oauth)]
    signature = endpoint.issued[0].rpartition(".")[2]
    hidden = (signature, b64encode(signature.encode()).decode()[4:-4])
    assert [("who is " in text, "***" in text) for text in said] == [(True, True)] * 2
    assert [text for text in said for secret in hidden if secret in text] == []


@pytest.mark.parametrize("text", ["two words", "x\x01auth=Bearer y", "caf\u00e9"])
def test_a_text_that_is_no_token_is_sent_to_nobody(serve: Serve, tmp_path: Path, text: str) -> None:
    file = tmp_path / "token"
    file.write_text(text, encoding="utf-8")
    broker = Broker(serve)
    line = broker.refusal(of(file))
    assert f"{file} is no token: those are letters, digits and -._~+/=" in line
    assert (text in line, broker.sent) == (False, [])
