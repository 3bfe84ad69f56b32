"""The addresses of a host: looked up once, so that what was checked is what is connected to."""

import socket
import time
from collections.abc import Sequence
from typing import Any

AddressInfo = tuple[int, int, int, str, tuple[Any, ...]]
"""A row of `socket.getaddrinfo`."""


def looked_up(host: str, port: int) -> list[AddressInfo]:
    """The addresses of a host. Raises OSError; UnicodeError for what is no host name."""
    return [*socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]


def connected(addresses: Sequence[AddressInfo], timeout_s: float) -> socket.socket:
    """A socket at the first address that accepts a connection, which waits no longer either.

    Raises the OSError of the last address.
    """
    until = time.monotonic() + timeout_s
    *others, last = addresses
    for info in others:
        try:
            return _connected(info, until)
        except OSError:
            continue
    return _connected(last, until)


def _connected(info: AddressInfo, until: float) -> socket.socket:
    family, kind, protocol, _name, address = info
    sock = socket.socket(family, kind, protocol)
    try:
        sock.settimeout(max(0.001, until - time.monotonic()))
        sock.connect(address)
    except BaseException:
        sock.close()
        raise
    return sock
