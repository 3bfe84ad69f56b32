"""What a Spark cluster needs for a census, in one folder: `make dist` writes dist/cluster.

environment.tar.gz   the interpreter, the census and all that it needs, for `--archives`: machines of the cluster need
                     neither a Python nor a package. PySpark is not in it: the cluster has its own.
kafka-census.py      what spark-submit runs
jars/, conf/         Delta's jars, and Spark's configuration folder for clusters, which names them

What is packed is what runs here, installed from requirements.lock: without the packages of tests and documentation,
and with those of the extras that are named (`make dist EXTRAS="aws kerberos"`).
The machines of the cluster must have the same operating system and the same libraries of it, as OpenSSL's.
"""

import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from configparser import ConfigParser
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.util import cache_from_source
from pathlib import Path, PurePosixPath

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from kafka_census.errors import CensusError, ConfigError
from kafka_census.jars.delta import delta_jars
from kafka_census.jars.ivy import spark_jars
from kafka_census.jars.spark_conf import write_cluster_conf

ROOT = Path(__file__).parents[1]
_PYTHON = f"python{sys.version_info.major}.{sys.version_info.minor}"
_OF_SPARK = {"pyspark", "py4j", "delta-spark"}
"""What the cluster brings, or nobody imports."""

_NOT_OF_STDLIB = shutil.ignore_patterns(
    *("site-packages", "dist-packages", "test", "tests", "idlelib", "tkinter", "turtledemo", "ensurepip"),
    *("lib2to3", "config-*"),
)

_LAUNCHER = f"""#!/bin/sh
# The interpreter of this folder, with its own library, wherever the folder was unpacked.
here=$(dirname "$(readlink -f "$0")")
LD_LIBRARY_PATH="$here/../lib${{LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}}"
export LD_LIBRARY_PATH
exec "$here/{_PYTHON}" "$@"
"""

_CHECK = """
import sys
import kafka_census, kafka_census.census.gate.gate, kafka_census.landing.fetch.fetch, kafka_census.cli.job
print(sys.prefix, kafka_census.__file__, sep="\\n")
"""


def write(target: Path, extras: Sequence[str] = ()) -> None:
    """Write the folder anew. Raises ConfigError for an unknown extra, and where this Python cannot be packed."""
    packages = needed(required(extras))
    shutil.rmtree(target, ignore_errors=True)
    (target / "jars").mkdir(parents=True)
    delta = delta_jars()
    for jar in delta:
        shutil.copy(jar, target / "jars")
    write_cluster_conf(target / "conf", (Path("jars", jar.name) for jar in delta))
    shutil.copy(ROOT / "jobs" / "kafka-census.py", target)
    with tempfile.TemporaryDirectory(prefix="kafka-census-dist.") as name:
        environment = Path(name, "environment")
        write_environment(environment, packages)
        with tarfile.open(target / "environment.tar.gz", "w:gz", compresslevel=1) as archive:
            archive.add(environment, ".")


def write_environment(folder: Path, packages: Iterable[Distribution]) -> None:
    """Write interpreter and packages, and see that they run from where they are. Raises ConfigError."""
    target = folder / "lib" / _PYTHON / "site-packages"
    _copy_interpreter(folder)
    shutil.copytree(ROOT / "pipelines", target, ignore=shutil.ignore_patterns("*.egg-info"))
    for package in packages:
        _copy_package(package, target)
    _require_whole(folder)


def required(extras: Sequence[str]) -> list[str]:
    """What setup.cfg requires of a census, and for these extras. Raises ConfigError for an unknown extra."""
    setup = ConfigParser()
    setup.read(ROOT / "setup.cfg", encoding="utf-8")
    known = setup["options.extras_require"]
    if unknown := [extra for extra in extras if extra not in known]:
        raise ConfigError(f"dist: there is no extra {', '.join(unknown)}; for clusters there are aws and kerberos")
    lists = (setup["options"]["install_requires"], *(known[extra] for extra in extras))
    return [line for text in lists for line in text.splitlines() if line]


def needed(requirements: Iterable[str]) -> list[Distribution]:
    """The installed packages that these requirements lead to, without those of Spark. Raises ConfigError."""
    found: dict[tuple[str, str], Distribution] = {}
    left = [(Requirement(text), "") for text in requirements]
    while left:
        requirement, extra = left.pop()
        name = canonicalize_name(requirement.name)
        if name in _OF_SPARK or (requirement.marker and not requirement.marker.evaluate({"extra": extra})):
            continue
        for wanted in ("", *requirement.extras):
            if (name, wanted) not in found:
                found[name, wanted] = its = _installed(requirement)
                left += [(Requirement(text), wanted) for text in its.requires or ()]
    return list({name: its for (name, _), its in sorted(found.items())}.values())


def _installed(requirement: Requirement) -> Distribution:
    try:
        return distribution(requirement.name)
    except PackageNotFoundError:
        remedy = f"make install, or for an extra: {sys.executable} -m pip install '{requirement}'"
        raise ConfigError(f"dist: the package {requirement.name} is not installed; run: {remedy}") from None


def _copy_interpreter(folder: Path) -> None:
    binaries, library = folder / "bin", Path(sysconfig.get_path("stdlib"))
    binaries.mkdir(parents=True)
    shutil.copy(Path(sys.executable).resolve(), binaries / _PYTHON)
    launcher = binaries / "python"
    launcher.write_text(_LAUNCHER, encoding="utf-8")
    launcher.chmod(0o755)
    shutil.copytree(library, folder / "lib" / _PYTHON, ignore=_NOT_OF_STDLIB)
    shared = Path(sysconfig.get_config_var("LIBDIR") or library.parent).glob(f"lib{_PYTHON}.so*")
    for each in shared:
        shutil.copy(each, folder / "lib")


def _copy_package(its: Distribution, packages: Path) -> None:
    """A package as pip has noted its files, with what Python has compiled of them; neither commands nor tests."""
    for file in its.files or ():
        if file.parts[0] == ".." or {"tests", "include"} & set(file.parts[:-1]):
            continue
        for source, name in _compiled(Path(str(file.locate())), PurePosixPath(file)):
            (packages / name.parent).mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, packages / name)


def _compiled(source: Path, name: PurePosixPath) -> Iterator[tuple[Path, PurePosixPath]]:
    yield source, name
    if source.suffix == ".py":
        cached = Path(cache_from_source(str(source)))
        if cached.exists():
            yield cached, name.parent / cached.parent.name / cached.name


def _require_whole(folder: Path) -> None:
    """Run the census' modules by the environment alone. Raises ConfigError."""
    of_spark = ":".join(map(str, sorted((spark_jars().parent / "python" / "lib").glob("*.zip"))))
    command = [str(folder / "bin" / "python"), "-s", "-c", _CHECK]
    ran = subprocess.run(command, env={"PYTHONPATH": of_spark}, capture_output=True, text=True, check=False)
    if ran.returncode or [line for line in ran.stdout.splitlines() if not line.startswith(str(folder.resolve()))]:
        said = (ran.stderr or ran.stdout).strip().splitlines()[-1:]
        raise ConfigError(
            f"dist: {sys.executable} cannot be packed for other machines ({' '.join(said)}); make .venv with a Python "
            "that keeps its library below its own folder, such as python.org's or pyenv's: make PYTHON=/path/to/python"
        )


def main(arguments: list[str]) -> int:
    """Write the folder that is named first, with extras; 0, or the error's exit code after its one line."""
    target, *extras = arguments
    try:
        write(Path(target), extras)
    except CensusError as error:
        sys.stderr.write(f"kafka-census: {error}\n")
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
