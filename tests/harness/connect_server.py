"""A Spark Connect server with Delta, as strict as Databricks' serverless compute: `python -m harness.connect_server`.

Clients connect to a gRPC proxy before Spark's own server: it refuses what serverless refuses, with a server's messages,
so that the real client handles each refusal. The settings that `maintain` may not change are set at the server. The
server ends when its standard input does.
"""

import json
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import grpc
from google.protobuf.any_pb2 import Any as Detail
from google.protobuf.empty_pb2 import Empty
from google.protobuf.unknown_fields import UnknownFieldSet
from google.rpc import code_pb2, error_details_pb2, status_pb2
from grpc_status import rpc_status
from pyspark.sql.connect.proto import AnalyzePlanRequest, ConfigRequest

from harness.local_spark import JVM_OF_A_FEW_JOBS, QUICK_TASKS, local_session
from harness.processes import LOOPBACK, free_ports
from kafka_census.upkeep.maintenance.maintain import LISTED_IN_FEW_TASKS

READY = "listening at "
SCHEMA = "c"
"""An empty one of the server's catalog."""

_SERVICE = "/spark.connect.SparkConnectService/"
_ANSWERS_IN_A_STREAM = ("ExecutePlan", "ReattachExecute")
_ASKS_IN_A_STREAM = ("AddArtifacts",)
_OPTIONS = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]
_PERSIST = AnalyzePlanRequest.DESCRIPTOR.fields_by_name["persist"].number
_OF_THE_CLIENT = (
    "spark.connect.",
    "spark.python.sql.",
    "spark.sql.connect.",
    "spark.sql.execution.",
    "spark.sql.pyspark.",
    "spark.sql.repl.",
    "spark.sql.session.",
    "spark.sql.timestampType",
)
"""Prefixes of the settings that PySpark's client reads by itself: these are answered."""


def refusal(method: str, request: bytes) -> tuple[str, str] | None:
    """The condition and the message with which serverless refuses a request; None for an accepted request."""
    if method == "AnalyzePlan" and _PERSIST in _fields(request):
        return "NOT_SUPPORTED_WITH_SERVERLESS", "PERSIST TABLE is not supported on serverless compute."
    if method != "Config":
        return None
    operation = ConfigRequest.FromString(request).operation
    names = [pair.key for pair in operation.set.pairs if not operation.set.silent] + list(operation.unset.keys)
    looked_at = [*operation.get.keys, *(pair.key for pair in operation.get_with_default.pairs)]
    names += [name for name in looked_at if not name.startswith(_OF_THE_CLIENT)]
    return ("CONFIG_NOT_AVAILABLE", f"Configuration {names[0]} is not available.") if names else None


def _fields(message: bytes) -> set[int]:
    """The numbers of a message's fields; a plan in it may be nested too deeply for Python's parser."""
    return {field.field_number for field in UnknownFieldSet(Empty.FromString(message))}


class Proxy(grpc.GenericRpcHandler):  # type: ignore[misc] # grpc has no types
    """Forwards each call to the server behind it, or refuses the call."""

    def __init__(self, behind: grpc.Channel) -> None:
        self._behind = behind

    def service(self, details: Any) -> Any:
        """The handler of a call; messages stay bytes."""
        method = details.method.removeprefix(_SERVICE)
        if method in _ASKS_IN_A_STREAM:
            return grpc.stream_unary_rpc_method_handler(self._handed_on(self._behind.stream_unary, details.method))
        if method in _ANSWERS_IN_A_STREAM:
            return grpc.unary_stream_rpc_method_handler(self._streamed(details.method))
        hand_on = self._handed_on(self._behind.unary_unary, details.method)

        def answer(request: bytes, context: Any) -> bytes:
            refused = refusal(method, request)
            if refused is not None:
                context.abort_with_status(rpc_status.to_status(_status(*refused)))
            return hand_on(request, context)

        return grpc.unary_unary_rpc_method_handler(answer)

    def _handed_on(self, kind: Callable[[str], Any], method: str) -> Callable[[Any, Any], bytes]:
        def hand_on(request: Any, context: Any) -> bytes:
            try:
                answer: bytes = kind(method)(request, metadata=context.invocation_metadata())
            except grpc.RpcError as error:
                _abort(context, error)
            return answer

        return hand_on

    def _streamed(self, method: str) -> Callable[[bytes, Any], Iterator[bytes]]:
        def stream(request: bytes, context: Any) -> Iterator[bytes]:
            try:
                yield from self._behind.unary_stream(method)(request, metadata=context.invocation_metadata())
            except grpc.RpcError as error:
                _abort(context, error)

        return stream


def _status(condition: str, message: str) -> status_pb2.Status:
    classes = json.dumps(["org.apache.spark.sql.AnalysisException"])
    detail = Detail()
    detail.Pack(
        error_details_pb2.ErrorInfo(
            reason="org.apache.spark.sql.AnalysisException",
            domain="org.apache.spark",
            metadata={"classes": classes, "errorClass": condition},
        )
    )
    return status_pb2.Status(code=code_pb2.INTERNAL, message=f"[{condition}] {message}", details=[detail])


def _abort(context: Any, error: grpc.RpcError) -> None:
    context.set_trailing_metadata(error.trailing_metadata())
    context.abort(error.code(), error.details())


def main(folder: Path) -> None:
    """Serve until standard input ends; the warehouse is in the folder."""
    front, back = free_ports(2)
    connect = {
        "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
        "spark.connect.grpc.binding.address": LOOPBACK,
        "spark.connect.grpc.binding.port": str(back),
    }
    settings = QUICK_TASKS | connect | LISTED_IN_FEW_TASKS
    spark = local_session("connect server", folder, settings, JVM_OF_A_FEW_JOBS)
    spark.sql(f"CREATE SCHEMA {SCHEMA}")
    with ThreadPoolExecutor(16) as threads, grpc.insecure_channel(f"{LOOPBACK}:{back}", _OPTIONS) as behind:
        server = grpc.server(threads, [Proxy(behind)], options=_OPTIONS)
        server.add_insecure_port(f"{LOOPBACK}:{front}")
        server.start()
        print(f"{READY}sc://{LOOPBACK}:{front}", flush=True)
        sys.stdin.read()
        server.stop(None).wait()
    spark.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
