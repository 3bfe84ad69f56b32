"""OAUTHBEARER: which token is sent, what is said where there is none, and that none is ever shown."""

import io
import json
import pickle
import socket
import threading
import time
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote_plus

import pytest
from kafka.protocol.admin import DescribeClusterRequest

from harness.http_proxy import HttpProxy
from harness.listener import Listener
from harness.responses import listed_groups
from harness.sasl import sasl
from harness.standin import StandIn
from harness.tls import Tls
from harness.token_issuer import TokenEndpoint, TokenIssuer
from kafka_census.doctor.rights import RIGHTS, kafka_acls, principal
from kafka_census.error_codes import ErrorCode
from kafka_census.errors import AuthenticationFailed, ConfigError, Unreachable
from kafka_census.log import Redactor, configure
from kafka_census.paging.page import Chain, Page
from kafka_census.protocol.cluster import bootstrap
from kafka_census.protocol.settings import Aws, ClientCredentials, ClusterSettings, Sasl, Secret, Ssl, Token
from kafka_census.protocol.token_endpoint import LARGEST, asked
from kafka_census.protocol.tokens import NoToken, TokenRefused, Tokens, tokens_of, user
from kafka_census.source.fetch import Fetcher
from kafka_messages.kip_1062 import ListGroupsRequest
from unit.walking import PATIENT

Serve = Callable[..., StandIn]
SECRET = "canary +/% secret"


@pytest.fixture(scope="module")
def issuer(tmp_path_factory: pytest.TempPathFactory) -> TokenIssuer:
    """Signs tokens."""
    return TokenIssuer(tmp_path_factory.mktemp("issuer"))


@pytest.fixture
def endpoint(issuer: TokenIssuer) -> Iterator[TokenEndpoint]:
    """Gives tokens to `census`."""
    with issuer.endpoint("census", SECRET) as served:
        yield served


@pytest.fixture
def file(tmp_path: Path, issuer: TokenIssuer) -> Path:
    """A file with a token of `census`."""
    path = tmp_path / "token"
    path.write_text(f"{issuer.token('census')}\n", encoding="utf-8")
    return path


def credentials(endpoint: TokenEndpoint, **more: Any) -> ClientCredentials:
    """Those that the endpoint takes, unless they are changed."""
    return ClientCredentials(
        **{"token_endpoint": endpoint.url, "client_id": "census", "client_secret": Secret(SECRET)} | more
    )


def of(file: Path) -> Token:
    """The token that a configuration finds in a file."""
    return Token(Secret(file.read_text(encoding="utf-8").strip()), str(file))


def settings(broker: StandIn, oauth: Token | ClientCredentials) -> ClusterSettings:
    """A cluster whose user has a token."""
    servers = (f"127.0.0.1:{broker.endpoint.port}",)
    return ClusterSettings("prod", servers, security_protocol="SASL_PLAINTEXT", sasl=Sasl("OAUTHBEARER", oauth=oauth))


def pages(broker: StandIn, oauth: Token | ClientCredentials) -> list[Page]:
    """A walk at the broker."""
    chain = Chain(broker.node_id, "chain", broker.endpoint)
    return list(Fetcher("ListGroups", "groups", settings(broker, oauth), PATIENT).pages(iter([chain])))


class Broker:
    """Takes tokens, or answers each with the same."""

    def __init__(self, serve: Serve, answer: Callable[[bytes], bytes | str] = lambda _: b"") -> None:
        self.sent: list[bytes] = []
        self.answer = answer
        groups = {ListGroupsRequest: lambda _request, _n: listed_groups("a")}
        nobody = {DescribeClusterRequest: lambda _request, _n: pytest.fail("nobody was let in")}
        self.at = serve({**sasl(self._take, ("OAUTHBEARER",)), **groups, **nobody})

    def _take(self, sent: bytes) -> bytes | str:
        self.sent.append(sent)
        return self.answer(sent)


def message(token: str) -> bytes:
    """What RFC 7628 makes of a token."""
    return f"n,,\x01auth=Bearer {token}\x01\x01".encode()


