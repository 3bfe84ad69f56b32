"""An HTTP server on loopback for a few seconds of a test, and one with the REST API of Databricks' secrets."""

import base64
import json
import ssl
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import parse_qsl, urlsplit

Answer = tuple[int, Mapping[str, str], bytes]
"""A status, headers and a body."""


@contextmanager
def served(answer: Callable[[BaseHTTPRequestHandler, str], Answer], keystore: Path | None = None) -> Iterator[str]:
    """The URL of a server that answers each request, of which it is told the body; by https with a `keystore`."""

    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            status, headers, body = answer(self, self.rfile.read(int(self.headers["Content-Length"] or 0)).decode())
            self.send_response(status)
            for key, value in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(key, value)
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = _answer  # noqa: N815 - the names of http.server

        def log_message(self, *_: object) -> None:
            """Log nothing to stderr."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        if keystore is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(keystore)
            server.socket = context.wrap_socket(server.socket, server_side=True)
        server.handle_error = lambda *_: None  # type: ignore[method-assign]  # a closed connection is part of a test
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield f"{'https' if keystore else 'http'}://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def workspace(secrets: Mapping[tuple[str, str], str]) -> Iterator[str]:
    """The URL of a workspace with these secrets, by scope and key, which `dbutils.secrets.get` asks from outside."""

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
