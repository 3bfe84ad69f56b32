"""The deepest known cause: found in the chain, reported in one line, and listed in docs/errors.md."""

import re
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

from kafka_census.errors import CensusError, ConfigError, CorruptLake, OutOfResources, Refused, SparkUnfit
from kafka_census.errors.causes import CAUSES, deepest, explained, messages
from kafka_census.errors.one_line import one_line

DOCS = Path(__file__).parents[2] / "docs" / "errors.md"


def throwable(*said: str) -> SimpleNamespace | None:
    """A Java error as py4j hands it on, with its causes."""
    return SimpleNamespace(toString=lambda: said[0], getCause=lambda: throwable(*said[1:])) if said else None


class JavaError(Exception):
    """A Python error with a Java one behind it."""

    def __init__(self, *said: str) -> None:
        super().__init__("An error occurred while calling o80.save.\n: first line\n\tat some.Class")
        self.java_exception = throwable(*said)


def java_gone() -> JavaError:
    """An error of a JVM that has ended: nobody answers."""
    error, gone = JavaError("x"), ConnectionRefusedError(111, "Connection refused")
    error.java_exception = Mock(toString=Mock(side_effect=gone), getCause=Mock(side_effect=gone))
    return error


SPARK, AWS = "org.apache.spark.", "software.amazon.awssdk."
WRITE = f"{SPARK}SparkException: [TASK_WRITE_FAILED] Task failed while writing rows to file:/lake/t."
READ = f"{SPARK}SparkException: [FAILED_READ_FILE.NO_HINT] Encountered error while reading file"
WORKER = f"{SPARK}api.python.PythonException: Traceback (most recent call last):\n  File 'x', line 1\n    g()\n"
ABORTED = f"{SPARK}SparkException: Job aborted due to stage failure: "
LOST = f"{ABORTED}Task 0 in stage 4.0 failed 4 times, most recent failure: Lost task 0.3 in stage 4.0 (TID 9)"
EXECUTOR = f"{LOST} (127.0.0.1 executor 1): "
RPC = "<_InactiveRpcError of RPC that terminated with:\n\tstatus = StatusCode.UNAVAILABLE\n\tdetails"

ILLEGAL = "java.lang.IllegalArgumentException: A secret key must be specified via the spark.authenticate.secret"
STOPPED = "IllegalStateException: Spark context stopped while waiting for backend"
NO_BUCKET = f"{AWS}services.s3.model.NoSuchBucketException: The specified bucket does not"
NO_S3 = f"{AWS}core.exception.SdkClientException: Unable to execute HTTP request: Con"
NO_CREDENTIALS = "org.apache.hadoop.fs.s3a.auth.NoAwsCredentialsException: No AWS Credentials provided by"
NO_JARS = "java.lang.ClassNotFoundException: Class org.apache.hadoop.fs.s3a.S3AFileSystem not found"
OTHER_PYTHON = "PySparkRuntimeError: [PYTHON_VERSION_MISMATCH]"
IO, NO_FILE = "java.io.IOException", "java.io.FileNotFoundException"
EACH = "each time that it tried the same task: SparkException: Job aborted"
DRIVERS = f"the driver: {OTHER_PYTHON}"
FULL = "FSError: java.io.IOException: No space left on device"

