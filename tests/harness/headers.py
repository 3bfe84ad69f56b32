"""Headers of landed pages, for tests that need no Spark."""

from dataclasses import fields
from typing import Any

from kafka_census.pages.header import Header


def header(rpc: str, scope: str, **columns: Any) -> Header:
    """A page that ends its chain, in one part, with one item and without an error; what is not named is null."""
    unknown = dict.fromkeys(field.name for field in fields(Header)) | {"rpc": rpc, "scope": scope, "chain_id": scope}
    numbers = {"page_no": 0, "part_no": 0, "parts": 1, "try_no": 0, "item_count": 1, "error_code": 0}
    return Header(**unknown | numbers | columns)
