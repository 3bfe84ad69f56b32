"""What is on no class path is looked for once: the class loader of a JVM's threads remembers it."""

from collections.abc import Iterator
from threading import Thread
from typing import Any

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

from kafka_census.private.janino import remember_missing_classes


@pytest.fixture
def jvm(spark: SparkSession) -> Iterator[Any]:
    """A JVM whose threads have such a loader."""
    jvm: Any = spark.sparkContext._jvm
    before = context_loader(jvm)
    remember_missing_classes(jvm)
    made = context_loader(jvm)
    yield jvm
    for thread in jvm.java.lang.Thread.getAllStackTraces().keySet().toArray():
        if made.equals(thread.getContextClassLoader()):
            thread.setContextClassLoader(before)


def context_loader(jvm: Any) -> Any:
    return jvm.java.lang.Thread.currentThread().getContextClassLoader()


def test_a_class_that_is_there_is_that_of_the_class_path_and_another_is_looked_for_once(jvm: Any) -> None:
    made = context_loader(jvm)
    name = "org.apache.spark.sql.SparkSession"
    assert made.loadClass(name).equals(made.getParent().loadClass(name))
    for _ in range(2):
        with pytest.raises(Py4JJavaError, match="ClassNotFoundException: org"):
            made.loadClass("org.apache")
    (remembered,) = made.getClass().getDeclaredFields()
    remembered.setAccessible(True)
    assert remembered.get(made).contains("org.apache")


def test_a_thread_that_begins_later_has_the_loader_too(jvm: Any) -> None:
    loaders = []
    thread = Thread(target=lambda: loaders.append(context_loader(jvm)))
    thread.start()
    thread.join()
    assert loaders == [context_loader(jvm)]


def test_a_jvm_without_janino_is_left_alone() -> None:
    """For py4j a class that does not exist is a package."""

    class Package:
        def __getattr__(self, _name: str) -> "Package":
            return self

        def __call__(self) -> None:
            raise TypeError("'JavaPackage' object is not callable")

    remember_missing_classes(Package())
