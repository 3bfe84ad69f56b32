"""Scenario files, read and checked.

`calm` names `scenarios/calm.yaml` of this package; any other file is named by its path. A mistake in a file is
one line with the file's name and the location in it.
"""

import os
from collections.abc import Mapping
from contextlib import nullcontext
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from kafka_census.errors import ConfigError
from kafka_census.files.yaml_file import Source, read_source
from kafka_emulator.references import wrong
from kafka_emulator.scenario import Scenario

FOLDER = files("kafka_emulator") / "scenarios"


def names() -> tuple[str, ...]:
    """The scenarios that come with the emulator."""
    return tuple(sorted(file.name.removesuffix(".yaml") for file in FOLDER.iterdir()))


def read(name: str | os.PathLike[str], changes: Mapping[str, Any] | None = None) -> Scenario:
    """The scenario of a name or a path. `changes` are values of the command line, by dotted key. Raises ConfigError."""
    ours = os.fspath(name).isidentifier()
    if not (name in names() if ours else Path(name).exists()):
        raise ConfigError(f"{name}: no such scenario; there are {', '.join(names())}")
    with as_file(FOLDER / f"{name}.yaml") if ours else nullcontext(Path(name)) as path:
        source = read_source(path, keys=(str, int))
    if source.mistakes:
        raise ConfigError(source.mistakes[0])
    return _scenario(source, changes or {})


def _scenario(source: Source, changes: Mapping[str, Any]) -> Scenario:
    """The scenario of plain data. Raises ConfigError."""
    data = source.data
    for key, value in changes.items():
        section, _, name = key.rpartition(".")
        inside = data.get(section) or {} if section else {}
        data |= {section: {**inside, name: value}} if section and isinstance(inside, dict) else {name: value}
        source.locations[tuple(key.split("."))] = "the command line"
    try:
        made = Scenario.model_validate(data)
    except ValidationError as error:
        where, what = _first(error)
        raise ConfigError(f"{_location(source, where)}: {what}") from None
    if (first := next(wrong(made), None)) is not None:
        raise ConfigError(f"{_location(source, first[0])}: {': '.join(first)}")
    return made


def _location(source: Source, where: str) -> str:
    """The file and the line of a location with dots; keys of configs have dots, too."""
    lines = {".".join(map(str, path)): location for path, location in source.locations.items()}
    while where and where not in lines:
        where = where.rpartition(".")[0]
    return lines.get(where, source.name)


def _first(error: ValidationError) -> tuple[str, str]:
    """The first mistake: its location with dots, and a sentence."""
    first = error.errors(include_url=False)[0]
    where = ".".join(str(part) for part in first["loc"] if part != "[key]")
    if first["type"] == "extra_forbidden":
        return where, f"unknown key '{where}'"
    message = str(first["ctx"]["error"]) if first["type"] == "value_error" else first["msg"]
    return where, f"{where or 'the file'}: {message[0].lower()}{message[1:]}"
