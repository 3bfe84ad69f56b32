"""Scenario files: what a cluster is made of, which version it speaks, and what goes wrong.

`conf/scenarios/calm.yaml` is named by `calm`, any other file by its path. Whatever is wrong with a file is
one line with its name and the place in it.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import Field, ValidationError

from kafka_census.emulator.declared import World
from kafka_census.emulator.deeds import EventSection, FaultSection
from kafka_census.emulator.features import AsVersion
from kafka_census.emulator.references import wrong
from kafka_census.errors import ConfigError

FOLDER = Path("conf/scenarios")


class Scenario(World):
    """A world, and what becomes of it.

    about         one sentence for people
    as_version    the Kafka that all brokers are like; `as_versions` says otherwise of single ones
    kip_1062      whether brokers page; `kip_1062_of` says otherwise of single ones
    """

    about: str = ""
    as_version: AsVersion = "4.3"
    as_versions: dict[int, AsVersion] = Field(default_factory=dict)
    kip_1062: bool = True
    kip_1062_of: dict[int, bool] = Field(default_factory=dict)
    faults: tuple[FaultSection, ...] = ()
    events: tuple[EventSection, ...] = ()


def read(name: str | os.PathLike[str], changes: Mapping[str, Any] | None = None) -> Scenario:
    """The scenario of a name or a path. `changes` are values by dotted key that the command line gives."""
    path = FOLDER / f"{name}.yaml" if os.fspath(name).isidentifier() else Path(name)
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        known = ", ".join(sorted(one.stem for one in FOLDER.glob("*.yaml")))
        raise ConfigError(f"{path}: no such scenario; there are {known or 'none here'}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read: {error}") from None
    except yaml.YAMLError as error:
        raise ConfigError(f"{path}: not valid YAML: {' '.join(str(error).split())}") from None
    if not isinstance(data or {}, dict):
        raise ConfigError(f"{path}: must be sections such as 'groups:', not a single value")
    return scenario(data or {}, path, changes or {})


def scenario(data: dict[str, Any], path: str | os.PathLike[str], changes: Mapping[str, Any]) -> Scenario:
    """A scenario of plain data."""
    for key, value in changes.items():
        section, _, name = key.rpartition(".")
        inside = data.get(section) or {} if section else {}
        data |= {section: {**inside, name: value}} if section and isinstance(inside, dict) else {name: value}
    try:
        made = Scenario.model_validate(data)
    except ValidationError as error:
        raise ConfigError(f"{os.fspath(path)}: {_one_line(error)}") from None
    if (first := next(wrong(made), None)) is not None:
        raise ConfigError(f"{os.fspath(path)}: {': '.join(first)}")
    return made


def _one_line(error: ValidationError) -> str:
    """The first thing that is wrong."""
    first = error.errors(include_url=False)[0]
    where = ".".join(str(part) for part in first["loc"] if part != "[key]")
    if first["type"] == "extra_forbidden":
        return f"unknown key '{where}'"
    message = str(first["ctx"]["error"]) if first["type"] == "value_error" else first["msg"]
    return f"{where or 'the file'}: {message[0].lower()}{message[1:]}"
