"""The jars that pip does not bring (`jar_sets.py`): fetched once into a cache, and compared with their checksums.

`python -m kafka_census.jars NAME...` resolves each set once into a cache and prints its folder;
`python -m kafka_census.jars --spark-conf DIR` writes Spark's configuration folder with Delta's jars in it.
The Ivy that ships inside pyspark does the work, so only Java is needed: no Maven, no Spark session.
The cache is `$KAFKA_CENSUS_CACHE`, else `~/.cache/kafka-census`. A set appears there under its final
name only when it is complete (resolved in another folder, its checksums compared, then renamed), and one process at a
time resolves. Each process compares the checksums of a set again when it first uses the set, so that a jar that
somebody added or changed is on no class path. `--lock` writes the checksums (`checksums.py`).
`$KAFKA_CENSUS_IVY_SETTINGS` names an Ivy settings file, for jars from a mirror.
"""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from kafka_census.errors import CensusError, ConfigError, LockUnusable
from kafka_census.files import whole_file
from kafka_census.files.lock_file import turn
from kafka_census.jars.checksums import checksums, write_checksums, wrong_in
from kafka_census.jars.jar_sets import JAR_SETS, JarSet

JAVA_AT_LEAST = 17
_PAUSES = (2, 5, 15, 30)


class NotResolved(CensusError):
    """Jars could not be fetched; the message names the set and Ivy's log."""


class TamperedWith(CensusError):
    """Jars differ from those of the release; the message names a jar, and the folder to delete."""


def cache_folder() -> Path:
    """The folder of resolved sets. Raises ConfigError where neither the variable nor a home folder is set."""
    try:
        return Path(os.environ.get("KAFKA_CENSUS_CACHE") or Path.home() / ".cache" / "kafka-census").absolute()
    except RuntimeError:
        raise ConfigError("jars: this user has no home; set KAFKA_CENSUS_CACHE to a folder for them") from None


def cache_unusable(error: Exception) -> ConfigError:
    """The error of a cache that cannot be read or written."""
    return ConfigError(
        f"jars: the cache {cache_folder()} cannot be used ({error}); set KAFKA_CENSUS_CACHE to a folder that can"
    )


def jars(name: str) -> list[Path]:
    """The jars of a set, resolved first where they are missing. Raises as `folder` does."""
    jar_folder = folder(name)
    return sorted(jar_folder / jar for jar in checksums(name))


def folder(name: str) -> Path:
    """The folder of a set, resolved first where it is missing. Raises NotResolved, TamperedWith, ConfigError."""
    jar_set = _known(name)
    if not checksums(name):
        raise ConfigError(f"jars: jars.sha256 has no checksums of {name}; run: make jars-lock")
    jar_folder = _folder_of(jar_set)
    try:
        if not jar_folder.is_dir():
            with _lock():
                if not jar_folder.is_dir():
                    _resolve(jar_set, jar_folder)
        _verify(jar_folder)
    except (LockUnusable, OSError) as error:
        raise cache_unusable(error) from None
    return jar_folder


def _folder_of(jar_set: JarSet) -> Path:
    return cache_folder() / "jars" / jar_set.name


def _known(name: str) -> JarSet:
    known = {jar_set.name: jar_set for jar_set in JAR_SETS}
    if name not in known:
        raise ConfigError(f"no jars named {name!r}; there are {', '.join(known)}")
    return known[name]


@cache
def _verify(jar_folder: Path) -> None:
    """Raise TamperedWith unless a folder holds exactly the jars of its set; checked once per process."""
    wrong = wrong_in(jar_folder, checksums(jar_folder.name))
    if wrong:
        raise TamperedWith(f"jars: {wrong}: {jar_folder}; delete that folder, and they are fetched again")


def fetched(name: str) -> bool:
    """Whether a set is in the cache, valid or not. Raises ConfigError."""
    return _folder_of(_known(name)).is_dir()


def lacking(name: str) -> str | None:
    """Why a set in the cache cannot be used, None where it can; nothing is downloaded. Raises ConfigError."""
    jar_folder = _folder_of(_known(name))
    try:
        wrong = wrong_in(jar_folder, checksums(name))
    except OSError as error:
        wrong = f"it cannot be read: {error.strerror}"
    return f"{wrong}: {jar_folder}" if wrong else None


def java() -> str:
    """The java command. Raises ConfigError where there is none or it is too old."""
    command, _ = java_found()
    return command


def java_found() -> tuple[str, str]:
    """The java command and its version, such as 17.0.15. Raises ConfigError where there is none or it is too old."""
    home = os.environ.get("JAVA_HOME")
    command = shutil.which(f"{home}/bin/java" if home else "java")
    need = f"Java {JAVA_AT_LEAST} or newer is needed"
    if command is None:
        raise ConfigError(f"{need}; none was found {'in JAVA_HOME' if home else 'on the PATH'}")
    said = subprocess.run([command, "-version"], capture_output=True, text=True, check=False).stderr
    version = re.search(r'version "((\d+)[^"]*)"', said)
    if version is None or int(version[2]) < JAVA_AT_LEAST:
        raise ConfigError(f"{need}; {command} is {version[1] if version else 'of an unknown version'}")
    return command, version[1]


