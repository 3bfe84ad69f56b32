"""Secrets and files that a cluster's section refers to, read when they are needed."""

import os
import stat
from collections.abc import Mapping
from pathlib import Path

from kafka_census.config.model import SecretSource
from kafka_census.errors import ConfigError
from kafka_census.protocol.settings import Secret


def read_secret(source: SecretSource, where: str, environ: Mapping[str, str]) -> Secret:
    """The secret behind a reference; a file's last line break does not count.

    `where` names the key in errors. Raises ConfigError naming the variable or file, never the text.
    """
    if source.env is not None:
        text = environ.get(source.env)
        if not text:
            raise ConfigError(f"{where}: the environment variable {source.env} is not set")
        return Secret(text)
    path = str(existing_file(source.file, where))
    try:
        text = Path(path).read_text(encoding="utf-8").removesuffix("\n").removesuffix("\r")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise ConfigError(f"{where}: the file {path} cannot be read: {reason}") from None
    if not text:
        raise ConfigError(f"{where}: the file {path} is empty")
    return Secret(text)


def existing_file(path: str | None, where: str) -> str | None:
    """The absolute path of a file that exists; None stays None. Raises ConfigError."""
    if path is None:
        return None
    absolute = os.path.realpath(path)
    if not Path(absolute).is_file():
        raise ConfigError(f"{where}: the file {absolute} does not exist")
    return absolute


def is_exposed(file: Path) -> bool:
    """Whether everybody on this machine can read a file, or change it.

    The group is not asked: services are given their secrets by a group (root:census 0640, Kubernetes' fsGroup).
    A folder above that is closed to others protects the file, whatever its own mode.
    """
    path = file.resolve()
    if not path.stat().st_mode & (stat.S_IROTH | stat.S_IWOTH):
        return False
    return all(folder.stat().st_mode & stat.S_IXOTH for folder in path.parents)
