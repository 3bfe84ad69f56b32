"""`kafka-census impact --live` foretells what the census did: the brokers and their state are the same."""

import io
import json
from collections import Counter
from contextlib import redirect_stdout
from typing import Any

from kafka_census.cli.command import command
from kafka_census.terminal.log import Redactor
from trouble.conftest import Surveyed

OF_A_CENSUS = ("census_id", "cluster_id", "cluster", "observed_at")
MEASURED = ("offline_bytes",)
"""Brokers tidy their logs."""


def foretell(servers: str, *options: str) -> tuple[int, dict[str, Any]]:
    """The exit code and the row of `kafka-census impact --live`."""
    out = io.StringIO()
    with redirect_stdout(out):
        code = command(["impact", "--bootstrap-server", servers, "--live", "--json", *options], Redactor())
    return code, json.loads(out.getvalue())


def test_the_brokers_say_now_what_the_census_said(whole: Surveyed) -> None:
    rows = {one: row for one, row in whole.of("failure_impact").items() if one != ("nothing", "")}
    assert Counter(kind for kind, _ in rows) == {"broker": 3, "rack": 2, "controller": 3, "log_dir": 6}
    for (kind, name), row in rows.items():
        node, _, folder = name.partition(":")
        options = ["--broker", node, "--log-dir", folder] if folder else [f"--{kind}", name]
        wanted = {column: value for column, value in row.items() if column not in (*OF_A_CENSUS, *MEASURED)}
        _, found = foretell(whole.servers, *options)
        assert {column: found[column] for column in wanted} == wanted, (kind, name)
