"""A column costs one message to the JVM, not three: PySpark's classes are looked up once."""

from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F


@pytest.fixture
def messages(spark: SparkSession) -> Iterator[list[str]]:
    client: Any = spark.sparkContext._gateway._gateway_client  # type: ignore[union-attr]
    sent: list[str] = []
    send = client.send_command

    def noted(command: str, *more: Any, **named: Any) -> Any:
        if not command.startswith("m\n"):
            sent.append(command)
        return send(command, *more, **named)

    with patch.object(client, "send_command", noted):
        yield sent


def test_a_column_and_a_literal_are_one_message_each_and_a_function_of_a_column_is_two(messages: list[str]) -> None:
    F.col("a"), F.lit(1), F.upper("a")
    messages.clear()
    F.col("b"), F.lit(2), F.upper("a")
    assert [message.split("\n")[:3] for message in messages][:2] == [
        ["c", "z:org.apache.spark.sql.functions", name] for name in ("col", "lit")
    ]
    assert len(messages) == 4


def test_a_function_that_does_not_exist_is_refused(spark: SparkSession) -> None:
    functions = spark.sparkContext._jvm.functions  # type: ignore[union-attr]
    for _ in range(2):
        with pytest.raises(Exception, match="no_such_function does not exist"):
            functions.no_such_function  # noqa: B018
