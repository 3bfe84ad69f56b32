"""A broker whose SASL answers are wrong is an error of that broker, and never ends a census; GSSAPI without a KDC."""

import re
import sys
from base64 import b64encode
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from kafka.protocol.metadata import FindCoordinatorRequest

from harness.responses import listed_groups
from harness.sasl import Scram, accepting, sasl
from harness.standin import StandIn
from kafka_census.errors import AuthenticationFailed, ConfigError
from kafka_census.kafka.error_codes import ErrorCode
from kafka_census.kafka.paging.page import Page
from kafka_census.kafka.protocol import kerberos
from kafka_census.kafka.protocol.cluster import bootstrap
from kafka_census.kafka.protocol.secret import Secret
from kafka_census.kafka.protocol.settings import ClusterSettings, Kerberos, Keytab, Sasl
from kafka_messages.kip_1062 import ListGroupsRequest
from unit.rpc.answers import answer
from unit.walking import PATIENT, QUICK, Serve, walk

PASSWORD = "canary  with\ttwo spaces"
MECHANISMS = ("SCRAM-SHA-256", "SCRAM-SHA-512")


def settings(broker: StandIn, mechanism: str = "SCRAM-SHA-256") -> ClusterSettings:
    user = Sasl(mechanism, "user", Secret(PASSWORD))
    return ClusterSettings("prod", (broker.address,), security_protocol="SASL_PLAINTEXT", sasl=user)


def serving(serve: Serve, script: Callable[[bytes], Any]) -> StandIn:
    return serve({**sasl(script), ListGroupsRequest: listed_groups("a")})


def only_page(broker: StandIn, mechanism: str = "SCRAM-SHA-256") -> Page:
    (page,) = walk(broker, "ListGroups", "groups", collect=QUICK, settings=settings(broker, mechanism))
    return page


def with_(field: str, value: str) -> Callable[[str], str]:
    return lambda message: ",".join(
        f"{field}={value}" if part.startswith(f"{field}=") else part for part in message.split(",")
    )


def always(message: bytes) -> Callable[[str], bytes]:
    return lambda _message: message


NOTHING = {"no fields": always(b"hello"), "not UTF-8": always(b"\xff\xfe\xfd")}
ROGUE_FIRST = {
    **NOTHING,
    "another nonce": with_("r", "another"),
    "a salt that is not base64": with_("s", "!!!!"),
    "iterations that are no number": with_("i", "many"),
    "too many iterations": with_("i", "1000001"),
    "a number without end": with_("i", "9" * 5000),
    "a mandatory extension": lambda message: f"m=ext,{message}",
}
ROGUE_FINAL = {
    **NOTHING,
    "another signature": with_("v", b64encode(b"x" * 32).decode()),
    "a signature that is not base64": with_("v", "!!!!"),
    "an error": always(b"e=invalid-proof"),
}
ROGUES = [
    *(pytest.param({"first": change}, id=f"first: {name}") for name, change in ROGUE_FIRST.items()),
    *(pytest.param({"final": change}, id=f"last: {name}") for name, change in ROGUE_FINAL.items()),
]


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_the_right_password_is_let_in(serve: Serve, mechanism: str) -> None:
    page = only_page(serving(serve, Scram(PASSWORD, mechanism)), mechanism)
    assert (page.error_code, page.rows[0][0]) == (0, "a")


@pytest.mark.parametrize("rogue", ROGUES)
def test_a_rogue_scram_answer_is_an_error_page_and_one_line_at_bootstrap(serve: Serve, rogue: dict[str, Any]) -> None:
    server = Scram(PASSWORD, **rogue)
    broker = serving(serve, server)
    page = only_page(broker)
    assert page.error_code == ErrorCode.SASL_AUTHENTICATION_FAILED
    assert str(page.error_message).startswith(f"{broker.endpoint}: the broker's SCRAM exchange was refused: ")
    assert (broker.connections, len(server.tokens)) == (1, 1 if "first" in rogue else 2)
    assert not broker.of(ListGroupsRequest)
    with pytest.raises(AuthenticationFailed, match=r"^[^\n]*clusters\.prod\.sasl$") as caught:
        bootstrap(settings(broker), QUICK)
    assert caught.value.exit_code == 1


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("iterations", [1, 4095])
def test_too_few_iterations_are_refused_before_the_proof(serve: Serve, mechanism: str, iterations: int) -> None:
    """Kafka's client demands 4096; a proof of fewer would tell the password to who is not known yet."""
    server = Scram(PASSWORD, mechanism, iterations)
    page = only_page(serving(serve, server), mechanism)
    assert page.error_code == ErrorCode.SASL_AUTHENTICATION_FAILED
    said = f"it asks for {iterations} iterations, {mechanism} needs at least 4096: no proof was sent, "
    assert said in str(page.error_message)
    assert [token[:3] for token in server.tokens] == [b"n,,"]


