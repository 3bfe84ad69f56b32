r"""Secrets out of texts, in every spelling in which a text that came back may hold them.

A broker that was given a password may echo it, and what it says becomes pages, logs and error
lines. On the way such a text is escaped (`repr`, JSON), its whitespace is collapsed, or the
secret was base64 or percent-encoded before. A secret is hidden in all of these, mixed too: each
of its characters is looked for in each of its spellings, any whitespace where it has whitespace.

Secrets shorter than four characters are not hidden: replacing them everywhere would garble every
line and tell which letters they are made of. The patterns have no unbounded repetition next to
another one, so that no text takes long.
"""

import re
from base64 import b64encode
from collections.abc import Iterable
from functools import lru_cache
from itertools import groupby
from unicodedata import category

from kafka_census.protocol import aws, tokens
from kafka_census.protocol.settings import ClusterSettings

HIDDEN = "***"
SHORTEST = 4

_SPACES = r"(?:[\x00-\x20\x7f-\x9f]|\s|\\{1,4}[nrtfv0]|\\{1,4}(?:x[0-9a-f]{2}|u[0-9a-f]{4})|%[0-9a-f]{2}|\+)"
"""White space and control characters, also escaped and percent-encoded: there are many, and some are several bytes."""

_TAIL = r"[A-Za-z0-9+/_-]{0,2}={0,2}"
"""The end of a base64 text, which holds the last bits of the secret."""


def secrets_of(settings: ClusterSettings) -> frozenset[str]:
    """The texts of a cluster that nobody may read, tokens among them that this process was given until now."""
    sasl = settings.sasl
    secrets = (settings.ssl.password, settings.ssl.cafile_password, sasl.password if sasl else None)
    found = {secret.reveal() for secret in secrets if secret is not None}
    if sasl and sasl.oauth:
        found |= tokens.secrets_of(sasl.oauth)
    if sasl and sasl.aws:
        found |= aws.secrets_of(sasl.aws)
    return frozenset(found)


def redacted(text: str, secrets: Iterable[str]) -> str:
    """The text with `***` for each of the secrets, the longest first."""
    for secret in sorted(secrets, key=len, reverse=True):
        if len(secret) >= SHORTEST and secret.strip():
            text = _pattern(secret).sub(HIDDEN, text)
    return text


@lru_cache(maxsize=64)
def _pattern(secret: str) -> re.Pattern[str]:
    """What a secret looks like."""
    runs = [(kind, "".join(run)) for kind, run in groupby(secret.strip(), _kind)]
    plain = "".join(_spelled(kind, run) for kind, run in runs)
    return re.compile("|".join([plain, *_base64(secret.encode("utf-8", "surrogatepass"))]))


def _kind(char: str) -> str:
    """What runs are made of: whitespace and controls, backslashes, or other characters."""
    return " " if char.isspace() or category(char) == "Cc" else "\\" if char == "\\" else ""


def _spelled(kind: str, run: str) -> str:
    if kind == " ":
        return f"(?i:{_SPACES}+)"
    if kind == "\\":
        return rf"(?:\\{{{len(run)},{4 * len(run)}}}|(?i:%5c){{{len(run)}}})"
    return "".join(map(_character, run))


def _character(char: str) -> str:
    """A character as it is, escaped as Python and JSON do, or percent-encoded."""
    code, utf8 = ord(char), char.encode("utf-8", "surrogatepass")
    escapes = [rf"\\{{1,4}}u{code:04x}", rf"\\{{1,4}}U{code:08x}", "".join(rf"\\{{1,4}}x{byte:02x}" for byte in utf8)]
    if 0x80 <= code <= 0xFF:  # noqa: PLR2004 - as repr of text has it; ASCII is above, as bytes
        escapes.append(rf"\\{{1,4}}x{code:02x}")
    if code > 0xFFFF:  # noqa: PLR2004 - as JSON has it, in two halves
        pair = char.encode("utf-16-be").hex()
        escapes.append(rf"\\{{1,4}}u{pair[:4]}\\{{1,4}}u{pair[4:]}")
    escapes.append("".join(f"%{byte:02x}" for byte in utf8))
    as_is = rf"\\{{0,4}}{char}" if char in "'\"/" else re.escape(char)
    return f"(?:{as_is}|(?i:{'|'.join(escapes)}))"


def _base64(secret: bytes) -> Iterable[str]:
    """What is sure of a base64 text in which the secret stands, be it behind others (as PLAIN's token), three ways."""
    for before, unsure in ((0, 0), (1, 2), (2, 3)):
        text = b64encode(bytes(before) + secret).decode().rstrip("=")
        ends_inside = (before + len(secret)) % 3
        sure = text[unsure : len(text) - 1 if ends_inside else None]
        if len(sure) >= SHORTEST:
            yield "".join("[+-]" if c == "+" else "[/_]" if c == "/" else c for c in sure) + _TAIL
