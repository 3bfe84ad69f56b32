"""Reads the secrets and files that a cluster's section refers to, when they are needed."""

import os
import stat
from base64 import b64decode, b64encode
from collections.abc import Mapping
from pathlib import Path as FilePath

from kafka_census.config.jaas import BadJaas, login_module
from kafka_census.config.section import SecretSource
from kafka_census.errors import ConfigError
from kafka_census.errors.one_line import one_line
from kafka_census.files import operator_file
from kafka_census.files.properties_file import read_properties
from kafka_census.files.yaml_file import Path, Source
from kafka_census.kafka.protocol.secret import Secret
from kafka_census.spark.started_by import dbutils, on_databricks


class References:
    """Reads the references of a section, and collects one line per mistake, with the location and the key."""

    def __init__(self, source: Source, environ: Mapping[str, str]) -> None:
        """References of a configuration with these origins of values."""
        self._source, self._environ = source, environ
        self._mistakes: list[str] = []

    def require(self) -> None:
        """Raise ConfigError if there are mistakes so far."""
        if self._mistakes:
            raise ConfigError(*self._mistakes)

    def file(self, name: str | None, path: Path) -> str | None:
        """The absolute path of an existing file; None stays None."""
        if name is None:
            return None
        absolute = os.path.realpath(name)
        if mistake := _missing(FilePath(absolute)):
            self._mistake(path, path, mistake)
        return absolute

    def secret(self, source: SecretSource, path: Path) -> Secret:
        """The secret behind a reference, without the last line break of a file; empty for a mistake."""
        if source.env is not None:
            kind, (text, mistake) = "env", self._from_variable(source.env)
        elif source.secret is not None:
            kind, (text, mistake) = "secret", _from_scope(source.secret)
        elif source.property is not None:
            kind, (text, mistake) = "property", self._from_properties(source.file or "", source.property)
        else:
            kind, (text, mistake) = "file", _from_file(source.file or "")
        if mistake:
            self._mistake(path, (*path, kind), mistake)
        return Secret(text)

    def keytab(self, source: SecretSource, path: Path) -> Secret:
        """The keytab behind a reference, in base64: a file contains the keytab, a variable its base64 text."""
        if source.env is not None:
            text, mistake = self._from_variable(source.env)
            where = f"the environment variable {source.env}"
        else:
            content, mistake = _bytes_of(source.file or "")
            text, where = b64encode(content).decode(), f"the file {os.path.realpath(source.file or '')}"
        if not mistake and not _is_keytab(text):
            mistake = f"{where} holds no keytab{' in base64' if source.env else ''}"
        if mistake:
            self._mistake(path, (*path, "file" if source.env is None else "env"), mistake)
        return Secret(text)

    def _from_variable(self, name: str) -> tuple[str, str]:
        text = self._environ.get(name, "")
        return text, "" if text else f"the environment variable {name} is not set"

    def _from_properties(self, name: str, key: str) -> tuple[str, str]:
        """A property, or an option of the login module in it; of a file that was read already, as it was then."""
        name_of_property, is_option, option = key.partition("/")
        try:
            found = self._source.properties.get(name) or read_properties(name)
            value = found[name_of_property].value
            text = login_module(value).options[option] if is_option else value
        except ConfigError as error:
            return "", str(error)
        except KeyError:
            return "", f"the file {os.path.realpath(name)} has no {key}"
        except BadJaas as error:
            return "", f"{name_of_property} in the file {os.path.realpath(name)} {error}"
        return text, "" if text else f"{key} in the file {os.path.realpath(name)} is empty"

    def _mistake(self, key: Path, given: Path, text: str) -> None:
        self._mistakes.append(f"{self._source.location(given)}: {'.'.join(map(str, key))}: {text}")


def _from_file(name: str) -> tuple[str, str]:
    """The text of a file, and the mistake if there is one; no message contains the text."""
    content, mistake = _bytes_of(name)
    try:
        return content.decode().removesuffix("\n").removesuffix("\r"), mistake
    except UnicodeDecodeError:
        return "", f"the file {os.path.realpath(name)} cannot be read: it is not UTF-8 text"


def _bytes_of(name: str) -> tuple[bytes, str]:
    """The bytes of a file, and the mistake if there is one."""
    path = FilePath(os.path.realpath(name))
    if mistake := _missing(path):
        return b"", mistake
    try:
        content = operator_file.regular(path)
    except OSError as error:
        return b"", f"the file {path} cannot be read: {error.strerror}"
    return content, "" if content.strip(b"\r\n") else f"the file {path} is empty"


def _missing(path: FilePath) -> str:
    """The mistake where a path leads to no file; empty for a file."""
    if path.is_file():
        return ""
    return f"{path} is no regular file" if path.exists() else f"the file {path} does not exist"


def _is_keytab(text: str) -> bool:
    """Whether a text is the base64 of a keytab in version 1 or 2 of MIT's format."""
    try:
        return b64decode(text, validate=True)[:2] in (b"\x05\x01", b"\x05\x02")
    except ValueError:
        return False


def _from_scope(name: str) -> tuple[str, str]:
    """The text of a key of a secret scope, and what is wrong with it."""
    if not on_databricks():
        return "", f"only Databricks has the secret scope of {name}; give {{env: NAME}} or {{file: PATH}} elsewhere"
    scope, _, key = name.partition("/")
    try:
        text = dbutils().secrets.get(scope=scope, key=key)
    except Exception as error:  # noqa: BLE001 - of whatever class Databricks raises; it knows no secret
        return "", f"the secret {name} cannot be read: {one_line(error, str)}"
    return text, "" if text else f"the secret {name} is empty"


def is_exposed(file: FilePath) -> bool:
    """Whether everybody on this machine can read or change a file.

    Group rights are not checked: services get their secrets through a group (root:census 0640, Kubernetes' fsGroup).
    A parent folder that is closed to others protects the file, whatever the mode of the file.
    """
    path = file.resolve()
    if not path.stat().st_mode & (stat.S_IROTH | stat.S_IWOTH):
        return False
    return all(folder.stat().st_mode & stat.S_IXOTH for folder in path.parents)
