"""HTTP by the standard library, for requests whose secret or message must not be sent elsewhere by a redirect."""

from http.client import HTTPResponse
from urllib.request import HTTPErrorProcessor, Request


class AnyAnswer(HTTPErrorProcessor):
    """A handler for `build_opener`: no status is raised as an error, and no redirect is followed."""

    def http_response(self, request: Request, response: HTTPResponse) -> HTTPResponse:  # noqa: ARG002 - urllib's signature
        """The answer as it is."""
        return response

    https_response = http_response
