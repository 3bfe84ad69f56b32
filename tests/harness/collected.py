"""All tests that pytest found, before a mark chose some: by their ids, whether they are of a platform."""

import pytest

COLLECTED = pytest.StashKey[dict[str, bool]]()
"""Kept in pytest's configuration by `conftest.py`."""
