"""PySpark: the JVM beside this process, Hadoop in it, and Spark's internal switch for generated code.

Private are `_ensure_initialized`, `_jvm`, `_gateway` and `_active_spark_context` of `SparkContext`, `_jvm` and `_jsc`
of a context, and the setting `spark.sql.codegen.factoryMode`. Tried on PySpark 4.0.1, 4.1.1 and
4.2.0. A release that lacks a name is refused in one line when the name is needed; Spark ignores a setting that it does
not know. Nothing here is used on Databricks, nor with Spark Connect, whose client has no `SparkContext`: PySpark is
imported when it is called.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from kafka_census.errors import ConfigError

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

_TRIED = "4.2.0"

GENERATED = {"spark.sql.codegen.factoryMode": "FALLBACK"}
"""Code is generated for expressions, which is Spark's default."""

INTERPRETED = {"spark.sql.codegen.factoryMode": "NO_CODEGEN"}
"""No code is generated for expressions; without this, `spark.sql.codegen.wholeStage=false` leaves a part of it."""


@contextmanager
def _as_tried() -> Iterator[None]:
    """Raise ConfigError where this PySpark lacks a name."""
    try:
        yield
    except AttributeError as error:
        from pyspark import __version__

        raise ConfigError(
            f"PySpark {__version__} is installed, and this census was tried on {_TRIED}: "
            f"pip install 'pyspark~={_TRIED}' ({error})"
        ) from error


@_as_tried()
def started_jvm() -> Any:
    """py4j's view of the JVM, which is started where there is none: no public call does only this."""
    from pyspark import SparkContext

    SparkContext._ensure_initialized()
    return SparkContext._jvm


@_as_tried()
def active_context() -> "SparkContext | None":
    """The context of this process, without a request to the JVM; None before there is one."""
    from pyspark import SparkContext

    return SparkContext._active_spark_context


@_as_tried()
def kill_jvm() -> None:
    """Kill the JVM that PySpark started, if it did."""
    from pyspark import SparkContext

    gateway: Any = SparkContext._gateway
    process = getattr(gateway, "proc", None)
    if process is not None:
        process.kill()


@_as_tried()
def default_file_system(spark: "SparkSession") -> str:
    """The URI of Hadoop's file system for paths without a scheme, such as "file:///"."""
    return str(_hadoop(spark).get("fs.defaultFS"))


@_as_tried()
def require_file_system_class(spark: "SparkSession", scheme: str) -> None:
    """Load Hadoop's class for the scheme of a URI; Hadoop's error names a class that is missing."""
    jvm: Any = spark.sparkContext._jvm
    jvm.org.apache.hadoop.fs.FileSystem.getFileSystemClass(scheme, _hadoop(spark))


@_as_tried()
def forget_yarn(spark: "SparkSession") -> None:
    """Remove YARN's defaults, half of all settings, from Hadoop's configuration, which no local master reads.

    Spark copies the configuration for every query, and serializes it for most, each setting compressed by itself: a
    twentieth of a small census' CPU time.
    """
    settings = _hadoop(spark)
    for name in str(settings.getPropsWithPrefix("yarn.").keySet().toString()).strip("[]").split(", "):
        settings.unset(f"yarn.{name}")


def _hadoop(spark: "SparkSession") -> Any:
    context: Any = spark.sparkContext
    return context._jsc.hadoopConfiguration()
