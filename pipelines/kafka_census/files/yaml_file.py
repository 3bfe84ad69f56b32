"""A YAML file as plain data that remembers the line of every value.

The file is composed rather than loaded, so that a mistake in a value can be reported as
`conf/census.yaml:12: ...`. Sequences become tuples. A duplicate key is refused;
PyYAML alone would silently use the last value. Anchors, aliases and tags are refused: a
few lines of aliases can stand for more values than memory holds, and a tag calls a constructor that
may not accept the text. No message quotes a value, because it may be a password under the wrong key.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from kafka_census.errors import ConfigError
from kafka_census.files import operator_file
from kafka_census.files.properties_file import Property

Path = tuple[str | int, ...]
"""The keys that lead to a value: ("collect", "page_limit"); items of a list are numbered from 0."""

DEEPEST = 32
"""Largest depth of nested sections and lists; no file of this project needs ten."""

MOST = 50_000
"""Largest number of keys and values: PyYAML needs 30 microseconds for each, and a file may have many small ones."""


_NO_VALUE = (ValueError, OverflowError, yaml.YAMLError)
"""Errors of PyYAML for text that looks like a date or a number but is invalid."""


@dataclass
class Source:
    """A file before validation, or what a command line and the environment give instead.

    data        nested dicts and tuples
    locations   where each value was given
    mistakes    one line for each value that could not be read, in the order of the file
    unread      the values that are null in `data` because of that
    properties  .properties files that were read, by name: a pipe can be read only once
    notes       one line each: what somebody should know of a file that was read
    """

    name: str
    data: dict[Any, object]
    locations: dict[Path, str] = field(default_factory=dict)
    mistakes: list[str] = field(default_factory=list)
    unread: set[Path] = field(default_factory=set)
    properties: dict[str, Mapping[str, Property]] = field(default_factory=dict, repr=False)
    notes: tuple[str, ...] = ()

    def location(self, path: Path) -> str:
        """The location of the value at `path`, or of the nearest section around it."""
        for end in range(len(path), 0, -1):
            if path[:end] in self.locations:
                return self.locations[path[:end]]
        return self.name


def read_source(path: str | os.PathLike[str], keys: tuple[type, ...] = (str,)) -> Source:
    """Read a file; `keys` are the types that a key may have.

    Raises ConfigError with the line where the file cannot be read at all; single values are `Source.mistakes`.
    """
    name = os.fspath(path)
    text = file_text(name)
    source = Source(name, {})
    try:
        loader = _Loader(text)
        try:
            node = loader.get_single_node()
            data = _Walk(source, loader, keys).value(node, ()) if node is not None else {}
        finally:
            loader.dispose()
    except _Refused as error:
        raise ConfigError(f"{name}:{error.line}: {error}") from None
    except yaml.MarkedYAMLError as error:
        raise ConfigError(f"{name}:{_line(error)}: not valid YAML: {_problem(error)}") from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise ConfigError(f"{name}:{line}: not valid YAML: it holds a character that YAML does not allow") from None
    if not isinstance(data, dict):
        raise ConfigError(f"{name}:1: must be sections, not a single value")
    source.data = data
    return source


def file_text(name: str) -> str:
    """The text of an operator's file. Raises ConfigError, with the line of what is not UTF-8."""
    try:
        content = operator_file.content(name)
    except FileNotFoundError:
        remedy = "name the brokers with --bootstrap-server HOST:PORT, or a configuration with --config PATH"
        raise ConfigError(f"{name}: no such file; {remedy}") from None
    except (OSError, ValueError) as error:  # ValueError: no file system takes such a name
        raise ConfigError(f"{name}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{name}:{line}: cannot be read: it is not UTF-8 text") from None


class _Refused(yaml.YAMLError):
    """Valid YAML that these files must not contain."""

    def __init__(self, event: yaml.Event, problem: str) -> None:
        super().__init__(problem)
        self.line = event.start_mark.line + 1 if event.start_mark else 1


class _Loader(yaml.SafeLoader):
    """Composes a document; refused syntax raises before a node is created."""

    depth = count = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        event: Any = self.peek_event()  # type: ignore[no-untyped-call]
        if isinstance(event, yaml.AliasEvent) or event.anchor is not None:
            raise _Refused(event, "anchors and aliases are refused; a value that begins with & or * must be in quotes")
        if event.tag is not None:
            raise _Refused(event, "tags are refused; a value that begins with ! must be in quotes")
        if self.depth == DEEPEST:
            raise _Refused(event, f"nested deeper than {DEEPEST} levels")
        self.count += 1
        if self.count > MOST:
            raise _Refused(event, f"more than {MOST:,} keys and values; is it the right file?")
        self.depth += 1
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node


def _line(error: yaml.MarkedYAMLError) -> int:
    mark = error.problem_mark or error.context_mark
    return mark.line + 1 if mark else 1


def _problem(error: yaml.MarkedYAMLError) -> str:
    """PyYAML's message, without the tags that it quotes from the file."""
    problem: str = error.problem or error.context or "unreadable"
    return "a value that begins with ! must be in quotes" if "tag" in problem else problem


@dataclass(frozen=True)
class _Walk:
    """One pass over the composed nodes."""

    source: Source
    loader: yaml.SafeLoader
    keys: tuple[type, ...]

    def value(self, node: yaml.Node, path: Path) -> object:
        """Plain data of a node."""
        self.source.locations[path] = self._location(node)
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            return tuple(self.value(each, (*path, number)) for number, each in enumerate(node.value))
        return self._scalar(node, path)

    def _mapping(self, node: yaml.MappingNode, path: Path) -> dict[Any, object]:
        found: dict[Any, object] = {}
        for key_node, value_node in node.value:
            key = self._key(key_node)
            if key is None:
                continue
            here = (*path, key)
            if key in found:
                self._mistake(key_node, f"'{key}' is given twice; first at {self.source.locations[here]}")
                continue
            found[key] = self.value(value_node, here)
            self.source.locations[here] = self._location(key_node)
        return found

    def _key(self, node: yaml.Node) -> Any:
        """A key, or None after its mistake was reported."""
        try:
            key = self._constructed(node) if isinstance(node, yaml.ScalarNode) else None
        except _NO_VALUE:
            key = None
        if type(key) not in self.keys:
            self._mistake(node, "a key must be text; put it in quotes")
        elif isinstance(key, str) and not key.isprintable():
            self._mistake(node, "a key must not hold control characters")
        else:
            return key
        return None

    def _scalar(self, node: yaml.Node, path: Path) -> object:
        try:
            return self._constructed(node)
        except _NO_VALUE:
            self._mistake(node, "not a value that exists; put it in quotes")
            self.source.unread.add(path)
            return None

    def _constructed(self, node: yaml.Node) -> object:
        scalar: object = self.loader.construct_object(node, deep=True)
        return scalar

    def _mistake(self, node: yaml.Node, text: str) -> None:
        self.source.mistakes.append(f"{self._location(node)}: {text}")

    def _location(self, node: yaml.Node) -> str:
        return f"{self.source.name}:{node.start_mark.line + 1}"
