"""A YAML file as plain data that remembers the line of every key.

Composed rather than loaded, so that whatever is wrong with a key can be told as
`conf/census.yaml:12: ...`. Sequences become tuples. A key given twice is refused;
PyYAML itself would let the last one win in silence. No message quotes a value:
it may be a password in the wrong place.
"""

import os
from dataclasses import dataclass, field
from pathlib import Path as FilePath

import yaml

from kafka_census.errors import ConfigError

Path = tuple[str, ...]
"""Where a value sits: ("collect", "page_limit")."""


@dataclass
class Source:
    """Configuration before validation: nested dicts, and where each value came from."""

    name: str
    data: dict[str, object]
    places: dict[Path, str] = field(default_factory=dict)

    def place(self, path: Path) -> str:
        """Where the value at `path` was given, or the nearest section around it."""
        for end in range(len(path), 0, -1):
            if path[:end] in self.places:
                return self.places[path[:end]]
        return self.name


def read_source(path: str | os.PathLike[str]) -> Source:
    """Read a configuration file; any trouble is one ConfigError with its line."""
    name = os.fspath(path)
    try:
        text = FilePath(path).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ConfigError(f"{name}: no such file; name the configuration with --config PATH") from None
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise ConfigError(f"{name}: cannot be read: {reason}") from None
    loader = yaml.SafeLoader(text)
    try:
        node = loader.get_single_node()
        places: dict[Path, str] = {}
        data = _Walk(name, loader, places).value(node, (), ()) if node is not None else {}
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise ConfigError(f"{name}:{mark.line + 1 if mark else 1}: not valid YAML: {_problem(error)}") from None
    except yaml.YAMLError:
        raise ConfigError(f"{name}: not valid YAML: it holds a character that YAML does not allow") from None
    finally:
        loader.dispose()
    if not isinstance(data, dict):
        raise ConfigError(f"{name}:1: must be sections such as 'lake:' and 'clusters:', not a single value")
    return Source(name, data, places)


def _problem(error: yaml.MarkedYAMLError) -> str:
    """What PyYAML says, without the words that it quotes from the file."""
    problem = error.problem or error.context or "unreadable"
    if "alias" in problem or "tag" in problem or "constructor" in problem:
        return "a value that begins with * or ! must be in quotes"
    return problem


@dataclass(frozen=True)
class _Walk:
    """One pass over the composed nodes."""

    name: str
    loader: yaml.SafeLoader
    places: dict[Path, str]

    def value(self, node: yaml.Node, path: Path, above: tuple[yaml.Node, ...]) -> object:
        """Plain data of a node; `above` are its ancestors, so that a cyclic alias is an error."""
        if any(node is ancestor for ancestor in above):
            raise ConfigError(f"{self._line(node)}: an alias refers to a value that contains it")
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path, (*above, node))
        if isinstance(node, yaml.SequenceNode):
            return tuple(self.value(each, path, (*above, node)) for each in node.value)
        return self._scalar(node)

    def _mapping(self, node: yaml.MappingNode, path: Path, above: tuple[yaml.Node, ...]) -> dict[str, object]:
        found: dict[str, object] = {}
        for key_node, value_node in node.value:
            key = self._scalar(key_node) if isinstance(key_node, yaml.ScalarNode) else None
            if not isinstance(key, str):
                raise ConfigError(f"{self._line(key_node)}: a key must be text; put it in quotes")
            here = (*path, key)
            if key in found:
                raise ConfigError(f"{self._line(key_node)}: '{key}' is given twice; first at {self.places[here]}")
            self.places[here] = self._line(key_node)
            found[key] = self.value(value_node, here, above)
        return found

    def _scalar(self, node: yaml.Node) -> object:
        try:
            scalar: object = self.loader.construct_object(node, deep=True)
        except ValueError:
            raise ConfigError(f"{self._line(node)}: not a value that exists; put it in quotes") from None
        return scalar

    def _line(self, node: yaml.Node) -> str:
        return f"{self.name}:{node.start_mark.line + 1}"
