"""`sasl.jaas.config`: one login module with its options, by the rules of Kafka's JaasConfig.

Those are Java's StreamTokenizer's: a value is a word or in quotes, with the escapes of a string in Java; //, /* */ and
a single / outside of quotes begin a comment. No message quotes anything, because a word may be a part of a password.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_FLAGS = ("required", "requisite", "sufficient", "optional")
_TOKEN = re.compile(
    r"""(?P<skipped>[\x00-\x20]+|/\*.*?(?:\*/|\Z)|/[^\r\n]*)
      | (?P<word>[A-Za-z_$\xa0-\U0010ffff][A-Za-z_$\xa0-\U0010ffff0-9.-]*)
      | "(?P<double>(?:\\.|[^"\\\r\n])*)"?
      | '(?P<single>(?:\\.|[^'\\\r\n])*)'?
      | (?P<symbol>.)""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\([0-3][0-7]{2}|[0-7]{1,2}|.)", re.DOTALL)
_CONTROLS = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


class BadJaas(Exception):
    """A text that Kafka refuses as `sasl.jaas.config`; the message is half a line."""


@dataclass(frozen=True)
class LoginModule:
    """A login module: the name of its class, and its options, which may be secrets."""

    name: str
    options: dict[str, str] = field(repr=False)


def login_module(text: str) -> LoginModule:
    """The only login module of a text. Raises BadJaas."""
    tokens = _tokens(text)
    name = next(tokens, None)
    if name is None:
        raise BadJaas("names no login module")
    if not name.is_text:
        raise BadJaas("does not begin with the class of a login module")
    flag = next(tokens, None)
    if flag is None or flag.text.lower() not in _FLAGS:
        raise BadJaas(f"has none of {', '.join(_FLAGS)} after the class of the login module")
    options: dict[str, str] = {}
    for key in tokens:
        if key == _END:
            break
        if not key.is_text:
            raise BadJaas("has a character between its options that is none; a value goes in quotes")
        equals, value = next(tokens, None), next(tokens, None)
        if equals != _EQUALS or value is None or not value.is_text:
            raise BadJaas("has an option without a value that is a word or in quotes")
        options[key.text] = value.text
    else:
        raise BadJaas("does not end with a semicolon")
    if next(tokens, None) is not None:
        raise BadJaas("goes on after its semicolon: there must be one login module")
    return LoginModule(name.text, options)


@dataclass(frozen=True)
class _Token:
    """A word or a text in quotes, or a single character of another kind."""

    text: str
    is_text: bool


_END, _EQUALS = _Token(";", is_text=False), _Token("=", is_text=False)


def _tokens(text: str) -> Iterator[_Token]:
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        if kind in ("double", "single"):
            yield _Token(_ESCAPE.sub(_unescaped, match[kind]), is_text=True)
        elif kind != "skipped":
            yield _Token(match[0], is_text=kind == "word")


def _unescaped(match: re.Match[str]) -> str:
    escape = match[1]
    return chr(int(escape, 8)) if escape[0] in "01234567" else _CONTROLS.get(escape, escape)
