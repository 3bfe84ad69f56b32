"""The REST API of secrets of a Databricks workspace, which `dbutils.secrets.get` calls outside of a workspace."""

import base64
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import parse_qsl, urlsplit


@contextmanager
def workspace(secrets: Mapping[tuple[str, str], str]) -> Iterator[str]:
    """The URL of a workspace with these secrets, by scope and key."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked = urlsplit(self.path)
            query = dict(parse_qsl(asked.query))
            value = secrets.get((query.get("scope", ""), query.get("key", "")))
            if asked.path == "/api/2.0/secrets/get" and value is not None:
                self._answer(200, {"key": query["key"], "value": base64.b64encode(value.encode()).decode()})
            else:
                message = f"Secret does not exist: {query}"
                self._answer(404, {"error_code": "RESOURCE_DOES_NOT_EXIST", "message": message})

        def _answer(self, code: int, body: Mapping[str, str]) -> None:
            text = json.dumps(body).encode()
            self.send_response(code)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