KNOWN: dict[type[CensusError], list[tuple[Exception, str]]] = {
    OutOfResources: [
        (JavaError(WRITE, WRITE, f"org.apache.hadoop.fs.{FULL}"), f"the disk is full: {FULL}; free space"),
        (JavaError(f"{EXECUTOR}java.lang.OutOfMemoryError: Java heap space"), "a Spark executor has too little memory"),
        (JavaError(f"{EXECUTOR}ExecutorLostFailure (executor 1 exited caused by"), f"Spark lost an executor, {EACH}"),
        (JavaError("java.lang.OutOfMemoryError: Java heap space"), "Spark's driver has too little memory"),
        (OSError(24, "Too many open files"), "the process may open too few files"),
        (ConnectionRefusedError(111, "Connection refused"), "Spark's JVM has ended"),
        (java_gone(), "Spark's JVM has ended"),
    ],
    SparkUnfit: [
        (JavaError(f"{ABORTED}Master removed our application: "), "Spark has ended the application"),
        (JavaError(f"java.lang.{STOPPED}"), f"Spark has ended the application: {STOPPED}"),
        (RuntimeError(RPC), "Spark Connect's server does not answer"),
        (JavaError(f"{WORKER}pyspark.errors.{OTHER_PYTHON} in"), f"Spark's workers run another Python than {DRIVERS}"),
        (JavaError("x", f'{IO}: Cannot run program "no": error=2', f"{IO}: error=2"), "Spark could not start a Python"),
        (JavaError(f"{WORKER}ModuleNotFoundError: No module named 'kafka'"), "the Python that runs this"),
        (JavaError("x", NO_S3), "the object store that lake.root names does not answer"),
        (
            JavaError(READ, f"{NO_FILE}: /lake/_delta_log/0.json (Permission denied)"),
            "the lake cannot be written, or no",
        ),
    ],
    ConfigError: [
        (JavaError(ILLEGAL), "spark.authenticate is set, and Spark has no secret"),
        (JavaError(f"{SPARK}X: [INVALID_DRIVER_MEMORY] System mem"), "Spark's driver has too little memory to start"),
        (RuntimeError("[JAVA_GATEWAY_EXITED] Java gateway process exited"), "Spark's JVM could not be started"),
        (RuntimeError("[CONNECT_URL_NOT_SET] Cannot create a Spark Connect se"), "no Spark Connect server is named"),
        (JavaError(NO_JARS), "Spark lacks the jars of the object store"),
        (JavaError("x", NO_BUCKET), "the bucket or container that lake.root names does not exist: NoSuchBucketExcep"),
        (JavaError("x", NO_CREDENTIALS), "Spark has no credentials for the object store"),
    ],
    CorruptLake: [
        (JavaError("x: [DELTA_TRUNCATED_TRANSACTION_LOG] file:/l"), "the log of a table of the lake is damaged"),
        (JavaError(READ, "java.lang.RuntimeException: x.parquet is not a Parquet file"), "a file of a table"),
    ],
}


@pytest.mark.parametrize(("kind", "error", "line"), [(kind, *one) for kind, found in KNOWN.items() for one in found])
def test_a_known_cause_is_an_error_of_ours(kind: type[CensusError], error: Exception, line: str) -> None:
    outer = ValueError("odd")
    outer.__cause__ = error
    for each in (error, outer):
        found = explained(each, str)
        assert type(found) is kind
        assert str(found).startswith(line)
        assert one_line(each, str) == str(found)


def test_every_entry_is_tried() -> None:
    """An entry that no example reaches is one that nobody has seen."""
    found = {str(explained(error, str)).partition(":")[0] for known in KNOWN.values() for error, _ in known}
    assert found == {cause.means for cause in CAUSES}
    # An error of ours explains itself.
    error = Refused("not published")
    error.__cause__ = OSError(28, "No space left on device")
    assert explained(error, str) is error


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ValueError("\n\n odd\nmore"), "ValueError: odd"),
        (KeyError(), "KeyError"),
        (ValueError("x" * 600), f"ValueError: {'x' * 487}…"),
        (ValueError("\n  An exception came.\nTraceback (most recent call last):\n  F\nKeyError: 1"), "KeyError: 1"),
        (JavaError("org.x.A: first", "org.x.B$C: deepest\nmore"), "B$C: deepest"),
        (JavaError(f"{WORKER}ValueError: odd\nmore"), "ValueError: odd"),
        (JavaError(f"{WORKER}ValueError: a\n\nDuring handling ...\n\n{WORKER}KeyError: 'b'"), "KeyError: 'b'"),
    ],
)
def test_a_bug_is_reported_by_its_deepest_words(error: Exception, said: str) -> None:
    """Of Spark's errors the first line says nothing."""
    assert explained(error, str) is None
    assert one_line(error, str) == said


def test_secrets_of_java_s_errors_are_hidden_before_anything_is_cut_or_collapsed() -> None:
    """A secret that holds a line break is whole only in the whole message."""
    secret = "pass\r\n  word\tx\u2028y \n"
    said = one_line(JavaError("x", f"org.x.A: odd {secret}"), lambda text: text.replace(secret, "***"))
    assert said == "A: odd ***"


def test_a_chain_that_is_a_ring_ends() -> None:
    """Java's causes and Python's contexts may be their own."""
    error = JavaError("a")
    error.java_exception.getCause = lambda: error.java_exception
    error.__cause__ = error
    assert set(messages(error)) == {"a"}
    assert deepest(error, str) == "a"


def test_the_documentation_has_the_same_table() -> None:
    rows = [f"| {cause.means} | {cause.remedy} | {cause.error.exit_code} |" for cause in CAUSES]
    text = DOCS.read_text(encoding="utf-8").split("\n## ")[1]
    assert re.findall(r"^\| (?!the line says|---).*\|$", text, re.MULTILINE) == rows