def test_the_token_of_a_file_is_read_anew_at_each_authentication(serve: Serve, issuer: TokenIssuer, file: Path) -> None:
    """Whoever renews it needs to tell nobody; while the file is not there, the one that is known is sent."""
    broker, oauth, first = Broker(serve), of(file), file.read_text(encoding="utf-8").strip()
    second = issuer.token("census")
    assert [page.error_code for page in pages(broker.at, oauth)] == [0]
    file.write_text(second, encoding="utf-8")
    assert [page.error_code for page in pages(broker.at, oauth)] == [0]
    file.unlink()
    assert [page.error_code for page in pages(broker.at, oauth)] == [0]
    assert broker.sent == [message(first), message(second), message(first)]


def test_a_task_takes_along_the_token_of_the_moment_at_which_it_was_sent(issuer: TokenIssuer, file: Path) -> None:
    """An executor has no such file."""
    oauth, renewed = of(file), issuer.token("census")
    file.write_text(renewed, encoding="utf-8")
    travelled = pickle.dumps(oauth)
    file.unlink()
    arrived = pickle.loads(travelled)  # noqa: S301 - as a worker does
    assert arrived.current() == Secret(renewed)


def test_an_executor_that_has_the_file_prefers_what_the_file_holds(issuer: TokenIssuer, file: Path) -> None:
    """A job may last longer than the token that came along with its task."""
    oauth, renewed = of(file), issuer.token("census")
    arrived = pickle.loads(pickle.dumps(oauth))  # noqa: S301 - as a worker does
    assert arrived.current() == oauth.text
    file.write_text(renewed, encoding="utf-8")
    assert arrived.current() == Secret(renewed)


def test_a_token_endpoint_is_asked_once_for_all_connections(serve: Serve, endpoint: TokenEndpoint) -> None:
    """By the client's id and secret, percent-encoded as RFC 6749 wants them, with the scope."""
    broker, oauth = Broker(serve), credentials(endpoint, scope="kafka read")
    for _ in range(2):
        assert [page.error_code for page in pages(broker.at, oauth)] == [0]
    assert endpoint.asked == [{"grant_type": "client_credentials", "scope": "kafka read"}]
    assert broker.sent == [message(endpoint.issued[0])] * 2


def test_a_token_is_renewed_before_it_ends(endpoint: TokenEndpoint) -> None:
    """At four fifths of its lifetime of 300 s."""
    now = [1000.0]
    tokens = Tokens(credentials(endpoint), lambda: now[0])
    given = []
    for at in (1000, 1239, 1240, 1400):
        now[0] = at
        given.append(tokens.current(3))
    assert given == [endpoint.issued[0], endpoint.issued[0], endpoint.issued[1], endpoint.issued[1]]


def test_a_token_serves_until_it_ends_while_the_endpoint_is_down(endpoint: TokenEndpoint) -> None:
    """A fault of the endpoint for a minute costs nothing."""
    now = [1000.0]
    tokens = Tokens(credentials(endpoint), lambda: now[0])
    first = tokens.current(3)
    endpoint.answer, now[0] = (503, {}, b""), 1299
    assert tokens.current(3) == first
    now[0] = 1300
    with pytest.raises(NoToken):
        tokens.current(3)
    endpoint.answer = None
    assert tokens.current(3) == endpoint.issued[1]


def test_the_user_is_whom_the_token_is_about(issuer: TokenIssuer, file: Path, endpoint: TokenEndpoint) -> None:
    """`sub`, by which brokers know it; else the client's id, or nobody knows."""
    assert user(Sasl("OAUTHBEARER", oauth=of(file))) == "census"
    assert user(Sasl("OAUTHBEARER", oauth=Token(Secret("opaque")))) is None
    assert user(Sasl("OAUTHBEARER", oauth=credentials(endpoint, client_id="an id"))) == "an id"
    assert user(Sasl("OAUTHBEARER", oauth=Token(Secret(issuer.token("", sub=["a"]))))) is None
    assert user(Sasl("PLAIN", "u", Secret("p"))) == "u"


