"""The deepest known cause: found in the chain, reported in one line, and listed in docs/errors.md."""

import re
from pathlib import Path

import pytest

from kafka_census.causes import CAUSES, deepest, explained, messages
from kafka_census.errors import CensusError, ConfigError, CorruptLake, OutOfResources, Refused, SparkUnfit
from kafka_census.one_line import one_line

DOCS = Path(__file__).parents[2] / "docs" / "errors.md"


class Throwable:
    """A Java error as py4j hands it on."""

    def __init__(self, said: str, cause: "Throwable | None" = None) -> None:
        self.said, self.cause = said, cause

    def toString(self) -> str:  # noqa: N802 - Java's name
        """Class and message."""
        return self.said

    def getCause(self) -> "Throwable | None":  # noqa: N802 - Java's name
        """What it was raised for."""
        return self.cause


class JavaError(Exception):
    """A Python error with a Java one behind it."""

    def __init__(self, *said: str) -> None:
        super().__init__("An error occurred while calling o80.save.\n: first line\n\tat some.Class")
        self.java_exception: Throwable | None = None
        for each in reversed(said):
            self.java_exception = Throwable(each, self.java_exception)


class Gone(Throwable):
    """One of a JVM that has ended."""

    def toString(self) -> str:  # noqa: N802 - Java's name
        """Nobody answers."""
        raise ConnectionRefusedError(111, "Connection refused")


def java_gone() -> JavaError:
    error = JavaError()
    error.java_exception = Gone("")
    return error


WRITE = "org.apache.spark.SparkException: [TASK_WRITE_FAILED] Task failed while writing rows to file:/lake/t."
READ = "org.apache.spark.SparkException: [FAILED_READ_FILE.NO_HINT] Encountered error while reading file"
WORKER = (
    "org.apache.spark.api.python.PythonException: Traceback (most recent call last):\n  File 'x', line 1\n    g()\n"
)

LOST = "org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in stage 4.0 failed 4 times, "
LOST += "most recent failure: Lost task 0.3 in stage 4.0 (TID 9)"

KNOWN: tuple[tuple[Exception, type[CensusError], str], ...] = (
    (
        JavaError(WRITE, WRITE, "org.apache.hadoop.fs.FSError: java.io.IOException: No space left on device"),
        OutOfResources,
        "the disk is full: FSError: java.io.IOException: No space left on device; free space",
    ),
    (
        JavaError(f"{LOST} (127.0.0.1 executor 1): java.lang.OutOfMemoryError: Java heap space"),
        OutOfResources,
        "a Spark executor has too little memory",
    ),
    (
        JavaError(
            f"{LOST} (127.0.0.1 executor 1): ExecutorLostFailure (executor 1 exited caused by one of the running"
        ),
        OutOfResources,
        "Spark lost an executor, each time that it tried the same task: SparkException: Job aborted",
    ),
    (
        JavaError(
            "org.apache.spark.SparkException: Job aborted due to stage failure: Master removed our application: "
        ),
        SparkUnfit,
        "Spark has ended the application",
    ),
    (
        JavaError("java.lang.IllegalStateException: Spark context stopped while waiting for backend"),
        SparkUnfit,
        "Spark has ended the application: IllegalStateException: Spark context stopped while waiting for backend",
    ),
    (
        JavaError(
            "java.lang.IllegalArgumentException: A secret key must be specified via the spark.authenticate.secret"
        ),
        ConfigError,
        "spark.authenticate is set, and Spark has no secret",
    ),
    (JavaError("java.lang.OutOfMemoryError: Java heap space"), OutOfResources, "Spark's driver has too little memory"),
    (
        JavaError(
            "org.apache.spark.SparkIllegalArgumentException: [INVALID_DRIVER_MEMORY] System memory 259522560 ..."
        ),
        ConfigError,
        "Spark's driver has too little memory to start",
    ),
    (OSError(24, "Too many open files"), OutOfResources, "the process may open too few files"),
    (ConnectionRefusedError(111, "Connection refused"), OutOfResources, "Spark's JVM has ended"),
    (java_gone(), OutOfResources, "Spark's JVM has ended"),
    (
        RuntimeError("[JAVA_GATEWAY_EXITED] Java gateway process exited"),
        ConfigError,
        "Spark's JVM could not be started",
    ),
    (
        RuntimeError("[CONNECT_URL_NOT_SET] Cannot create a Spark Connect session because ..."),
        ConfigError,
        "no Spark Connect server is named",
    ),
    (
        RuntimeError("<_InactiveRpcError of RPC that terminated with:\n\tstatus = StatusCode.UNAVAILABLE\n\tdetails"),
        SparkUnfit,
        "Spark Connect's server does not answer",
    ),
    (
        JavaError(f"{WORKER}pyspark.errors.PySparkRuntimeError: [PYTHON_VERSION_MISMATCH] Python in worker ..."),
        SparkUnfit,
        "Spark's workers run another Python than the driver: PySparkRuntimeError: [PYTHON_VERSION_MISMATCH]",
    ),
    (
        JavaError("x", 'java.io.IOException: Cannot run program "nope": error=2', "java.io.IOException: error=2"),
        SparkUnfit,
        "Spark could not start a Python worker",
    ),
    (JavaError(f"{WORKER}ModuleNotFoundError: No module named 'kafka'"), SparkUnfit, "the Python that runs this"),
    (
        JavaError("java.lang.ClassNotFoundException: Class org.apache.hadoop.fs.s3a.S3AFileSystem not found"),
        ConfigError,
        "Spark lacks the jars of the object store",
    ),
    (
        JavaError("x", "software.amazon.awssdk.services.s3.model.NoSuchBucketException: The specified bucket does not"),
        ConfigError,
        "the bucket or container that lake.root names does not exist: NoSuchBucketException: ",
    ),
    (
        JavaError("x", "org.apache.hadoop.fs.s3a.auth.NoAwsCredentialsException: No AWS Credentials provided by"),
        ConfigError,
        "Spark has no credentials for the object store",
    ),
    (
        JavaError("x", "software.amazon.awssdk.core.exception.SdkClientException: Unable to execute HTTP request: Con"),
        SparkUnfit,
        "the object store that lake.root names does not answer",
    ),
    (
        JavaError(READ, "java.io.FileNotFoundException: /lake/t/_delta_log/0.json (Permission denied)"),
        SparkUnfit,
        "the lake cannot be written, or not read",
    ),
    (
        JavaError("x: [DELTA_TRUNCATED_TRANSACTION_LOG] file:/l"),
        CorruptLake,
        "the log of a table of the lake is damaged",
    ),
    (JavaError(READ, "java.lang.RuntimeException: x.parquet is not a Parquet file"), CorruptLake, "a file of a table"),
)


