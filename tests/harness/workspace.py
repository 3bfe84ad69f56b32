"""The REST API of secrets of a Databricks workspace, which `dbutils.secrets.get` calls outside of a workspace."""

import base64
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from urllib.parse import parse_qsl, urlsplit

from harness.http_server import Answer, served


@contextmanager
def workspace(secrets: Mapping[tuple[str, str], str]) -> Iterator[str]:
    """The URL of a workspace with these secrets, by scope and key."""

    def answer(request: BaseHTTPRequestHandler, _body: str) -> Answer:
        asked = urlsplit(request.path)
        query = dict(parse_qsl(asked.query))
        value = secrets.get((query.get("scope", ""), query.get("key", "")))
        code, said = 200, {"key": query.get("key", ""), "value": base64.b64encode((value or "").encode()).decode()}
        if asked.path != "/api/2.0/secrets/get" or value is None:
            code, said = 404, {"error_code": "RESOURCE_DOES_NOT_EXIST", "message": f"Secret does not exist: {query}"}
        return code, {"Content-Type": "application/json"}, json.dumps(said).encode()

    with served(answer) as url:
        yield url
