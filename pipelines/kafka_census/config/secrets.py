"""Secrets and files that a cluster's section refers to, read when they are needed."""

import os
import stat
from collections.abc import Mapping
from pathlib import Path as FilePath

from kafka_census.config.section import SecretSource
from kafka_census.errors import ConfigError
from kafka_census.protocol.settings import Secret
from kafka_census.yaml_file import Path, Source


class References:
    """Reads what a section refers to, and collects what cannot be read: a line each, with the location and the key."""

    def __init__(self, source: Source, environ: Mapping[str, str]) -> None:
        """Of a configuration whose values were given in these places."""
        self._source, self._environ = source, environ
        self._mistakes: list[str] = []

    def require(self) -> None:
        """Raise ConfigError with the mistakes so far, if there are some."""
        if self._mistakes:
            raise ConfigError(*self._mistakes)

    def file(self, name: str | None, path: Path) -> str | None:
        """The absolute path of a file that exists; None stays None."""
        if name is None:
            return None
        absolute = os.path.realpath(name)
        if not FilePath(absolute).is_file():
            self._mistake(path, path, f"the file {absolute} does not exist")
        return absolute

    def secret(self, source: SecretSource, path: Path) -> Secret:
        """The secret behind a reference; a file's last line break does not count. Empty where it is a mistake."""
        text, mistake = self._from_variable(source.env) if source.env is not None else _from_file(source.file or "")
        if mistake:
            self._mistake(path, (*path, "file" if source.env is None else "env"), mistake)
        return Secret(text)

    def _from_variable(self, name: str) -> tuple[str, str]:
        text = self._environ.get(name, "")
        return text, "" if text else f"the environment variable {name} is not set"

    def _mistake(self, key: Path, given: Path, text: str) -> None:
        self._mistakes.append(f"{self._source.location(given)}: {'.'.join(map(str, key))}: {text}")


def _from_file(name: str) -> tuple[str, str]:
    """The text of a file, and what is wrong with it; the text itself is in no message."""
    path = FilePath(os.path.realpath(name))
    if not path.is_file():
        return "", f"the file {path} does not exist"
    try:
        text = path.read_text(encoding="utf-8").removesuffix("\n").removesuffix("\r")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        return "", f"the file {path} cannot be read: {reason}"
    return text, "" if text else f"the file {path} is empty"


def is_exposed(file: FilePath) -> bool:
    """Whether everybody on this machine can read a file, or change it.

    The group is not asked: services are given their secrets by a group (root:census 0640, Kubernetes' fsGroup).
    A folder above that is closed to others protects the file, whatever its own mode.
    """
    path = file.resolve()
    if not path.stat().st_mode & (stat.S_IROTH | stat.S_IWOTH):
        return False
    return all(folder.stat().st_mode & stat.S_IXOTH for folder in path.parents)
