"""The message to a webhook: what is sent, what counts as accepted, how long it may take; its URL stays secret."""

import json
import time
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest

from harness.documented import ROOT, block_with
from harness.receiver import Receiver
from harness.tls import Tls
from kafka_census.alerts.facts import Facts
from kafka_census.alerts.states import STATES, Change
from kafka_census.alerts.webhook import TRIES, NotAccepted, Webhook, is_url, message, send
from kafka_census.declarations.census import Census
from kafka_census.errors.one_line import one_line
from kafka_census.kafka.protocol.secret import Secret
from kafka_census.terminal.log import Redactor
from unit.test_tls import server_context

AT = datetime(2026, 11, 25, 15, 1, 4, 250_000, tzinfo=UTC)
BEFORE = datetime(2026, 11, 24, 15, 0, 58, 125_000, tzinfo=UTC)
CENSUS = Census("20261125T150000000Z-9f3a1c", "MkU3OEVBNTcwNTJENDM2Qk", "prod", AT, ("brokers",))
SENT = {"text": "sent", "changes": []}
CANARY = "canary-hunter2"


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def to(url: str, timeout: float = 20) -> Webhook:
    return Webhook(Secret(url), timedelta(seconds=timeout))


def refusal(webhook: Webhook) -> str:
    with pytest.raises(NotAccepted) as caught:
        send(webhook, SENT)
    redactor = Redactor()
    redactor.learn_texts(webhook.secrets)
    return one_line(caught.value, redactor.hide)


def change(state: str, count: float, since: datetime) -> Change:
    return Change(next(one for one in STATES if one.name == state), count, since)


def test_a_message_is_the_one_that_the_page_shows() -> None:
    facts = Facts("prod", AT, 3, frozenset(), CENSUS, judgement=SimpleNamespace(outcome="refuse"))  # type: ignore[arg-type]
    reported = message(facts, [change("refused", 1, AT), change("offline", 3, AT), change("stalled", 0, BEFORE)])
    shown = block_with(ROOT / "docs" / "alerts.md", '"changes"')
    assert json.loads(json.dumps(reported)) == json.loads(shown.text)
    # It failed before it knew the cluster.
    reported = message(Facts("prod", AT, 1, frozenset()), [change("failed", 1, AT)])
    assert (reported["cluster_id"], reported["census_id"], reported["outcome"]) == (None, None, "failed")


@pytest.mark.parametrize("answers", [(204,), (500, 200)], ids=["at once", "at the second try"])
def test_a_message_is_posted_until_it_is_accepted(answers: tuple[int, ...]) -> None:
    """To the whole of the URL; any 2xx will do."""
    with Receiver(answers=answers) as receiver:
        send(to(f"{receiver.url}?token={CANARY}"), SENT)
    tries = len(answers)
    assert (receiver.received, receiver.targets) == ([SENT] * tries, [f"/hook?token={CANARY}"] * tries)


@pytest.mark.parametrize("status", [301, 307, 400, 503])
def test_an_answer_that_is_not_2xx_accepts_nothing(status: int) -> None:
    """No redirect is followed: most would turn the message into a question without a body, and take any answer."""
    with Receiver() as elsewhere, Receiver(answers=(status,), location=elsewhere.url) as receiver:
        assert refusal(to(receiver.url)) == f"the webhook answered with status {status}"
    assert (len(receiver.received), elsewhere.connections) == (TRIES, 0)


@pytest.mark.parametrize("receiver", [Receiver(answers=(0,)), Receiver(drip=True)], ids=["silent", "byte by byte"])
def test_a_receiver_that_hangs_is_not_waited_for(receiver: Receiver) -> None:
    with receiver:
        started = time.monotonic()
        assert refusal(to(receiver.url, timeout=0.3)) == "the webhook did not answer within 0.3 s"
        assert time.monotonic() - started < 5


def test_tls_is_verified(tls: Tls, monkeypatch: pytest.MonkeyPatch) -> None:
    """Against the authorities of the system; SSL_CERT_FILE names others."""
    with Receiver(secured=server_context(tls.keystore)) as receiver:
        assert "certificate verify failed" in refusal(to(receiver.url))
        assert receiver.received == []
        monkeypatch.setenv("SSL_CERT_FILE", str(tls.cafile))
        send(to(receiver.url), SENT)
        assert receiver.received == [SENT]


@pytest.mark.parametrize("target", [f"/services/{CANARY}", f"/hook?token={CANARY}"])
def test_no_part_of_the_url_is_reported(target: str) -> None:
    webhook = to(f"http://127.0.0.1:1{target}")
    assert refusal(webhook) == "the webhook cannot be reached: <urlopen error [Errno 111] Connection refused>"
    assert CANARY not in repr(webhook)
    redactor = Redactor()
    redactor.learn_texts(webhook.secrets)
    assert redactor.hide(f"POST http://127.0.0.1:1{target} failed") == "POST *** failed"
    assert redactor.hide(f"POST {target} failed") == "POST *** failed"


URLS = ("https://hooks.example.org/services/T0/B0", "http://127.0.0.1:8080", "HTTPS://[::1]:8443/x?y=z")
NO_URLS = (
    *("hooks.example.org/x", "ftp://example.org/x", "file:///etc/passwd", "https:///x", "https://host:99999/x", ""),
    *("https://host:port/x", "https://user:password@host/x", "https://host/a b", "https://host/a\nb", "https://höst/x"),
)


def test_what_can_be_posted_to_is_http_with_a_host() -> None:
    assert [url for url in (*URLS, *NO_URLS) if is_url(Secret(url))] == [*URLS]
