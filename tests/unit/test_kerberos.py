"""GSSAPI where there is no KDC: what is reported before anything is sent, and how a keytab goes along with a task.

The exchange itself is tried on a real broker, with a real KDC: tests/e2e/test_kerberos.py.
"""

import pickle
import sys
from base64 import b64encode
from pathlib import Path
from types import SimpleNamespace

import pytest

from harness.standin import StandIn
from kafka_census.errors import ConfigError
from kafka_census.kafka.protocol import kerberos, tokens
from kafka_census.kafka.protocol.cluster import bootstrap
from kafka_census.kafka.protocol.secret import Secret
from kafka_census.kafka.protocol.settings import ClusterSettings, Kerberos, Keytab, Sasl
from unit.walking import PATIENT


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


def test_brokers_know_a_principal_by_its_first_part() -> None:
    """By Kafka's default rules; whose tickets are in a cache is known once they were used."""
    principals = ("census@EXAMPLE.ORG", "census/batch@EXAMPLE.ORG", "census", None)
    signs = [Sasl("GSSAPI", kerberos=Kerberos(principal=one, ticket_cache="/nobody")) for one in principals]
    assert [tokens.user(one) for one in signs] == ["census"] * 3 + [None]


@pytest.mark.parametrize(("min_code", "own"), [(7, "Ticket expired"), (7, "Success"), (0, "")])
def test_a_failure_is_never_success(min_code: int, own: str) -> None:
    """Where MIT's library has no text of its own, the text of GSSAPI is the message."""
    expired = "The referenced credential has expired"
    texts = {(min_code, False): [own], (11 << 16, True): [expired]}
    failed = SimpleNamespace(min_code=min_code, maj_code=11 << 16, get_all_statuses=lambda *code: texts[code])
    assert kerberos.words(failed) == ("Ticket expired" if own == "Ticket expired" else expired)
