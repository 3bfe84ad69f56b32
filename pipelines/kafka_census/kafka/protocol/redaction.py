r"""Secrets out of texts, in every spelling in which a text that came back may hold them.

A broker that was given a password may echo it, and what it says becomes pages, logs and error
lines. On the way such a text is escaped (`repr`, JSON), percent-encoded, wrapped, or the secret was base64 before.
Escapes are undone layer by layer, as often and in any order as `_LAYERS` allows, and each form of the text is searched
for the secret as plain bytes: runs of white space are one space there, and none in the search for base64. A position in
a form leads back to the text. So the time is linear in the text, and in the secrets (`benchmarks/redaction.py`).

Secrets shorter than four characters are not hidden: replacing them everywhere would garble every
line and tell which letters they are made of.
"""

import re
from base64 import b64encode
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from kafka_census.kafka.protocol import aws, tokens
from kafka_census.kafka.protocol.settings import ClusterSettings

HIDDEN = "***"
SHORTEST = 4

_LAYERS = 4
"""How many layers of escapes are undone: a letter behind four backslashes is escaped three times."""

_SPACE = rb"(?:[\x00-\x20\x7f+]|\xc2[\x80-\xa0]|\xe1\x9a\x80|\xe2(?:\x80[\x80-\x8a\xa8\xa9\xaf]|\x81\x9f)|\xe3\x80\x80)"
"""White space and control characters in UTF-8, and the space of forms."""

_SPACES = re.compile(rb"(?:\x20(?=SPACE)|(?!\x20)SPACE)SPACE*".replace(b"SPACE", _SPACE))
"""All white space but a single space."""

_WRAPPING, _STANDARD = bytes(range(33)), bytes.maketrans(b"-_", b"+/")
_WRAPPED = re.compile(rb"[\x00-\x20]+|[-_]")
"""What a base64 text may be wrapped with, and the letters of base64 for URLs."""

_ESCAPE = re.compile(
    rb"\\(?:u([dD][89abAB][HEX]{2})\\u([dD][c-fC-F][HEX]{2})|u([HEX]{4})|U([HEX]{8})|x([HEX]{2})|([nrtfv0])|([\\\"'/]))".replace(
        b"HEX", b"0-9a-fA-F"
    )
)
_CONTROLS = dict(zip((b"n", b"r", b"t", b"f", b"v", b"0"), (b"\n", b"\r", b"\t", b"\f", b"\v", b"\0"), strict=True))
_PERCENT = re.compile(rb"%([0-9a-fA-F]{2})")
_TAIL = re.compile(rb"[A-Za-z0-9+/]{0,2}={0,2}")
"""The end of a base64 text, which holds the last bits of the secret."""

_Decode = Callable[[re.Match[bytes]], bytes]
_Span = tuple[int, int]


@dataclass(frozen=True)
class _Form:
    """A form of a text, and where its bytes are from.

    data    the form
    before  the form that it was made of; None for the text itself
    cuts    positions in `data` and in `before`, in turn where a replaced part begins, and where it ends
    """

    data: bytes
    before: "_Form | None" = None
    cuts: tuple[list[int], list[int]] = field(default_factory=lambda: ([], []))

    def changed(self, pattern: re.Pattern[bytes], decode: _Decode) -> "_Form":
        """The form in which parts are replaced."""
        pieces: list[bytes] = []
        here: list[int] = []
        there: list[int] = []
        size = end = 0
        for match in pattern.finditer(self.data):
            pieces += (self.data[end : match.start()], decode(match))
            size += match.start() - end
            end = match.end()
            here += (size, size := size + len(pieces[-1]))
            there += match.span()
        return _Form(b"".join((*pieces, self.data[end:])), self, (here, there)) if pieces else self

    def span(self, start: int, end: int) -> _Span:
        """Where the bytes from `start` to `end` are in the text; a part that was replaced is whole."""
        if self.before is None:
            return start, end
        return self.before.span(self._of(start)[0], self._of(end - 1)[1])

    def _of(self, position: int) -> _Span:
        here, there = self.cuts
        cut = bisect_right(here, position) - 1
        if cut >= 0 and cut % 2 == 0:
            return there[cut], there[cut + 1]
        at = position if cut < 0 else there[cut] + position - here[cut]
        return at, at + 1


@dataclass(frozen=True)
class _Sought:
    """What is looked for: the secret with its white space as single spaces, and in base64.

    exact  what is too short without its white space
    """

    plain: frozenset[bytes]
    exact: frozenset[bytes]
    base64: frozenset[bytes]


def secrets_of(settings: ClusterSettings) -> frozenset[str]:
    """The texts of a cluster that nobody may read, tokens among them that this process was given until now."""
    sasl = settings.sasl
    ssl = settings.ssl
    secrets = (ssl.password, ssl.key_password, ssl.cafile_password, sasl.password if sasl else None)
    found = {secret.reveal() for secret in secrets if secret is not None}
    if sasl and sasl.oauth:
        found |= tokens.secrets_of(sasl.oauth)
    if sasl and sasl.aws:
        found |= aws.secrets_of(sasl.aws)
    return frozenset(found)


