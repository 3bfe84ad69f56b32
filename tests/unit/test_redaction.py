"""No spelling of a secret passes, and nothing else is touched."""

import json
import time
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable
from urllib.parse import quote, quote_plus

import pytest

from kafka_census.protocol.redaction import redacted, secrets_of
from kafka_census.protocol.settings import ClientCredentials, ClusterSettings, Sasl, Secret, Ssl, Token

SECRETS = [
    "canary-1f9c",
    "two  spaces",
    "tab\there\nand a line",
    "quo'te\"d",
    "back\\slash\\\\es",
    "sch\u00f6n\u4e16\U0001f511",
    "per%cent+plus/slash",
    "nul\0byte\x1bescape",
    "[regex].*(?:x)$^",
    "  padded  ",
    "line\u2028and\x85line\xa0end",
    "not\u200bseen\xad and\u202eturned",
    "private\ue000and\U000e0001tags",
]
SPELLINGS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "in a repr": repr,
    "in a repr of a repr": lambda secret: repr(repr(secret)),
    "in a repr of bytes": lambda secret: repr(secret.encode()),
    "in JSON": json.dumps,
    "in JSON as it is": lambda secret: json.dumps(secret, ensure_ascii=False),
    "with its whitespace collapsed": lambda secret: " ".join(secret.split()),
    "percent-encoded": lambda secret: quote(secret, safe=""),
    "percent-encoded, in small letters": lambda secret: quote(secret, safe="").lower(),
    "as a form has it": quote_plus,
    "base64": lambda secret: b64encode(secret.encode()).decode(),
    "base64 for a URL": lambda secret: urlsafe_b64encode(secret.encode()).decode().rstrip("="),
    "PLAIN's token in base64": lambda secret: b64encode(f"\0user\0{secret}".encode()).decode(),
    "PLAIN's token of a longer name": lambda secret: b64encode(f"\0user1\0{secret}".encode()).decode(),
    "PLAIN's token of a still longer name": lambda secret: b64encode(f"\0user12\0{secret}".encode()).decode(),
    "in the middle of base64": lambda secret: b64encode(f"user={secret};host=x".encode()).decode(),
}


@pytest.mark.parametrize("secret", SECRETS, ids=ascii)
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_secret_is_hidden_in_every_spelling(secret: str, spelling: str) -> None:
    """What is left holds `***`, and no four letters in a row of how the secret was spelled."""
    spelled = SPELLINGS[spelling](secret)
    left = redacted(f"refused: <{spelled}>, bye", [secret])
    assert "***" in left
    assert left.startswith("refused: <")
    assert left.endswith(">, bye")
    if "base64" in spelling or "token" in spelling:
        return
    pieces = {spelled[at : at + 4] for at in range(len(spelled) - 4)}
    assert not any(piece in left for piece in pieces if piece.isalnum())


def test_what_is_left_of_a_base64_text_tells_nothing() -> None:
    """At most some bits of its first and last character."""
    token = b64encode(b"\0user\0canary-1f9c").decode()
    assert redacted(token, ["canary-1f9c"]) in (f"{token[:n]}***" for n in range(7, 11))


def test_other_texts_are_left_alone() -> None:
    """Neither what only looks alike nor what is too short to be looked for."""
    text = "broker 1 at h:9092: canary-1f9d, abc, two spaces"
    assert redacted(text, ["canary-1f9c", "abc", "", "    ", "two-spaces"]) == text


def test_a_secret_that_is_no_text_is_hidden_as_well() -> None:
    """An environment variable may hold bytes that are not UTF-8."""
    assert redacted("refused: canary\udcff1", ["canary\udcff1"]) == "refused: ***"


def test_the_longest_secret_goes_first() -> None:
    """Where one is the beginning of another, the rest of that one does not stay."""
    assert redacted("x canary-and-more y", ["canary", "canary-and-more"]) == "x *** y"


def test_secrets_of_a_cluster_are_its_two_passwords() -> None:
    """The key's and the user's."""
    settings = ClusterSettings(
        "c",
        (),
        ssl=Ssl(password=Secret("one-1"), cafile_password=Secret("zero-0")),
        sasl=Sasl("PLAIN", "user", Secret("two-2")),
    )
    assert secrets_of(settings) == {"zero-0", "one-1", "two-2"}
    for oauth in (Token(Secret("head.body.three")), ClientCredentials("https://h", "client", Secret("three"))):
        assert secrets_of(ClusterSettings("c", (), sasl=Sasl("OAUTHBEARER", oauth=oauth))) == {"three"}
    assert secrets_of(ClusterSettings("c", ())) == frozenset()


@pytest.mark.parametrize("piece", ["\\", " ", "a ", "%", "\\x", "A", "a\\", "+"])
@pytest.mark.parametrize("secret", ["a \\ b", "\\\\\\\\", "a b a b a b", "AAAAAAAAAAAAAAAA!", "  a\t\t\\n"])
def test_no_text_takes_long(piece: str, secret: str) -> None:
    """A broker may answer anything, as much as it likes."""
    started = time.monotonic()
    redacted(piece * (65_536 // len(piece)), [secret])
    assert time.monotonic() - started < 2
