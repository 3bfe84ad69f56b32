"""Requests a token from a token endpoint with a client's id and secret (RFC 6749, 4.4).

The request blocks until the answer is complete or the time is over, whatever the endpoint sends. Redirects are not
followed, because they would send the client's secret to another server. HTTPS_PROXY names the proxy; an endpoint by
http, which the configuration accepts on loopback alone, is reached by none.
"""

import math
import ssl
from base64 import b64encode
from http import HTTPStatus
from http.client import HTTPException
from urllib import error as url_errors
from urllib import request as url_request
from urllib.parse import quote_plus, urlencode

from kafka_census.files.json_object import LONGEST_QUOTED, json_object, quoted
from kafka_census.kafka.protocol import tls
from kafka_census.kafka.protocol.any_answer import AnyAnswer, without_users
from kafka_census.kafka.protocol.no_token import NoToken, TokenRefused
from kafka_census.kafka.protocol.settings import ClientCredentials
from kafka_census.threads import within

UNKNOWN_LIFETIME_S = 60
"""The assumed lifetime of a token, in seconds, where the endpoint does not report it."""

LARGEST = 1 << 20
"""Bytes of an answer."""
_BUSY = (HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY, HTTPStatus.TOO_MANY_REQUESTS)
"""Status codes of temporary refusals."""


def asked(source: ClientCredentials, timeout_s: float) -> tuple[str, float]:
    """A new token, and its lifetime in seconds. Raises NoToken and TokenRefused, without secrets that are ours."""
    form = {"grant_type": "client_credentials", **({"scope": source.scope} if source.scope else {})}
    user = f"{quote_plus(source.client_id)}:{quote_plus(source.client_secret.reveal())}"
    request = url_request.Request(source.token_endpoint, urlencode(form).encode())  # noqa: S310 - config checks it
    request.add_header("Authorization", f"Basic {b64encode(user.encode()).decode()}")
    request.add_header("Accept", "application/json")
    where = f"the token endpoint {source.token_endpoint}"
    try:
        opener = url_request.build_opener(
            AnyAnswer,
            url_request.HTTPSHandler(context=tls.context(source.ssl)),
            url_request.ProxyHandler({} if request.type == "http" else None),
        )
        status, answer = within(timeout_s, lambda: _answer(opener, request, timeout_s))
    except tls.TlsFileError as error:
        raise NoToken(f"{where}: {error}") from None
    except (OSError, HTTPException, ValueError) as error:  # ValueError: such as a proxy that is no URL
        raise NoToken(f"{where}: {_reason(error)}") from None
    if status != HTTPStatus.OK:
        is_final = status < HTTPStatus.INTERNAL_SERVER_ERROR and status not in _BUSY
        kind = TokenRefused if is_final else NoToken
        said = json_object(answer)
        raise kind(f"{where} answered {status}{quoted(said.get('error'), said.get('error_description'))}")
    if len(answer) > LARGEST:
        raise TokenRefused(f"{where} answered more than {LARGEST:,} bytes: is it the right address?")
    return _read(where, answer)


def _answer(opener: url_request.OpenerDirector, request: url_request.Request, timeout_s: float) -> tuple[int, bytes]:
    """The status, and the body up to a byte more than LARGEST."""
    with opener.open(request, timeout=timeout_s) as response:
        return response.status, response.read(LARGEST + 1)


def _read(where: str, answer: bytes) -> tuple[str, float]:
    """The token of an answer (RFC 6749, 5.1)."""
    said = json_object(answer)
    text, kind = said.get("access_token"), said.get("token_type", "Bearer")
    if not isinstance(text, str) or not text:
        raise TokenRefused(f"{where} answered no access_token: is it the right address?")
    if not isinstance(kind, str) or kind.lower() != "bearer":
        raise TokenRefused(f"{where} answered a token that is no bearer token")
    return text, _lifetime(said.get("expires_in"))


def _lifetime(said: object) -> float:
    """Seconds: a number, or its digits; UNKNOWN_LIFETIME_S for what is no finite number above zero."""
    try:
        seconds = float(said) if isinstance(said, int | float | str) else math.nan
    except (ValueError, OverflowError):
        return UNKNOWN_LIFETIME_S
    return seconds if math.isfinite(seconds) and seconds > 0 else UNKNOWN_LIFETIME_S


def _reason(error: Exception) -> str:
    """Why there was no answer."""
    why = error.reason if isinstance(error, url_errors.URLError) else error
    if isinstance(why, ssl.SSLCertVerificationError):
        return f"its certificate was not accepted: {why.verify_message}"
    if isinstance(why, TimeoutError):
        return "no answer in time"
    said = getattr(why, "strerror", None) or without_users(" ".join(str(why).split()))
    return said if 0 < len(said) <= LONGEST_QUOTED else type(why).__name__
