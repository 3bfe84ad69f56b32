"""`clusters.NAME.allowed_hosts`: a host that is not allowed gets no byte, whoever names it."""

import socket
import time
from typing import Any

import pytest

from harness.impostor import Impostor
from kafka_census.errors import Unreachable
from kafka_census.kafka.error_codes import RETRIABLE, UNREACHABLE, ErrorCode
from kafka_census.kafka.paging.page import Chain
from kafka_census.kafka.protocol.allowed_hosts import is_entry, permitted
from kafka_census.kafka.protocol.cluster import bootstrap
from kafka_census.kafka.protocol.endpoint import Endpoint
from kafka_census.kafka.protocol.settings import ClusterSettings
from kafka_census.landing.fetch.fetch import Fetcher
from kafka_census.upkeep.doctor.reach import reach
from unit.walking import QUICK


def resolved(*addresses: str) -> list[Any]:
    return [(socket.AF_INET6 if ":" in one else socket.AF_INET, 1, 6, "", (one, 9092)) for one in addresses]


@pytest.mark.parametrize(
    ("entries", "host", "addresses", "left"),
    [
        ((), "anywhere.example", ("192.0.2.1",), 1),
        (("kafka-1.example.org",), "KAFKA-1.example.org.", ("192.0.2.1",), 1),
        (("kafka-1.example.org",), "kafka-1.example.org.evil.example", ("192.0.2.1",), 0),
        ((".example.org",), "kafka-1.eu.example.org", ("192.0.2.1",), 1),
        ((".example.org",), "evilexample.org", ("192.0.2.1",), 0),
        ((".example.org",), "example.org", ("192.0.2.1",), 0),
        (("10.1.0.0/16",), "kafka-1", ("10.1.2.3", "192.0.2.1"), 1),
        (("10.1.0.0/16",), "::ffff:10.1.0.1", ("::ffff:10.1.0.1",), 1),
        (("2001:db8::/32", "10.0.0.1"), "kafka-1", ("2001:db8::7", "10.0.0.1", "10.0.0.2"), 2),
    ],
)
def test_names_and_networks(entries: tuple[str, ...], host: str, addresses: tuple[str, ...], left: int) -> None:
    """A name is compared whole, a suffix from its dot on, a network with what the name resolves to."""
    assert all(map(is_entry, entries))
    assert len(permitted(host, resolved(*addresses), entries)) == left


def test_what_would_never_allow_anything_is_no_entry() -> None:
    texts = ("", ".", "*.example.org", "a b", "10.1.0.1/16", "1.2.3", "[::1]", "a..b", "h:9092")
    assert not any(map(is_entry, texts))


def test_an_address_that_is_not_allowed_gets_no_byte() -> None:
    settings = ClusterSettings("prod", ("127.0.0.1:1",), allowed_hosts=(".example.org", "10.0.0.0/8"))
    with Impostor() as foreign:
        chain = Chain(2, "chain", Endpoint(2, "127.0.0.1", foreign.port))
        (page,) = Fetcher("ListGroups", "groups", settings, QUICK).pages(iter([chain]))
        where = f"broker 2 at 127.0.0.1:{foreign.port}"
    assert (page.error_code, page.attempts, foreign.connections) == (ErrorCode.HOST_NOT_ALLOWED, 0, 0)
    key = "clusters.prod.allowed_hosts"
    assert page.error_message == f"{where}: {key} does not allow this host: nothing was sent to it"
    assert ErrorCode.HOST_NOT_ALLOWED in {*UNREACHABLE} - RETRIABLE
    with pytest.raises(Unreachable, match=r"clusters\.prod\.allowed_hosts does not allow this host.*; add it to"):
        bootstrap(settings, QUICK)


@pytest.mark.parametrize("protocol", ["PLAINTEXT", "SSL"])
@pytest.mark.parametrize(
    ("first", "later"),
    [(("127.0.0.2", "127.0.0.1"), ("127.0.0.2", "127.0.0.1")), (("127.0.0.1",), ("127.0.0.2",))],
    ids=["a name of two hosts", "a name that another host has from then on"],
)
def test_doctor_connects_to_the_addresses_that_it_checked(
    monkeypatch: pytest.MonkeyPatch, protocol: str, first: tuple[str, ...], later: tuple[str, ...]
) -> None:
    """A name server may answer a second question otherwise. The certificate is read twice where it is not accepted."""
    real, answers = socket.getaddrinfo, iter([first])

    def lookup(host: str, port: int, *more: Any, **named: Any) -> list[Any]:
        if host != "kafka.test":
            return real(host, port, *more, **named)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (one, port)) for one in next(answers, later)]

    monkeypatch.setattr(socket, "getaddrinfo", lookup)
    with Impostor() as allowed, Impostor(listens_at=("127.0.0.2", allowed.port)) as foreign:
        settings = ClusterSettings("prod", (), security_protocol=protocol, allowed_hosts=("127.0.0.1",))
        reach(Endpoint(1, "kafka.test", allowed.port), settings, QUICK, (), time.monotonic() + 3)
    assert (allowed.connections > 0, foreign.connections) == (True, 0)
