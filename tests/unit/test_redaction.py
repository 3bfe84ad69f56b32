"""No spelling of a secret passes, and nothing else is touched."""

import json
import re
import time
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from kafka_census.kafka.protocol.redaction import redacted, secrets_of
from kafka_census.kafka.protocol.secret import Secret
from kafka_census.kafka.protocol.settings import ClientCredentials, ClusterSettings, Sasl, Ssl, Token

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
FRAGMENTS = [
    *("\\", "%", "%4", "1", "n", "x41", "u00", "41", "+", " ", "\n", "=", "-", "_", "\xe9", "\u9999", "\xa0", "\udce9"),
    *("\U0001f511", "'", '"', "/", "abc", "\\u0061", "%20", "QUJD", "\0", "\u2028"),
]
"""What stands in texts and secrets and means something to what decodes them."""
WHITE = ["\x85", "\u3000", "\u2003", "\t", "\x1c", "  "]
UNSEEN = ["\u200b", "\xad", "\x90", "\ue000", "\xc2", "\u202e"]

Spell = Callable[[str], str]

SPELLINGS: dict[str, Spell] = {
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


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_secret_is_hidden_in_every_spelling(spelling: str) -> None:
    """What is left holds `***`, and no four letters in a row of how the secret was spelled."""
    for secret in SECRETS:
        spelled = SPELLINGS[spelling](secret)
        left = redacted(f"refused: <{spelled}>, bye", [secret])
        assert re.fullmatch(r"refused: <.*\*\*\*.*>, bye", left, re.DOTALL), ascii(secret)
        if "base64" not in spelling and "token" not in spelling:
            pieces = {spelled[at : at + 4] for at in range(len(spelled) - 4)}
            assert not any(piece in left for piece in pieces if piece.isalnum()), ascii(secret)


@pytest.mark.parametrize("column", [1, 7, 8, 64, 76, 100])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\n    ", "\\n", "\\r\\n", "%0A", "\\\\n"])
def test_what_is_left_of_a_base64_text_tells_nothing_and_it_may_be_wrapped(column: int, end: str) -> None:
    secret = "canary-1f9c of some length, so that lines of it are full"
    encoded = b64encode(f"\0user\0{secret}".encode()).decode()
    wrapped = end.join(encoded[at : at + column] for at in range(0, len(encoded), column))
    kept = redacted(wrapped, [secret]).removesuffix("***").replace(end, "")
    assert encoded.startswith(kept)
    assert len(kept) <= len(b64encode(b"\0user\0").decode())


@pytest.mark.parametrize(
    ("before", "after"), [("\\", "\\"), ("%", "%4"), ("C:\\", "\\u00"), ("\\x", "41"), ("%4", "1")]
)
@pytest.mark.parametrize("secret", ["newpass", "41canary41", "u0041canary\\", "x%41y%4", 'n"quote\u00e9\\'])
def test_what_stands_beside_a_secret_hides_none_of_it_from_us(before: str, after: str, secret: str) -> None:
    """A backslash or a percent sign before a secret makes no escape of its first letters, as it is and as JSON."""
    assert redacted(f"{before}{secret}{after}", [secret]) == f"{before}***{after}"
    encoded = json.dumps(f"{before}{secret}{after}")
    shown = json.dumps(before)[:-1], json.dumps(after)[1:]
    assert redacted(encoded, [secret]) == "***".join(shown)


@pytest.mark.parametrize(
    ("text", "secrets", "left"),
    [
        # As single spaces, a secret of white space would be every space of a text.
        ("with ++++ and + a b", ["++++", "a + b"], "with *** and + a b"),
        ("with a + b and a b", ["++++", "a + b"], "with *** and a b"),
        ("with ab  and ab", ["ab  "], "with ***and ab"),
        ("canary-1f9d, abc, two spaces", ["canary-1f9c", "abc", "", "    ", "two-spaces"], None),
        # An environment variable may hold bytes that are not UTF-8.
        ("refused: canary\udcff1", ["canary\udcff1"], "refused: ***"),
        # Some of its letters are escaped, in one way or another.
        (r'"qu\"\u006f%74e sch\u00f6n"', ['qu"ote sch\u00f6n'], '"***"'),
        # Where one is the beginning of another, the rest of that one does not stay.
        ("x canary-and-more y", ["canary", "canary-and-more"], "x *** y"),
    ],
    ids=ascii,
)
def test_a_secret_is_hidden_exactly(text: str, secrets: list[str], left: str | None) -> None:
    assert redacted(text, secrets) == (left or text)


def test_a_letter_of_latin_1_is_no_half_of_another() -> None:
    """Its byte begins or continues those of other letters; what is left is text."""
    assert redacted(repr("abcd\xe9 and \xa9abcd"), ["abcd\xe9", "\xa9abcd"]) == "'*** and ***'"
    for text in ("abcd\u9999", "\u9999abcd", "x\u00e9abcd", "\udce9abcd\udce9"):
        redacted(text, ["abcd\xe9", "\xa9abcd", "\x99abcd", "\xa9abcd\xe9"]).encode("utf-8", "surrogatepass")


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=12), st.lists(st.sampled_from(FRAGMENTS), min_size=2, max_size=5))
def test_no_text_and_no_secret_break_it(around: list[str], parts: list[str]) -> None:
    secret = "".join(parts)
    text = "".join([*around, secret, *reversed(around)])
    encoded = text.encode("utf-8", "surrogatepass")
    for spelled in (text, json.dumps(text), json.dumps(json.dumps(text)), repr(text), ascii(text), quote(encoded)):
        left = redacted(spelled, [secret])
        left.encode("utf-8", "surrogatepass")
        assert ("***" in left) == (len(secret) >= 4 and bool(secret.strip()))
    whole = secret.strip() if len(secret.strip()) >= 4 else secret
    assert whole not in redacted(text, [secret]) or len(secret) < 4 or not secret.strip()