def test_a_broker_that_echoes_plain_s_token_tells_nobody_the_password(serve: Serve) -> None:
    broker = serving(serve, lambda token: f"who is {' '.join(token.decode().split())}, {b64encode(token).decode()}?")
    page = only_page(broker, "PLAIN")
    with pytest.raises(AuthenticationFailed) as caught:
        bootstrap(settings(broker, "PLAIN"), QUICK)
    assert page.error_code == ErrorCode.SASL_AUTHENTICATION_FAILED
    for text in (str(page.error_message), str(caught.value)):
        assert re.search(r"who is .*\*\*\*", text)
        for piece in ("canary", "spaces", b64encode(b"canary").decode()[:-2]):
            assert piece not in text


def test_a_broker_that_echoes_the_password_in_an_item_tells_nobody(serve: Serve) -> None:
    """What it says of one key in words is landed without it, in a page that is good; what it is about stays."""

    def coordinators(request: Any, _n: int) -> Any:
        said = {key: f"{key}: not with {PASSWORD!r}" for key in request.coordinator_keys}
        found = [{"key": key, "node_id": -1, "error_code": 30, "error_message": text} for key, text in said.items()]
        return answer("FindCoordinator", coordinators=found)

    broker = serve({**sasl(accepting), FindCoordinatorRequest: coordinators})
    (page,) = walk(broker, "FindCoordinator", "groups", ("a", "b"), QUICK, settings=settings(broker, "PLAIN"))
    reported = {row[0]: row[2] for row in page.rows}
    assert (page.error_code, reported) == (0, {key: f"{key}: not with '***'" for key in "ab"})


def test_plain_has_no_second_message(serve: Serve) -> None:
    page = only_page(serving(serve, lambda _token: b"more"), "PLAIN")
    assert page.error_code == ErrorCode.SASL_AUTHENTICATION_FAILED


@pytest.mark.parametrize(
    ("platform", "found", "said"),
    [
        ("linux", None, "the package gssapi is not installed: pip install 'kafka-census[kerberos]', which compiles it"),
        # Such as a wheel that was made on another machine.
        ("linux", "gssapi", "the package gssapi cannot be used (import of gssapi halted"),
        # MIT's library is given a keytab as Linux has files in memory.
        ("darwin", "gssapi", "only on Linux"),
    ],
)
def test_what_cannot_be_used_is_reported_before_anything_is_sent(
    monkeypatch: pytest.MonkeyPatch, platform: str, found: str | None, said: str
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(kerberos, "find_spec", lambda _name: found)
    monkeypatch.setitem(sys.modules, "gssapi", None)
    signs = Sasl("GSSAPI", kerberos=Kerberos())
    with StandIn({}) as broker, pytest.raises(ConfigError) as caught:
        bootstrap(ClusterSettings("prod", (broker.address,), security_protocol="SASL_PLAINTEXT", sasl=signs), PATIENT)
    assert (broker.connections, caught.value.exit_code) == (0, 2)
    assert str(caught.value).startswith(f"clusters.prod.sasl.mechanism: GSSAPI: {said}")


@pytest.mark.parametrize(("min_code", "own"), [(7, "Ticket expired"), (7, "Success"), (0, "")])
def test_a_failure_is_never_success(min_code: int, own: str) -> None:
    """Where MIT's library has no text of its own, the text of GSSAPI is the message."""
    expired = "The referenced credential has expired"
    texts = {(min_code, False): [own], (11 << 16, True): [expired]}
    failed = SimpleNamespace(min_code=min_code, maj_code=11 << 16, get_all_statuses=lambda *code: texts[code])
    assert kerberos.words(failed) == ("Ticket expired" if own == "Ticket expired" else expired)


@pytest.mark.parametrize(
    ("number", "kind", "said"),
    [
        (29, kerberos.NoTicket, "text 29"),  # KRB5KDC_ERR_SVC_UNAVAILABLE
        (156, kerberos.NoTicket, "text 156"),  # KRB5_KDC_UNREACH
        (6, kerberos.TicketRefused, "text 6"),  # KRB5KDC_ERR_C_PRINCIPAL_UNKNOWN
        (195, kerberos.TicketRefused, "census.keytab has no key of census"),  # KRB5_FCC_NOFILE
    ],
)
def test_a_kdc_that_is_not_available_is_asked_again(number: int, kind: type[Exception], said: str) -> None:
    """MIT numbers its errors from the base of its table (krb5_err.et), and GSSAPI has them as unsigned numbers."""
    failed = SimpleNamespace(min_code=2**32 - 1765328384 + number, get_all_statuses=lambda *_: [f"text {number}"])
    signs = Kerberos(principal="census", keytab=Keytab(Secret("a2V5"), "census.keytab"))
    error = kerberos._explained(failed, "kafka/b1", signs)
    assert (type(error), str(error)) == (kind, f"no Kerberos ticket for kafka/b1: {said}")
