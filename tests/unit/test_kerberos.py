"""GSSAPI where there is no KDC: what is reported before anything is sent, and how a keytab goes along with a task.

The exchange itself is tried on a real broker, with a real KDC: tests/e2e/test_kerberos.py.
"""

import pickle
import sys
from base64 import b64encode
from pathlib import Path

import pytest

from harness.standin import StandIn
from kafka_census.errors import ConfigError
from kafka_census.protocol import kerberos, tokens
from kafka_census.protocol.cluster import bootstrap
from kafka_census.protocol.settings import ClusterSettings, Kerberos, Keytab, Sasl, Secret
from unit.walking import PATIENT


def refusal() -> str:
    with StandIn({}) as broker:
        servers = (f"127.0.0.1:{broker.endpoint.port}",)
        sasl = Sasl("GSSAPI", kerberos=Kerberos())
        settings = ClusterSettings("prod", servers, security_protocol="SASL_PLAINTEXT", sasl=sasl)
        with pytest.raises(ConfigError) as caught:
            bootstrap(settings, PATIENT)
    assert broker.connections == 0
    assert caught.value.exit_code == 2
    return str(caught.value)


def test_a_package_that_is_not_installed_is_reported_before_anything_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kerberos, "find_spec", lambda _name: None)
    assert refusal() == (
        "clusters.prod.sasl.mechanism: GSSAPI: the package gssapi is not installed: "
        "pip install 'kafka-census[kerberos]', which compiles it: apt-get install gcc libkrb5-dev"
    )


def test_a_package_without_its_library_is_reported_likewise(monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as a wheel that was made on another machine."""
    monkeypatch.setattr(kerberos, "find_spec", lambda name: name)
    monkeypatch.setitem(sys.modules, "gssapi", None)
    assert "GSSAPI: the package gssapi cannot be used (import of gssapi halted" in refusal()


def test_another_system_is_reported_likewise(monkeypatch: pytest.MonkeyPatch) -> None:
    """MIT's library is given a keytab as Linux has files in memory."""
    monkeypatch.setattr(sys, "platform", "darwin")
    assert refusal() == "clusters.prod.sasl.mechanism: GSSAPI: only on Linux"


def test_a_keytab_goes_along_as_its_file_holds_it(tmp_path: Path) -> None:
    """When the task is sent; where the file is not there any more, that is what it is."""
    file = tmp_path / "census.keytab"
    file.write_bytes(b"\x05\x02old")
    keytab = Keytab(Secret(b64encode(b"\x05\x02old").decode()), str(file))
    file.write_bytes(b"\x05\x02\xff\xfe renewed")
    sent = pickle.dumps(Kerberos(principal="census", keytab=keytab))
    file.unlink()
    arrived = pickle.loads(sent)  # noqa: S301 - as a worker does
    assert arrived.keytab.current() == Secret(b64encode(b"\x05\x02\xff\xfe renewed").decode())
    assert "***" in repr(arrived)


@pytest.mark.parametrize(
    ("principal", "user"),
    [("census@EXAMPLE.ORG", "census"), ("census/batch@EXAMPLE.ORG", "census"), ("census", "census"), (None, None)],
)
def test_brokers_know_a_principal_by_its_first_part(principal: str | None, user: str | None) -> None:
    """By Kafka's default rules; whose tickets are in a cache is known once they were used."""
    assert tokens.user(Sasl("GSSAPI", kerberos=Kerberos(principal=principal, ticket_cache="/nobody"))) == user


class Failed:
    """A GSSError: the codes and texts of GSSAPI and of MIT's library."""

    def __init__(self, min_code: int, own: str) -> None:
        """The general code is that of an expired credential."""
        self.min_code, self.maj_code = min_code, 11 << 16
        self._texts = {(min_code, False): [own], (self.maj_code, True): ["The referenced credential has expired"]}

    def get_all_statuses(self, code: int, is_major: bool) -> list[str]:
        """The texts of a code."""
        return self._texts[code, is_major]


@pytest.mark.parametrize(
    ("min_code", "own", "said"),
    [
        (7, "Ticket expired", "Ticket expired"),
        (7, "Success", "The referenced credential has expired"),
        (0, "", "The referenced credential has expired"),
    ],
)
def test_a_failure_is_never_success(min_code: int, own: str, said: str) -> None:
    """Where MIT's library has no text of its own, the text of GSSAPI is the message."""
    assert kerberos.words(Failed(min_code, own)) == said