@pytest.mark.parametrize(("error", "kind", "line"), KNOWN)
def test_a_known_cause_is_an_error_of_ours(error: Exception, kind: type[CensusError], line: str) -> None:
    """The deepest message that is known wins; where the error was caught does not matter."""
    for outer in (error, wrapped(error)):
        found = explained(outer, str)
        assert type(found) is kind
        assert str(found).startswith(line)
        assert one_line(outer, str) == str(found)


def wrapped(error: Exception) -> Exception:
    outer = ValueError("odd")
    outer.__cause__ = error
    return outer


def test_every_entry_is_tried() -> None:
    """An entry that no example reaches is one that nobody has seen."""
    found = {str(explained(error, str)).partition(":")[0] for error, _, _ in KNOWN}
    assert found == {cause.means for cause in CAUSES}


def test_an_error_of_ours_explains_itself() -> None:
    error = Refused("not published")
    error.__cause__ = OSError(28, "No space left on device")
    assert explained(error, str) is error


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ValueError("odd\nmore"), "ValueError: odd"),
        (
            ValueError("\n  An exception was thrown.\nTraceback (most recent call last):\n  File 'x'\nKeyError: 1"),
            "KeyError: 1",
        ),
        (JavaError("org.x.A: first", "org.x.B$C: deepest\nmore"), "B$C: deepest"),
        (JavaError(f"{WORKER}ValueError: odd\nmore"), "ValueError: odd"),
        (JavaError(f"{WORKER}ValueError: a\n\nDuring handling ...\n\n{WORKER}KeyError: 'b'"), "KeyError: 'b'"),
    ],
)
def test_a_bug_is_reported_by_its_deepest_words(error: Exception, said: str) -> None:
    """Of Spark's errors the first line says nothing."""
    assert explained(error, str) is None
    assert one_line(error, str) == said


def test_secrets_are_hidden_before_anything_is_cut_or_collapsed() -> None:
    """A secret that holds a line break is whole only in the whole message."""
    secret = "pass\r\n  word\tx\u2028y \n"

    def hide(text: str) -> str:
        return text.replace(secret, "***")

    assert one_line(ValueError(f"odd {secret} more"), hide) == "ValueError: odd *** more"
    assert one_line(ValueError(f"odd {secret}"), hide) == "ValueError: odd ***"
    assert one_line(JavaError("x", f"org.x.A: odd {secret}"), hide) == "A: odd ***"
    assert one_line(Refused(f"odd {secret} more"), hide) == "odd *** more"
    assert one_line(OSError(f"No space left on device {secret}"), hide).startswith(
        "the disk is full: OSError: No space left on device ***; "
    )


def test_a_chain_that_is_a_ring_ends() -> None:
    """Java's causes and Python's contexts may be their own."""
    error = JavaError("a")
    assert error.java_exception is not None
    error.java_exception.cause = error.java_exception
    error.__cause__ = error
    assert set(messages(error)) == {"a"}
    assert deepest(error, str) == "a"


def test_the_documentation_has_the_same_table() -> None:
    rows = [f"| {cause.means} | {cause.remedy} | {cause.error.exit_code} |" for cause in CAUSES]
    text = DOCS.read_text(encoding="utf-8")
    assert re.findall(r"^\| (?!the line says|---).*\|$", text, re.MULTILINE) == rows
