"""Explains errors of Spark, disks and workers by the deepest cause that an operator can act on.

Spark wraps an error in four or five exceptions whose first line says nothing. `explained` walks
the chain, Python's and the JVM's, from the deepest message up, and finds the usual causes and
their remedies in `CAUSES`: these become a CensusError with an exit code. An error without an entry is
a bug, which is reported by `deepest`. docs/errors.md has the same table; a test compares the two.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import dropwhile
from typing import Any

from kafka_census.errors import CensusError, ConfigError, CorruptLake, OutOfResources, SparkUnfit

_DEPTH = 30
"""Largest number of causes that are followed from one error, because a chain may be a ring."""

_PACKAGE = re.compile(r"^(?:[a-z][\w$]*\.)+(?=[A-Z])")
"""The name of a Java class before its message."""


@dataclass(frozen=True)
class Cause:
    """A cause that a person can act on.

    pattern  a regular expression for one message of the chain
    means    what happened
    remedy   what to do
    error    the class of the error, which defines the exit code
    """

    pattern: str
    means: str
    remedy: str
    error: type[CensusError]

    def line_in(self, message: str) -> str | None:
        """The line of a message that shows this cause; None for another cause."""
        return next((line for line in message.splitlines() if re.search(self.pattern, line)), None)


_JARS = "start the job with them: --spark-conf spark.jars.packages=org.apache.hadoop:hadoop-aws:VERSION (spark-submit: "
_JARS += "--packages) for s3a, hadoop-azure for abfss, "
_JARS += "VERSION being that of the jar hadoop-client-api in pyspark/jars; Google's gcs-connector for gs"

_CLUSTER = "on a Spark cluster --archives brings one to executors (docs/spark-cluster.md)"

CAUSES: tuple[Cause, ...] = (
    Cause(
        r"No space left on device|Disk quota exceeded|File too large",
        "the disk is full",
        "free space where the lake is and where Spark keeps temporary files (spark.local.dir, /tmp), then run this "
        "again; what was committed is not lost",
        OutOfResources,
    ),
    Cause(
        r"executor \d+\): java\.lang\.OutOfMemoryError|exited with code 52\b",
        "a Spark executor has too little memory",
        "give executors more: --spark-conf spark.executor.memory=2g (spark-submit: --executor-memory 2g)",
        OutOfResources,
    ),
    Cause(
        r"ExecutorLostFailure",
        "Spark lost an executor, each time that it tried the same task",
        "was it killed, perhaps for its memory (spark.executor.memory, spark.executor.memoryOverhead)? Its own log "
        "says; then run this again with --resume",
        OutOfResources,
    ),
    Cause(
        r"Master removed our application|All masters are unresponsive|SparkContext was shut down|stopped SparkContext"
        r"|Spark context stopped",
        "Spark has ended the application",
        "on a cluster executors must start, and reach the driver (spark.driver.host): their own logs and the manager's "
        "say what they could not; then run this again with --resume",
        SparkUnfit,
    ),
    Cause(
        r"secret key must be specified via the spark\.authenticate\.secret",
        "spark.authenticate is set, and Spark has no secret",
        "on a standalone cluster master, workers and driver have the same spark.authenticate.secret in their "
        "spark-defaults.conf (docs/spark-cluster.md)",
        ConfigError,
    ),
    Cause(
        r"OutOfMemoryError|GC overhead limit exceeded",
        "Spark's driver has too little memory",
        "give it more: --spark-conf spark.driver.memory=4g (spark-submit: --driver-memory 4g)",
        OutOfResources,
    ),
    Cause(
        r"INVALID_DRIVER_MEMORY|System memory \d+ must be at least",
        "Spark's driver has too little memory to start",
        "give it 512m at least, better 2g: --spark-conf spark.driver.memory=2g (spark-submit: --driver-memory 2g)",
        ConfigError,
    ),
    Cause(
        r"Too many open files",
        "the process may open too few files",
        "raise the limit before the job starts: ulimit -n 65536",
        OutOfResources,
    ),
    Cause(
        r"^Py4JNetworkError|Answer from Java side is empty|^ConnectionRefusedError|^Py4JError: .* not exist in the JVM",
        "Spark's JVM has ended",
        "was it killed, perhaps for its memory (dmesg, the container's limit)? Its own last lines are above; run this "
        "again",
        OutOfResources,
    ),
    Cause(
        r"JAVA_GATEWAY_EXITED|UnsupportedClassVersionError",
        "Spark's JVM could not be started",
        "Java 17 or newer must be on the PATH or in JAVA_HOME; the JVM's own lines are above",
        ConfigError,
    ),
    Cause(
        r"CONNECT_URL_NOT_SET",
        "no Spark Connect server is named, and pyspark-client starts no Spark by itself",
        "name one: SPARK_REMOTE=sc://host:15002; or pip install 'kafka-census[spark]'",
        ConfigError,
    ),
    Cause(
        r"StatusCode\.UNAVAILABLE|failed to connect to all addresses",
        "Spark Connect's server does not answer",
        "does it run at what SPARK_REMOTE names (sc://host:15002)? Run this again once it does",
        SparkUnfit,
    ),
    Cause(
        r"PYTHON_VERSION_MISMATCH",
        "Spark's workers run another Python than the driver",
        f"name one Python for both: PYSPARK_PYTHON=.venv/bin/python, and leave PYSPARK_DRIVER_PYTHON unset; {_CLUSTER}",
        SparkUnfit,
    ),
    Cause(
        r"Cannot run program|EOFException occurred while reading|Python worker (exited|failed to connect)",
        "Spark could not start a Python worker",
        f"PYSPARK_PYTHON must name a Python that runs: PYSPARK_PYTHON=.venv/bin/python; {_CLUSTER}",
        SparkUnfit,
    ),
    Cause(
        r"^ModuleNotFoundError: No module named",
        "the Python that runs this, or Spark's workers, lacks a package",
        "install it for that Python (pip install 'kafka-census[spark]'; beside pyspark-client [connect], on Databricks "
        f"the wheel alone), or name another: PYSPARK_PYTHON=.venv/bin/python; {_CLUSTER}",
        SparkUnfit,
    ),
    Cause(
        r"No FileSystem for scheme|Class org\.apache\.hadoop\.fs\.\S+ not found",
        "Spark lacks the jars of the object store that lake.root names",
        _JARS,
        ConfigError,
    ),
    Cause(
        r"NoSuchBucket|UnknownStoreException|ContainerNotFound|FilesystemNotFound",
        "the bucket or container that lake.root names does not exist",
        "create it, or name another lake.root",
        ConfigError,
    ),
    Cause(
        r"NoAuthWithAWS|NoAwsCredentials|No AWS Credentials|Unable to load credentials",
        "Spark has no credentials for the object store that lake.root names",
        "give it some, as the store's client expects them (s3a: a role of the machine, or AWS_ACCESS_KEY_ID and "
        "AWS_SECRET_ACCESS_KEY in the environment)",
        ConfigError,
    ),
    Cause(
        r"SdkClientException: Unable to execute HTTP request",
        "the object store that lake.root names does not answer",
        "is its address right (s3a: spark.hadoop.fs.s3a.endpoint), and may this machine reach it? Run this again with "
        "--resume once it answers",
        SparkUnfit,
    ),
    Cause(
        r"Read-only file system|Permission denied|Operation not permitted|AccessDenied|AccessControlException"
        r"|DELTA_CANNOT_CREATE_LOG_PATH|Mkdirs failed|Parent path is not a directory|Not a directory",
        "the lake cannot be written, or not read",
        "whoever runs the job must be allowed to read and write all of lake.root (in an object store: by the "
        "credentials that Spark has), and no file may be in the place of a folder",
        SparkUnfit,
    ),
    Cause(
        r"_delta_log/|DELTA_TRUNCATED_TRANSACTION_LOG|DELTA_VERSIONS_NOT_CONTIGUOUS|DELTA_STATE_RECOVER_ERROR"
        r"|JsonParseException|JsonEOFException",
        "the log of a table of the lake is damaged",
        "restore the folder _delta_log of that table from a backup; no job writes to the table until it is whole",
        CorruptLake,
    ),
    Cause(
        r"is not a Parquet file|Checksum error|FAILED_READ_FILE|DELTA_FILE_NOT_FOUND|\.parquet does not exist"
        r"|can not read class org\.apache\.parquet",
        "a file of a table of the lake is missing or damaged",
        "restore it from a backup; if it is one of landing/, a new census does not need it",
        CorruptLake,
    ),
)
"""The first entry that matches a message wins, so more specific entries come first."""


def explained(error: BaseException, hide: Callable[[str], str]) -> CensusError | None:
    """The error as a CensusError, by its deepest known cause and without secrets; None where no cause is known."""
    if isinstance(error, CensusError):
        return error
    for message in reversed([hide(each) for each in messages(error)]):
        for cause in CAUSES:
            line = cause.line_in(message)
            if line is not None:
                return cause.error(f"{cause.means}: {_bare(line)}; {cause.remedy}")
    return None


def deepest(error: BaseException, hide: Callable[[str], str]) -> str:
    """The text of an error without an entry: its message, and the deepest messages of the JVM and of a worker.

    Secrets are hidden first, before white space and line breaks change.
    """
    own = ": ".join(filter(None, (type(error).__name__, hide(str(error)).strip())))
    lines = [own, *map(hide, _java(error))][-1].splitlines()
    tracebacks = [number for number, line in enumerate(lines) if "Traceback (most recent call last)" in line]
    if tracebacks:
        # The error's message follows the indented frames of a worker's last traceback.
        lines = list(dropwhile(lambda line: line.startswith(" "), lines[tracebacks[-1] + 1 :]))
    return _bare("\n".join(lines))


def messages(error: BaseException) -> Iterator[str]:
    """The message of each error of the chain, from the outermost to the deepest, Python's before the JVM's below it."""
    for each in chain(error):
        java = list(_java(each))
        yield from java or [f"{type(each).__name__}: {each}"]


def chain(error: BaseException) -> Iterator[BaseException]:
    """An error, then its cause or context, and so on."""
    following: BaseException | None = error
    for _ in range(_DEPTH):
        if following is None:
            return
        yield following
        following = following.__cause__ or (None if following.__suppress_context__ else following.__context__)


def _java(error: BaseException) -> Iterator[str]:
    """The messages of the JVM's errors behind a Python error; none without such errors, or when the JVM is gone."""
    # py4j's error has the JVM's; PySpark raises its own instead, `from None`, which Python still keeps as its context.
    hidden = error.__context__ if error.__suppress_context__ else None
    throwable: Any = getattr(error, "java_exception", None) or getattr(hidden, "java_exception", None)
    for _ in range(_DEPTH):
        if throwable is None:
            return
        try:
            said, throwable = str(throwable.toString()), throwable.getCause()
        except Exception as gone:  # noqa: BLE001 - a dead JVM is itself the deepest cause
            said, throwable = f"{type(gone).__name__}: {gone}", None
        yield said


def _bare(line: str) -> str:
    """A message without the package of its Java class."""
    return _PACKAGE.sub("", line.strip(" :\t"))
