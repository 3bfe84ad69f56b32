"""An archive of the JVM's classes for Spark and Delta: a driver maps it instead of reading and verifying its classes.

A JVM uses an archive only with the Java and the class path that it was written with, and ignores it in silence
otherwise. `$KAFKA_CENSUS_CACHE/classes` has one for each installation of Spark; whoever writes Spark's configuration
folder (`make jars`) has it written where it is missing, or where Java or a jar is another one: half a minute, 200 MB.
A JVM writes it that has loaded the classes that a census loads: `classes.txt.gz`, which `make class-list` writes after
a new release of Spark or Delta. Most lambdas of Scala are not in it: Java archives none that can be serialized.
"""

import gzip
import hashlib
import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from kafka_census.files import whole_file
from kafka_census.jars.ivy import cache_folder, cache_unusable, java_found, spark_jars

CLASSES = Path(__file__).with_name("classes.txt.gz")
_SILENT = ("-Xlog:cds=off", "-Xlog:cds+dynamic=off")
"""A JVM says on stdout what it could not archive, and why it does not use an archive."""


@dataclass(frozen=True)
class ClassArchive:
    """An archive that may be there, and what it is for.

    file        the archive
    class_path  what the class path of a JVM must begin with
    digest      of what it depends on: Java, each jar as the JVM compares it (size and time), the list of classes
    """

    file: Path
    class_path: str
    digest: str

    @property
    def written(self) -> bool:
        """Whether it is there, for these very jars and this Java. Raises OSError."""
        try:
            return self.file.exists() and whole_file.read(self._note) == self.digest.encode()
        except FileNotFoundError:
            return False

    @property
    def options(self) -> str:
        """The JVM's options that use it, as Spark reads them."""
        return " ".join((f'"-XX:SharedArchiveFile={self.file}"', *_SILENT))

    def write(self) -> None:
        """Write it, atomically: a job may be starting. No file where this Java writes none. Raises OSError."""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=self.file.parent, prefix=f".{self.file.name}.") as beside:
            made = Path(beside, self.file.name)
            _archive_classes(made, self.class_path)
            if made.exists():
                made.replace(self.file)
                whole_file.replace(self._note, self.digest.encode())

    @property
    def _note(self) -> Path:
        return self.file.with_suffix(".sha256")


def archive_for(delta_jars: Sequence[Path]) -> ClassArchive:
    """The archive of this installation of Spark with these jars. Raises ConfigError without Spark or Java."""
    folder = spark_jars()
    class_path = os.pathsep.join((f"{folder}/*", *map(str, delta_jars)))
    name = hashlib.sha256(class_path.encode()).hexdigest()[:16]
    states = sorted((str(jar), jar.stat().st_size, jar.stat().st_mtime_ns) for jar in (*folder.iterdir(), *delta_jars))
    depends_on = (java_found(), class_path, states, CLASSES.read_bytes())
    digest = hashlib.sha256(repr(depends_on).encode()).hexdigest()
    return ClassArchive(cache_folder() / "classes" / f"{name}.jsa", class_path, digest)


def written_archive(delta_jars: Sequence[Path]) -> ClassArchive:
    """That archive, written first where it is missing or outdated.

    Raises ConfigError without Spark or Java, and where the cache cannot be written.
    """
    archive = archive_for(delta_jars)
    try:
        if not archive.written:
            print("jars: archiving Spark's classes (once, half a minute)", file=sys.stderr, flush=True)
            archive.write()
    except OSError as error:
        raise cache_unusable(error) from None
    return archive


def class_names() -> list[str]:
    """The classes that a census of all tables loads, by their full names."""
    return gzip.decompress(CLASSES.read_bytes()).decode("ascii").split()


def _archive_classes(file: Path, class_path: str) -> None:
    """Let a JVM load the classes, and write the archive as it ends."""
    java, _ = java_found()
    options = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", f"-XX:ArchiveClassesAtExit={file}", *_SILENT)
    command = [java, *options, "-cp", class_path, "py4j.GatewayServer", "--die-on-broken-pipe", "0"]
    with subprocess.Popen(
        command, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as jvm:
        port = (jvm.stdout.readline() if jvm.stdout else "").strip()
        if port.isdigit():
            _load_classes(int(port))


def _load_classes(port: int) -> None:
    """Load the classes in the JVM that listens on this port of loopback; it ends when its stdin is closed."""
    from py4j.java_gateway import GatewayParameters, JavaGateway
    from py4j.protocol import Py4JJavaError

    gateway = JavaGateway(gateway_parameters=GatewayParameters(port=port))
    load, loader = gateway.jvm.Class.forName, gateway.jvm.ClassLoader.getSystemClassLoader()
    for name in class_names():
        # A class that another release lacks is not in the archive; a job loads what is not in it.
        with suppress(Py4JJavaError):
            load(name, False, loader)
    gateway.close()