@pytest.mark.parametrize(
    ("sasl", "who"),
    [
        (Sasl("OAUTHBEARER", oauth=Token(Secret("opaque"))), "User:NAME"),
        (Sasl("AWS_MSK_IAM", aws=Aws("eu-central-1")), "User:NAME"),
        (Sasl("OAUTHBEARER", oauth=ClientCredentials("https://login.example.org", "id", Secret("s"))), "User:id"),
    ],
)
def test_doctor_s_lines_leave_a_name_that_only_brokers_know_to_be_filled_in(sasl: Sasl, who: str) -> None:
    """As `NAME`, in each line of `kafka-acls`; a client's id is a name."""
    cluster = ClusterSettings("prod", ("127.0.0.1:9092",), security_protocol="SASL_SSL", sasl=sasl)
    lines = list(kafka_acls(principal(cluster), RIGHTS))
    assert len(lines) > 1
    assert {words[words.index("--allow-principal") + 1] for words in lines} == {who}


JSON = {"Content-Type": "application/json"}
ANSWERS: Mapping[str, tuple[tuple[int, Mapping[str, str], bytes], type[Exception], str]] = {
    "an error in JSON": ((400, JSON, b'{"error": "invalid_scope"}'), TokenRefused, "answered 400 (invalid_scope)"),
    "an error in text": ((403, {}, b"<html>no"), TokenRefused, "answered 403"),
    "an error that is a list": ((403, JSON, b"[1]"), TokenRefused, "answered 403"),
    "a redirect": ((302, {"Location": "http://127.0.0.1:1/"}, b""), TokenRefused, "answered 302"),
    "a page": ((200, {}, b"<html>Log in"), TokenRefused, "answered no access_token: is it the right address?"),
    "no token": ((200, JSON, b'{"access_token": 5}'), TokenRefused, "answered no access_token"),
    "another kind of token": (
        (200, JSON, b'{"access_token": "x", "token_type": "mac"}'),
        TokenRefused,
        "no bearer token",
    ),
    "separators in a token": (
        (200, JSON, b'{"access_token": "x\\u0001host=y"}'),
        TokenRefused,
        "what the token endpoint gave is no token",
    ),
    "too many requests": ((429, {}, b""), NoToken, "answered 429"),
    "a fault": ((503, {}, b""), NoToken, "answered 503"),
    "an answer that is nested too deeply": ((200, JSON, b"[" * 100_000), TokenRefused, "answered no access_token"),
    "an error that is nested too deeply": ((400, JSON, b'{"error":' * 100_000), TokenRefused, "answered 400"),
    "a kind of token that is nested deeply": (
        (200, JSON, b'{"access_token": "x", "token_type": ' + b"[" * 900 + b"]" * 900 + b"}"),
        TokenRefused,
        "no bearer token",
    ),
    "a long error": (
        (400, JSON, b'{"error": "' + SECRET.encode() * 100 + b'"}'),
        TokenRefused,
        f"answered 400 (in {len(SECRET) * 100:,} characters)",
    ),
    "no content": ((204, {}, b""), TokenRefused, "answered 204"),
    "more than a token": (
        (200, JSON, b'{"access_token": "x", "more": "' + b"x" * LARGEST + b'"}'),
        TokenRefused,
        f"answered more than {LARGEST:,} bytes",
    ),
    "an error that is too large": ((400, JSON, b"x" * (LARGEST + 1)), TokenRefused, "answered 400"),
    "half an answer": ((200, {"Transfer-Encoding": "chunked"}, b"zz"), NoToken, "the token endpoint http://"),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_what_a_token_endpoint_says_instead_is_one_line(endpoint: TokenEndpoint, name: str) -> None:
    """Temporary failures are distinguished from permanent ones."""
    endpoint.answer, kind, text = ANSWERS[name]
    with pytest.raises(kind) as caught:
        Tokens(credentials(endpoint)).current(3)
    assert text in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


@dataclass
class Talker(Listener):
    """Sends some bytes, then one byte after another without end."""

    says: bytes
    connections: int = 0

    def _serve(self, sock: socket.socket) -> None:
        sock.recv(1 << 16)
        sock.sendall(self.says)
        while self.says.endswith(b" "):
            time.sleep(0.05)
            sock.sendall(b"x")


@pytest.mark.parametrize(
    "says", [b"HTTP/1.1 200 ", b"HTTP/1.1 200 OK\r\nX: ", b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n "]
)
def test_a_token_endpoint_that_never_ends_its_answer_ends_by_a_deadline(says: bytes) -> None:
    """Whichever part of the answer is without end; whoever waits for the same token meanwhile waits no longer."""
    with Talker(says) as talker:
        source = ClientCredentials(f"http://{talker.address}/", "census", Secret(SECRET))
        tokens, began, failed = Tokens(source), time.monotonic(), []

        def ask() -> None:
            with pytest.raises(NoToken, match="no answer in time"):
                tokens.current(0.5)
            failed.append(time.monotonic() - began)

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(failed) == 4
    assert max(failed) < 1.5


@pytest.mark.parametrize(
    "says",
    [
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"HTTP/1.1 999999 " + b"x" * 60_000 + b"\r\n\r\n",
        b"x" * 70_000,
        b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 1000 + b"\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n[",
        b"",
    ],
    ids=lambda says: says[:30].decode(),
)
def test_a_token_endpoint_that_speaks_no_http_is_one_short_line(says: bytes) -> None:
    with Talker(says) as talker:
        source = ClientCredentials(f"http://{talker.address}/", "census", Secret(SECRET))
        with pytest.raises((NoToken, TokenRefused)) as caught:
            Tokens(source).current(3)
    text = str(caught.value)
    assert text.startswith(f"the token endpoint {source.token_endpoint}")
    assert (len(text.splitlines()), len(text) < 500) == (1, True)


@pytest.mark.parametrize(
    ("lifetime", "seconds"),
    [
        *((b"300", 300), (b'"300"', 300), (b"0.5", 0.5), (b"1" * 400, 60), (b"1e999", 60), (b"NaN", 60), (b"-1", 60)),
        *((b'"\xc2\xb2"', 60), (b'"soon"', 60), (b"[300]", 60), (b"null", 60), (b'"' + b"9" * 5000 + b'"', 60)),
    ],
)
def test_a_lifetime_that_is_none_is_not_known(endpoint: TokenEndpoint, lifetime: bytes, seconds: float) -> None:
    """A minute is assumed, whatever the endpoint says."""
    endpoint.answer = 200, JSON, b'{"access_token": "x", "expires_in": ' + lifetime + b"}"
    assert asked(credentials(endpoint), 3) == ("x", seconds)


@pytest.mark.parametrize("answer", [b"[" * 100_000, b'{"status":' * 100_000, b'{"status": 1}', b"\xff", b"1" * 5000])
def test_what_a_broker_says_of_a_token_is_its_error_whatever_it_is(serve: Serve, answer: bytes) -> None:
    """A page, and one line at bootstrap."""
    broker, oauth = Broker(serve, lambda _: answer), Token(Secret("opaque"))
    (page,) = pages(broker.at, oauth)
    assert page.error_code == ErrorCode.SASL_AUTHENTICATION_FAILED
    assert str(page.error_message).endswith("the broker refused the token")
    with pytest.raises(AuthenticationFailed, match=r"the broker refused the token; check clusters\.prod\.sasl$"):
        bootstrap(settings(broker.at, oauth), PATIENT)


def test_a_token_whose_claims_are_nested_too_deeply_has_none(endpoint: TokenEndpoint) -> None:
    """Its user is not known, so it is the client's id."""
    token = f"a.{b64encode(b'[' * 3_000).decode().rstrip('=')}.c"
    endpoint.answer = 200, JSON, f'{{"access_token": "{token}"}}'.encode()
    oauth = credentials(endpoint)
    tokens_of(oauth).current(3)
    assert user(Sasl("OAUTHBEARER", oauth=oauth)) == "census"


def test_a_proxy_that_is_no_url_is_not_quoted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its address may hold a user and a password."""
    for name in ("https_proxy", "no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HTTPS_PROXY", "http:/user:canary-p@ss@proxy:3128")
    with pytest.raises(NoToken) as caught:
        Tokens(ClientCredentials("https://127.0.0.1:1/token", "census", Secret(SECRET))).current(3)
    assert "canary" not in str(caught.value)
    assert "ss@" not in str(caught.value)


def test_a_token_endpoint_on_loopback_is_reached_by_no_proxy(
    endpoint: TokenEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The client's secret goes there in clear: on this machine alone."""
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with HttpProxy() as proxy:
        monkeypatch.setenv("http_proxy", proxy.url)
        assert [Tokens(credentials(endpoint)).current(3)] == endpoint.issued
    assert proxy.connections == 0


def test_a_token_endpoint_that_echoes_the_request_tells_nobody(serve: Serve, endpoint: TokenEndpoint) -> None:
    """Its header has the client's secret percent-encoded (RFC 6749, 2.3.1), and then in base64."""
    sent = b64encode(f"census:{quote_plus(SECRET)}".encode()).decode()
    endpoint.answer = 401, JSON, json.dumps({"error": "invalid_client", "error_description": f"Basic {sent}"}).encode()
    with pytest.raises(AuthenticationFailed, match=r"invalid_client: Basic .*\*\*\*") as caught:
        bootstrap(settings(Broker(serve).at, credentials(endpoint)), PATIENT)
    sure = b64encode(f"census:{quote_plus(SECRET)}".encode())[12:-4].decode()
    assert not [sure[at : at + 8] for at in range(len(sure) - 7) if sure[at : at + 8] in str(caught.value)]


def test_a_wrong_secret_is_one_line_without_it(serve: Serve, endpoint: TokenEndpoint) -> None:
    """Though the endpoint repeats it; exit 1, with the section to look at."""
    broker, wrong = Broker(serve), "canary-that-is-wrong"
    with pytest.raises(AuthenticationFailed) as caught:
        bootstrap(settings(broker.at, credentials(endpoint, client_secret=Secret(wrong))), PATIENT)
    text = str(caught.value)
    assert f"the token endpoint {endpoint.url} answered 401 (invalid_client: who is census, with ***?)" in text
    assert text.endswith("; check clusters.prod.sasl")
    assert (len(text.splitlines()), broker.sent) == (1, [])


def test_a_token_endpoint_that_is_down_is_asked_again(serve: Serve, issuer: TokenIssuer) -> None:
    """It may be back: the page is retriable; at bootstrap the line names the section."""
    broker = Broker(serve)
    with issuer.endpoint("census", SECRET) as gone:
        pass
    (page,) = pages(broker.at, credentials(gone))
    assert (page.error_code, broker.at.connections) == (ErrorCode.CONNECTION_FAILED, PATIENT.max_attempts)
    assert f"the token endpoint {gone.url}: Connection refused" in str(page.error_message)
    with pytest.raises(Unreachable) as caught:
        bootstrap(settings(broker.at, credentials(gone)), PATIENT)
    assert str(caught.value).endswith("check clusters.prod.sasl.oauth, and the way to the token endpoint")


def test_a_token_endpoint_has_an_authority_of_its_own(issuer: TokenIssuer, tmp_path: Path) -> None:
    """`cafile` is that of the endpoint, not of the brokers."""
    tls = Tls(tmp_path / "tls")
    with issuer.endpoint("census", SECRET, keystore=tls.keystore) as secured:
        given = Tokens(credentials(secured, ssl=Ssl(cafile=str(tls.cafile)))).current(3)
        with pytest.raises(NoToken, match="its certificate was not accepted: self-signed"):
            Tokens(credentials(secured)).current(3)
        assert [given] == secured.issued


def test_a_token_endpoint_is_reached_by_the_proxy_of_the_environment(
    issuer: TokenIssuer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`HTTPS_PROXY`, but not for hosts that `NO_PROXY` names."""
    for name in ("https_proxy", "no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    tls = Tls(tmp_path / "tls")
    with HttpProxy() as proxy, issuer.endpoint("census", SECRET, keystore=tls.keystore) as secured:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url)
        source = credentials(secured, ssl=Ssl(cafile=str(tls.cafile)))
        by_proxy = Tokens(source).current(3)
        assert proxy.targets == [secured.url.split("/")[2]]
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        directly = Tokens(source).current(3)
    assert [by_proxy, directly] == secured.issued
    assert proxy.connections == 1


@pytest.mark.parametrize("echo", [bytes.decode, repr, lambda sent: b64encode(sent).decode()])
def test_a_broker_that_echoes_a_token_tells_nobody(
    serve: Serve, endpoint: TokenEndpoint, echo: Callable[[bytes], str]
) -> None:
    """Neither in a page nor in the line at bootstrap, though the token came after the settings."""
    broker, oauth = Broker(serve, lambda sent: f"who is {echo(sent)}?"), credentials(endpoint)
    (page,) = pages(broker.at, oauth)
    with pytest.raises(AuthenticationFailed) as caught:
        bootstrap(settings(broker.at, oauth), PATIENT)
    signature = endpoint.issued[0].rpartition(".")[2]
    for text in (str(page.error_message), str(caught.value)):
        assert "who is " in text
        assert "***" in text
        assert signature not in text
        assert b64encode(signature.encode()).decode()[4:-4] not in text


def test_the_log_hides_a_token_that_was_given_after_it_began(serve: Serve, endpoint: TokenEndpoint) -> None:
    """And the client's secret."""
    broker, oauth, out = Broker(serve), credentials(endpoint), io.StringIO()
    redactor = Redactor()
    redactor.learn(settings(broker.at, oauth))
    progress = configure("json", redactor, out)
    assert [page.error_code for page in pages(broker.at, oauth)] == [0]
    progress("failed", error=f"sent {endpoint.issued[0]} for {SECRET}")
    assert SECRET not in out.getvalue()
    assert endpoint.issued[0].rpartition(".")[2] not in out.getvalue()


def test_a_refused_token_is_reported_with_when_it_ended(serve: Serve, issuer: TokenIssuer) -> None:
    """The broker says that it is not valid, and no more; what is wrong most often can be seen."""
    broker = Broker(serve, lambda _: b'{"status":"invalid_token"}')
    ended = time.strftime("%Y-%m-%d %H:%M", time.gmtime(time.time() - 7200))
    (page,) = pages(broker.at, Token(Secret(issuer.token("census", -7200))))
    assert page.error_code == ErrorCode.SASL_AUTHENTICATION_FAILED
    assert f"the broker refused the token (invalid_token): it expired at {ended[:-1]}" in str(page.error_message)
    (page,) = pages(broker.at, Token(Secret("opaque")))
    assert str(page.error_message).endswith("the broker refused the token (invalid_token)")
    assert broker.at.connections == 2


@pytest.mark.parametrize("text", ["two words", "x\x01auth=Bearer y", "caf\u00e9"])
def test_a_text_that_is_no_token_is_sent_to_nobody(serve: Serve, tmp_path: Path, text: str) -> None:
    """The file is named, its text is not shown."""
    file = tmp_path / "token"
    file.write_text(text, encoding="utf-8")
    broker = Broker(serve)
    with pytest.raises(AuthenticationFailed) as caught:
        bootstrap(settings(broker.at, of(file)), PATIENT)
    assert f"{file} is no token: those are letters, digits and -._~+/=" in str(caught.value)
    assert (text in str(caught.value), broker.sent) == (False, [])


def test_an_authority_that_cannot_be_used_is_reported_before_anything_is_sent(
    serve: Serve, endpoint: TokenEndpoint, issuer: TokenIssuer
) -> None:
    """Exit 2."""
    broker = Broker(serve)
    with pytest.raises(ConfigError, match=r"^clusters\.prod\.sasl\.oauth\.token_endpoint\.cafile: .* no certificate"):
        bootstrap(settings(broker.at, credentials(endpoint, ssl=Ssl(cafile=str(issuer.keys)))), PATIENT)
    assert (broker.at.connections, endpoint.asked) == (0, [])
