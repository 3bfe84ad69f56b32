"""Configurations as texts, in the current directory (the fixture `conf`): what they become, or are refused with."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from kafka_census.cli.command import command
from kafka_census.cli.ending import ended
from kafka_census.config import Config, load
from kafka_census.errors import ConfigError

MINIMAL = "lake: {root: lake}\nclusters: {local: {bootstrap_servers: [127.0.0.1:9092]}}\n"


def changed(**sections: object) -> str:
    """A minimal configuration with some sections changed."""
    return yaml.safe_dump({**yaml.safe_load(MINIMAL), **sections}, sort_keys=False)


def with_cluster(**keys: object) -> str:
    """A minimal configuration whose cluster has these keys."""
    return changed(clusters={"local": {"bootstrap_servers": ["h:1"], **keys}})


def loaded(text: str, **environ: str) -> Config:
    Path("census.yaml").write_text(text, encoding="utf-8")
    return load("census.yaml", environ)


def refusals(text: str | bytes, **environ: str) -> list[str]:
    """The lines that a text is refused with, one line per mistake."""
    Path("census.yaml").write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ConfigError) as caught:
        load("census.yaml", environ)
    assert caught.value.exit_code == 2
    return str(caught.value).split("\n")


def refusal(text: str, **environ: str) -> str:
    (line,) = refusals(text, **environ)
    return line


def local(text: str, **environ: str) -> Any:
    return loaded(text, **environ).cluster("local")


def ran(*argv: str) -> int:
    """The exit code of a command line of `kafka-census`, in this process."""
    return ended(lambda redactor: command(argv, redactor), argv)
