"""Which hosts may be connected to: Metadata names any address, and a client would send its password there.

An entry is a host name (`kafka-1.example.org`), a suffix of names (`.example.org`), or an address or network
(`10.1.0.0/16`). A name that no name allows is allowed where networks hold its address; only those addresses are
connected to.
"""

import re
from collections.abc import Iterable, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any, TypeVar

_HOST = re.compile(r"\.?[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*", re.IGNORECASE)
_NUMBERS = re.compile(r"[0-9./]+")

_Info = TypeVar("_Info", bound=tuple[Any, ...])


def is_entry(text: str) -> bool:
    """Whether it is a host name, a suffix that begins with a dot, an address, or a network without host bits."""
    return _network(text) is not None or (_HOST.fullmatch(text) is not None and _NUMBERS.fullmatch(text) is None)


def permitted(host: str, resolved: Sequence[_Info], entries: Iterable[str]) -> list[_Info]:
    """Those of the resolved addresses of a host (rows of `socket.getaddrinfo`) that may be connected to."""
    entries = tuple(entries)
    if not entries or any(_names(entry, host) for entry in entries):
        return list(resolved)
    networks = [network for network in map(_network, entries) if network is not None]
    return [info for info in resolved if any(_address(info[4][0]) in network for network in networks)]


def _names(entry: str, host: str) -> bool:
    entry, host = entry.lower(), host.lower().rstrip(".")
    return host.endswith(entry) if entry.startswith(".") else host == entry


def _network(entry: str) -> IPv4Network | IPv6Network | None:
    try:
        return ip_network(entry)
    except ValueError:
        return None


def _address(text: str) -> IPv4Address | IPv6Address:
    """An address; an IPv4 address that is written as one of IPv6 (::ffff:10.0.0.1) as the former."""
    found = ip_address(text)
    return getattr(found, "ipv4_mapped", None) or found
