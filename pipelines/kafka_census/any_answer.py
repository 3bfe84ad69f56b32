"""HTTP of the standard library without redirects, which could send a secret or a message to another server."""

from http.client import HTTPResponse
from urllib.request import HTTPErrorProcessor, Request


class AnyAnswer(HTTPErrorProcessor):
    """A handler for `build_opener`: no status raises an error, and no redirect is followed."""

    def http_response(self, request: Request, response: HTTPResponse) -> HTTPResponse:  # noqa: ARG002 - urllib's signature
        """The answer, unchanged."""
        return response

    https_response = http_response