def collapsed(text: str) -> str:
    """As one line of an error has it."""
    return " ".join(text.split())


SPELLED = [
    *(repr, ascii, json.dumps, collapsed, lambda text: json.dumps(text, ensure_ascii=False)),
    lambda text: quote(text.encode("utf-8", "surrogatepass")),
]


@given(
    st.lists(st.sampled_from([*FRAGMENTS, *WHITE, *UNSEEN]), min_size=2, max_size=8),
    st.lists(st.sampled_from(SPELLED), max_size=3),
)
@example(["abc", "\x85", "\xad", "\xe9"], [collapsed, repr])
@example(["\u200b", "\xa0", "\xad", "abc"], [collapsed, ascii, json.dumps])
def test_a_secret_is_hidden_by_whatever_it_was_spelled_in_turn(parts: list[str], spelled: list[Spell]) -> None:
    secret = text = "".join(parts)
    assume(len(re.sub(r"[\s+\x00-\x1f\x7f-\xa0]+", " ", secret).strip()) >= 4)
    for spell in spelled:
        text = spell(text)
    assert "***" in redacted(f"<{text}>", [secret])


def test_secrets_of_a_cluster_are_its_two_passwords() -> None:
    ssl, sasl = Ssl(password=Secret("one-1"), cafile_password=Secret("zero-0")), Sasl("PLAIN", "user", Secret("two-2"))
    assert secrets_of(ClusterSettings("c", (), ssl=ssl, sasl=sasl)) == {"zero-0", "one-1", "two-2"}
    for oauth in (Token(Secret("head.body.three")), ClientCredentials("https://h", "client", Secret("three"))):
        assert secrets_of(ClusterSettings("c", (), sasl=Sasl("OAUTHBEARER", oauth=oauth))) == {"three"}
    assert secrets_of(ClusterSettings("c", ())) == frozenset()


@pytest.mark.parametrize("piece", ["\\", " ", "a ", "%", "\\x", "A", "a\\", "+"])
@pytest.mark.parametrize("secret", ["a \\ b", "\\\\\\\\", "a b a b a b", "AAAAAAAAAAAAAAAA!", "  a\t\t\\n"])
def test_no_text_takes_long(piece: str, secret: str) -> None:
    """A broker may answer anything, as much as it likes."""
    started = time.process_time()
    redacted(piece * (65_536 // len(piece)), [secret])
    assert time.process_time() - started < 2


def test_the_time_is_linear_in_text_and_secrets() -> None:
    """Of a third of each, some took 42 s, 8 s and over a minute."""
    for text, secrets in (
        ("%be" * 24_000, ["be careful now"]),
        ("x" * 3000, ["canary" * 5100]),
        ("y" * 1000, ["canary" * 102_000]),
        ("a b" * 3000, [f"canary-{number}" for number in range(600)]),
        ("\\\\u0061%20" * 9000, ["a a a a a a a a b"]),
    ):
        started = time.process_time()
        redacted(text, secrets)
        assert time.process_time() - started < 4, text[:10]
