"""HTTP of the standard library without redirects, which could send a secret or a message to another server."""

import re
from http.client import HTTPResponse
from urllib.request import HTTPErrorProcessor, Request


class AnyAnswer(HTTPErrorProcessor):
    """A handler for `build_opener`: no status raises an error, and no redirect is followed."""

    def http_response(self, request: Request, response: HTTPResponse) -> HTTPResponse:  # noqa: ARG002 - urllib's signature
        """The answer, unchanged."""
        return response

    https_response = http_response


def without_users(text: str) -> str:
    """The text of an error without what stands before an @: the address of a proxy may hold a user and a password."""
    # From the beginning of a word on: tried at each of its letters, a long word would take long.
    return re.sub(r"(?<![^\s'\"])[^\s'\"]*@", "***@", text)
