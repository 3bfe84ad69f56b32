"""A scripted broker on loopback, for behaviour that a real broker shows only in rare failures.

`StandIn({DescribeClusterRequest: script, ...})` listens on a free port and speaks the
real protocol with kafka-python's message classes. A script is called with the decoded
request and the number of earlier requests of its API; it returns a response, or an
`Act` that misbehaves. ApiVersions is answered from the scripts, so that only
scripted APIs are advertised. Every request is stored in `asked`.
"""

import copy
import socket
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from harness.listener import Listener
from kafka_messages import ApiVersionsRequest, ApiVersionsResponse

FEATURES = 3
"""ApiVersions has features from this version on; it is the highest that a stand-in speaks."""

Script = Callable[[Any, int], Any]


@dataclass(frozen=True)
class Act:
    """A misbehaviour in place of an answer.

    drop       close the connection without an answer
    silent     keep the connection and never answer
    delay      seconds to wait before the answer
    announce   announce a frame of this many bytes
    """

    response: Any = None
    drop: bool = False
    silent: bool = False
    delay: float = 0.0
    announce: int | None = None


@dataclass
class StandIn(Listener):
    """One broker.

    scripts   the script of each request class, or the response that each of its requests gets
    versions  the offered versions of a request class; by default all versions of the class
    features  supported features that ApiVersions names, with their highest level
    """

    scripts: dict[Any, Any]
    versions: dict[Any, tuple[int, int]] = field(default_factory=dict)
    features: dict[str, int] = field(default_factory=dict)
    asked: list[Any] = field(default_factory=list)
    asked_at: list[float] = field(default_factory=list)

    def of(self, request: Any) -> list[Any]:
        return [one for one in self.asked if type(one).__name__ == request.__name__]

    def _serve(self, sock: socket.socket) -> None:
        with sock:
            while self._answer(sock):
                pass

    def _answer(self, sock: socket.socket) -> bool:
        head = read_exactly(sock, 4)
        if head is None:
            return False
        frame = read_exactly(sock, struct.unpack(">i", head)[0])
        if frame is None:
            return False
        api_key, version, correlation_id = struct.unpack(">hhi", frame[:8])
        if api_key == ApiVersionsRequest.API_KEY:
            sock.sendall(framed(self._api_versions(version), correlation_id))
            return True
        request_class = next(one for one in self.scripts if api_key == one.API_KEY)
        request = request_class.decode(frame, version=version, header=True)
        request.API_VERSION = version
        before = len(self.of(request_class))
        self.asked.append(request)
        self.asked_at.append(time.monotonic())
        script = self.scripts[request_class]
        reply = script(request, before) if callable(script) else script
        act = reply if isinstance(reply, Act) else Act(reply)
        time.sleep(act.delay)
        if act.drop:
            return False
        if act.silent:
            return True
        data = framed(act.response, correlation_id, version)
        sock.sendall(data if act.announce is None else struct.pack(">i", act.announce) + data[4:])
        return True

    def _api_versions(self, version: int) -> Any:
        key = ApiVersionsResponse.ApiVersion
        ranges = {one.API_KEY: self.versions.get(one, (0, one.max_version)) for one in self.scripts}
        ranges[ApiVersionsRequest.API_KEY] = (0, FEATURES)
        keys = [key(api_key=api, min_version=low, max_version=high) for api, (low, high) in ranges.items()]
        if version > FEATURES:  # refused in version 0, so that a client can ask again
            return ApiVersionsResponse(version=0, error_code=35, api_keys=keys)
        feature = ApiVersionsResponse.SupportedFeatureKey
        features = [feature(name=name, min_version=1, max_version=level) for name, level in self.features.items()]
        tagged = {"supported_features": features} if features and version >= FEATURES else {}
        return ApiVersionsResponse(version=version, error_code=0, api_keys=keys, **tagged)


def framed(response: Any, correlation_id: int, version: int | None = None) -> bytes:
    """The frame of a response as a broker sends it, at its version or at `version`."""
    response = copy.copy(response)  # a script may return the same response each time
    response._header = None
    if version is not None:
        response.API_VERSION = version
    response.with_header(correlation_id=correlation_id)
    return bytes(response.encode(framed=True, header=True))


def read_exactly(sock: socket.socket, size: int) -> bytes | None:
    """Exactly `size` bytes; None when the peer closes the connection before."""
    data = b""
    while len(data) < size:
        part = sock.recv(size - len(data))
        if not part:
            return None
        data += part
    return data
