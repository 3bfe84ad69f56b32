"""kafka-python's registry and loggers are as `private.kafka_python` takes them."""

import logging

import pytest
from kafka.net.sasl import get_sasl_mechanism

from kafka_census.errors import ConfigError
from kafka_census.kafka.protocol import kafka_connection
from kafka_census.kafka.protocol.sasl_scram import Scram
from kafka_census.private.kafka_python import require_tried


def test_a_connection_finds_our_mechanisms_and_nothing_is_logged() -> None:
    """From when the module of connections is imported, in the whole process."""
    assert kafka_connection
    assert get_sasl_mechanism("SCRAM-SHA-512") is Scram
    assert not logging.getLogger("kafka.net.connection").isEnabledFor(logging.ERROR)


def test_another_line_of_releases_is_refused_in_one_line() -> None:
    require_tried("3.0.99")
    with pytest.raises(ConfigError, match=r"^kafka-python 3\.1\.0 is installed, [^\n]*'kafka-python~=3\.0\.12'$"):
        require_tried("3.1.0")
