"""Overrides from the environment: `KAFKA_CENSUS__SECTION__KEY=value` for every key.

Lists are comma separated, an empty value is null, a cluster's name is upper case with
`-` and `.` as `_`: `KAFKA_CENSUS__CLUSTERS__EU_PROD__BOOTSTRAP_SERVERS=a:9092,b:9092`. Where no file and no command
line names a cluster, such a variable does, in lower case: `eu_prod`.
The key of a secret may be set, too: its text stays in the environment until a
connection needs it. Unknown names are refused, so that a typo is not ignored.
"""

import typing
from collections.abc import Mapping

from kafka_census.config.cluster import ClusterSection, environment_spelling
from kafka_census.config.mistakes import suggestion
from kafka_census.config.model import File, LakeSection
from kafka_census.config.section import SecretSource, Section
from kafka_census.declarations.given import PREFIX
from kafka_census.errors import ConfigError
from kafka_census.files.yaml_file import Source

Path = tuple[str, ...]
"""The keys from the top of the file to a value."""


def apply_overrides(source: Source, environ: Mapping[str, str], *, new_clusters: bool = False) -> list[str]:
    """Replace values of the file by those of the environment; returns a mistake for each variable without a key.

    new_clusters  whether variables name clusters that the file has not
    """
    written: set[Path] = set()
    mistakes: list[str] = []
    for variable in sorted(name for name in environ if name.startswith(PREFIX)):
        try:
            path, section = _resolve(variable, source, new_clusters=new_clusters)
        except ConfigError as error:
            mistakes.append(str(error))
            continue
        if section is SecretSource and path[-1] not in SecretSource.model_fields:
            _write(source, (*path, "env"), variable, variable, written, section)
        else:
            _write(source, path, environ[variable] or None, variable, written, section)
    return mistakes


def _resolve(variable: str, source: Source, *, new_clusters: bool) -> tuple[Path, type[Section]]:
    """The path that a variable names, and the section of its last key."""
    path: Path = ()
    section: type[Section] = File
    words = variable.removeprefix(PREFIX).split("__")
    while words:
        word = words.pop(0)
        key = word.lower()
        if key not in section.model_fields or not word.isupper():
            prefix = PREFIX + "".join(f"{part.upper()}__" for part in path)
            known = [prefix + name.upper() for name in section.model_fields]
            where = ".".join(path) or "the configuration"
            raise ConfigError(f"{variable}: unknown key '{word}' in {where}; {suggestion(variable, known)}")
        path = (*path, key)
        if path == ("clusters",) and words:
            word = words.pop(0)
            path = (*path, word.lower() if new_clusters else _cluster(variable, word, source))
            section = ClusterSection
            continue
        inner = _inner(section, key)
        if inner is None and not words and path != ("clusters",):
            return path, section
        if inner is SecretSource and not words:
            return path, SecretSource
        if inner is None and words:
            raise ConfigError(f"{variable}: '{'.'.join(path)}' is a value, it has no keys of its own")
        section = inner or ClusterSection
    keys = ", ".join(name.upper() for name in section.model_fields)
    raise ConfigError(f"{variable}: '{'.'.join(path)}' is a section; set one of its keys: {keys}")


def _cluster(variable: str, word: str, source: Source) -> str:
    """The configured cluster that a variable means."""
    clusters = source.data.get("clusters")
    known = [str(name) for name in clusters] if isinstance(clusters, dict) else []
    names = {environment_spelling(name): name for name in known}
    if word not in names:
        raise ConfigError(f"{variable}: no such cluster in {source.name}; {suggestion(word, sorted(names))}")
    return names[word]


def _inner(section: type[Section], key: str) -> type[Section] | None:
    """The section under a key; None where the key holds a value."""
    annotation = section.model_fields[key].annotation
    for candidate in (annotation, *typing.get_args(annotation)):
        if isinstance(candidate, type) and issubclass(candidate, Section):
            return candidate
    return None


def _write(
    source: Source, path: Path, value: str | None, variable: str, written: set[Path], section: type[Section]
) -> None:
    """Set one value; of alternatives (a secret's env or file, a lake's root or catalog) the override wins."""
    target = source.data
    for key in path[:-1]:
        inner = target.get(key)
        if not isinstance(inner, dict):
            inner = {}
            target[key] = inner
        target = inner
    if section in (SecretSource, LakeSection):
        for other in section.model_fields:
            if (*path[:-1], other) not in written:
                target.pop(other, None)
    target[path[-1]] = value
    source.locations[path] = variable
    source.unread.discard(path)
    written.add(path)