def spark_jars() -> Path:
    """The folder of the jars that ship with Spark, found without importing it. Raises ConfigError without Spark."""
    home = os.environ.get("SPARK_HOME")
    if home:
        return Path(home) / "jars"
    spec = importlib.util.find_spec("pyspark")
    if spec is None or spec.origin is None:
        raise ConfigError("pyspark is not installed; run: make install")
    return Path(spec.origin).parent / "jars"


@contextmanager
def _lock() -> Iterator[None]:
    """Lock the cache for this process; others wait. The lock ends with the process, even after a crash.

    Raises LockUnusable.
    """
    with turn(cache_folder() / "lock"):
        yield


def _resolve(jar_set: JarSet, jar_folder: Path) -> None:
    """Let Ivy download the set to a temporary folder, compare the checksums, then rename the folder."""
    beside = jar_folder.with_name(f".{jar_set.name}")
    _fetch(jar_set, beside, cache_folder())
    wrong = wrong_in(beside, checksums(jar_set.name))
    if wrong:
        shutil.rmtree(beside)
        raise TamperedWith(
            f"jars: {wrong}: it was fetched for {jar_set.name}; delete {cache_folder() / 'ivy'}, where Ivy keeps "
            "what it fetched, and look where it comes from (Ivy's log is beside it)"
        )
    beside.rename(jar_folder)


def _fetch(jar_set: JarSet, into: Path, cache_at: Path) -> None:
    """Let Ivy download the set into a new folder. Raises NotResolved."""
    log = cache_at / f"ivy-{jar_set.name}.log"
    command = _ivy_command(jar_set, into, cache_at)
    for attempt, pause in enumerate((*_PAUSES, 0), start=1):
        shutil.rmtree(into, ignore_errors=True)
        into.mkdir(parents=True)
        print(f"jars: fetching {jar_set.name} (once; try {attempt})", file=sys.stderr, flush=True)
        log.unlink(missing_ok=True)
        with log.open("x") as output:
            done = subprocess.run(command, stdout=output, stderr=subprocess.STDOUT, check=False)
        if done.returncode == 0 and any(into.glob("*.jar")):
            return
        time.sleep(pause)
    raise NotResolved(f"jars {jar_set.name} could not be fetched; is there a network? Ivy's log: {log}")


def lock(names: Sequence[str] = ()) -> None:
    """Download these sets (all, where none is named) without the cache, and write their checksums.

    Raises NotResolved, ConfigError.
    """
    sets = [_known(name) for name in names] or JAR_SETS
    with tempfile.TemporaryDirectory(prefix="kafka-census-jars.") as name:
        fetched = {jar_set.name: Path(name, "jars", jar_set.name) for jar_set in sets}
        for jar_set in sets:
            _fetch(jar_set, fetched[jar_set.name], Path(name))
        write_checksums(fetched, keep={jar_set.name for jar_set in JAR_SETS} - fetched.keys())


def _ivy_command(jar_set: JarSet, into: Path, cache_at: Path) -> list[str]:
    """Ivy's own command line over a module file that names the set."""
    module = cache_at / f"ivy-{jar_set.name}.xml"
    transitive = str(jar_set.transitive).lower()
    chosen = f'<artifact name="{{}}" type="jar" m:classifier="{jar_set.classifier}"/>' if jar_set.classifier else ""
    text = (
        '<ivy-module version="2.0" xmlns:m="http://ant.apache.org/ivy/maven">\n'
        f'  <info organisation="kafka-census" module="{jar_set.name}"/>\n'
        '  <configurations><conf name="default"/></configurations>\n  <dependencies>\n'
        + "".join(
            f'    <dependency org="{org}" name="{name}" rev="{version}" conf="default" transitive="{transitive}">'
            f"{chosen.format(name)}</dependency>\n"
            for org, name, version in jar_set.artifacts
        )
        + "  </dependencies>\n</ivy-module>\n"
    )
    whole_file.replace(module, text.encode())
    settings = os.environ.get("KAFKA_CENSUS_IVY_SETTINGS")
    return [
        java(),
        "-cp",
        f"{spark_jars()}/*",
        "org.apache.ivy.Main",
        *(["-settings", settings] if settings else []),
        *("-ivy", str(module)),
        *("-cache", str(cache_at / "ivy")),
        *("-confs", "default"),
        *("-retrieve", f"{into}/[artifact]-[revision](-[classifier]).[ext]"),
        *("-types", "jar", "bundle"),
    ]
