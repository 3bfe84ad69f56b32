"""kafka-python's registry, loggers and exchange of GSSAPI are as `private.kafka_python` takes them."""

import logging
from types import SimpleNamespace

import pytest
from kafka.net.sasl import get_sasl_mechanism

from kafka_census.errors import ConfigError
from kafka_census.kafka.protocol import kafka_connection
from kafka_census.kafka.protocol.sasl_scram import Scram
from kafka_census.private.kafka_python import GssapiExchange, require_tried


class Context:
    """A security context of gssapi: complete after the broker's first token; wrapped is what begins with W."""

    complete = False

    def step(self, token: bytes) -> None:
        assert token == b"from the broker"
        self.complete = True

    def unwrap(self, wrapped: bytes) -> SimpleNamespace:
        return SimpleNamespace(message=wrapped.removeprefix(b"W"))

    def wrap(self, message: bytes, encrypted: bool) -> SimpleNamespace:
        assert not encrypted
        return SimpleNamespace(message=b"W" + message)


def test_an_exchange_of_gssapi_goes_on_in_the_context_that_it_is_given() -> None:
    """It sends the first token, then none, then that no layer is used, with the largest message, and no user."""
    exchange = GssapiExchange(Context(), b"first")
    assert exchange.auth_bytes() == b"first"
    exchange.receive(b"from the broker")
    assert exchange.auth_bytes() == b""
    exchange.receive(b"W\x07\x00\x40\x00")
    assert not exchange.is_done()
    assert exchange.auth_bytes() == b"W\x01\x00\x40\x00"
    assert exchange.is_done()
    assert exchange.is_authenticated()


def test_a_connection_finds_our_mechanisms_and_nothing_is_logged() -> None:
    """From when the module of connections is imported, in the whole process."""
    assert kafka_connection
    assert get_sasl_mechanism("SCRAM-SHA-512") is Scram
    assert not logging.getLogger("kafka.net.connection").isEnabledFor(logging.ERROR)


def test_another_line_of_releases_is_refused_in_one_line() -> None:
    require_tried("3.0.99")
    with pytest.raises(ConfigError, match=r"^kafka-python 3\.1\.0 is installed, [^\n]*'kafka-python~=3\.0\.12'$"):
        require_tried("3.1.0")
