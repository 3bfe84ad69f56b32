"""py4j: classes that PySpark names all the time, kept as attributes of py4j's view of the JVM.

PySpark names `functions` for every column, literal and function, and `PythonUtils` for every list of columns: 9,000
times in a census of all tables. py4j remembers neither a class nor its methods. For a name without a package it looks
for such a class in every jar before it turns to its imports, and for a method it lists all 700 of `functions`.

Private is `_gateway_client` of the view, which asks the JVM only for what it lacks as an attribute. Tried on py4j
0.10.9.9 under PySpark 4.0.1, 4.1.1 and 4.2.0. Without that name nothing is kept, and each name is looked up as usual.
"""

from typing import Any

from py4j.java_gateway import JavaClass

_CLASSES = ("org.apache.spark.sql.functions", "org.apache.spark.api.python.PythonUtils")
"""PySpark names them with their package and without."""


class _Remembering(JavaClass):  # type: ignore[misc] # py4j has no types
    """A class of static methods alone, each looked up once: a static field would keep its first value."""

    def __getattr__(self, name: str) -> Any:
        member = super().__getattr__(name)
        self.__dict__[name] = member
        return member


def remember_classes(jvm: Any) -> None:
    """Look these classes up once for this view of the JVM."""
    client = vars(jvm).get("_gateway_client")
    if client is None:
        return
    for whole in _CLASSES:
        made = _Remembering(whole, client)
        for name in (whole, whole.rpartition(".")[2]):
            setattr(jvm, name, made)