def redacted(text: str, secrets: Iterable[str]) -> str:
    """The text with `***` for each of the secrets; where they overlap, once."""
    sought = [_sought(secret) for secret in secrets if len(secret) >= SHORTEST and secret.strip()]
    if not sought:
        return text
    data = text.encode("utf-8", "surrogatepass")
    spans = sorted({_whole(data, *span) for form in _forms(_Form(data)) for span in _found(form, sought)})
    if not spans:
        return text
    pieces, end = [], 0
    for start, stop in _merged(spans):
        pieces += [data[end:start], HIDDEN.encode()]
        end = stop
    return b"".join([*pieces, data[end:]]).decode("utf-8", "surrogatepass")


@lru_cache(maxsize=1024)
def _sought(secret: str) -> _Sought:
    spelled = {
        b"".join(char.encode("latin-1" if as_byte(char) else "utf-8", "surrogatepass") for char in text)
        for as_byte in (lambda _: False, *_AS_BYTE)
        for text in {secret, secret.strip()}
    }
    folded = {each: _SPACES.sub(b" ", each) for each in spelled}
    return _Sought(
        frozenset(each for each in folded.values() if len(each) >= SHORTEST),
        frozenset(each for each, short in folded.items() if len(short) < SHORTEST <= len(each)),
        frozenset(_base64(secret.encode("utf-8", "surrogatepass"))),
    )


def _is_latin(char: str) -> bool:
    return 0x80 <= ord(char) <= 0xFF  # noqa: PLR2004


_AS_BYTE: tuple[Callable[[str], bool], ...] = (
    _is_latin,
    lambda char: _is_latin(char) and not char.isprintable(),
    lambda char: _is_latin(char) and not char.isspace(),
    lambda char: _is_latin(char) and not char.isprintable() and not char.isspace(),
)
"""Which characters are one byte: to `ascii` those of Latin-1, to `repr` those that are not printable.

White space among them is a byte, or was collapsed before: then it is a space like all other.
"""


def _base64(secret: bytes) -> Iterator[bytes]:
    """What is sure of a base64 text in which the secret stands, be it behind others (as PLAIN's token), three ways."""
    for before, unsure in ((0, 0), (1, 2), (2, 3)):
        text = b64encode(bytes(before) + secret).rstrip(b"=")
        ends_inside = (before + len(secret)) % 3
        sure = text[unsure : len(text) - 1 if ends_inside else None]
        if len(sure) >= SHORTEST:
            yield sure


def _forms(text: _Form) -> Iterator[_Form]:
    """The text, and with its escapes undone, in any order."""
    seen, layer = {text.data}, [text]
    yield text
    for _ in range(_LAYERS):
        below = [form.changed(*undo) for form in layer for undo in ((_ESCAPE, _unescaped), (_PERCENT, _unquoted))]
        layer = []
        for form in below:
            if form.data not in seen:
                seen.add(form.data)
                layer.append(form)
                yield form


def _unescaped(match: re.Match[bytes]) -> bytes:
    high, low, short, long, byte, control, itself = match.groups()
    if high:
        return bytes.fromhex(f"{high.decode()}{low.decode()}").decode("utf-16-be").encode()
    if byte:
        return bytes.fromhex(byte.decode())
    if short or long:
        code = int(short or long, 16)
        return chr(code).encode("utf-8", "surrogatepass") if code <= 0x10FFFF else match[0]  # noqa: PLR2004
    return _CONTROLS[control] if control else bytes(itself)


def _unquoted(match: re.Match[bytes]) -> bytes:
    return bytes.fromhex(match[1].decode())


def _found(form: _Form, sought: Iterable[_Sought]) -> Iterator[_Span]:
    """Where the text holds a secret, by one of its forms. Positions cost more than a search, and are rarely needed."""
    exacts = (exact for each in sought for exact in each.exact)
    yield from (form.span(at, at + len(exact)) for exact in exacts for at in _positions(form.data, exact))
    searched = _SPACES.sub(b" ", form.data)
    if plains := [plain for each in sought for plain in each.plain if plain in searched]:
        spaced = form.changed(_SPACES, lambda _: b" ")
        yield from (spaced.span(start, start + len(plain)) for plain in plains for start in _positions(searched, plain))
    searched = form.data.translate(_STANDARD, _WRAPPING)
    if encodeds := [encoded for each in sought for encoded in each.base64 if encoded in searched]:
        joined = form.changed(_WRAPPED, lambda match: match[0].translate(_STANDARD, _WRAPPING))
        for encoded in encodeds:
            for start in _positions(searched, encoded):
                tail = _TAIL.match(searched, start + len(encoded))
                yield joined.span(start, tail.end() if tail else start + len(encoded))


def _positions(data: bytes, part: bytes) -> Iterator[int]:
    at = data.find(part)
    while at >= 0:
        yield at
        at = data.find(part, at + len(part))


def _whole(data: bytes, start: int, stop: int) -> _Span:
    """A span of whole characters: a letter of Latin-1 is one byte of others, too."""
    while start > 0 and data[start] & 0xC0 == 0x80:  # noqa: PLR2004
        start -= 1
    while stop < len(data) and data[stop] & 0xC0 == 0x80:  # noqa: PLR2004
        stop += 1
    return start, stop


def _merged(spans: Iterable[_Span]) -> Iterator[_Span]:
    """Spans in order of their starts, those that overlap as one."""
    begin = end = -1
    for start, stop in spans:
        if start >= end:
            if end >= 0:
                yield begin, end
            begin = start
        end = max(end, stop)
    yield begin, end
