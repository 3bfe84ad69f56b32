"""`kafka-census impact --live` foretells what the census did: the brokers and their state are the same."""

import io
import json
from contextlib import redirect_stdout
from typing import Any

import pytest

from kafka_census.cli.command import command
from kafka_census.terminal.log import Redactor
from trouble.conftest import Surveyed

OF_A_CENSUS = ("census_id", "cluster_id", "cluster", "observed_at")
MEASURED = ("offline_bytes",)
"""Brokers tidy their logs."""


def live(servers: str, *options: str) -> dict[str, Any]:
    out = io.StringIO()
    with redirect_stdout(out):
        command(["impact", "--bootstrap-server", servers, "--live", "--json", *options], Redactor())
    row: dict[str, Any] = json.loads(out.getvalue())
    return row


@pytest.mark.parametrize("kind", ["broker", "rack", "controller", "log_dir"])
def test_the_brokers_say_now_what_the_census_said(whole: Surveyed, kind: str) -> None:
    rows = {name: row for (of, name), row in whole.of("failure_impact").items() if of == kind}
    assert len(rows) == {"rack": 2, "log_dir": 6}.get(kind, 3)
    for name, row in rows.items():
        node, _, folder = name.partition(":")
        options = ["--broker", node, "--log-dir", folder] if folder else [f"--{kind}", name]
        wanted = {column: value for column, value in row.items() if column not in (*OF_A_CENSUS, *MEASURED)}
        found = live(whole.servers, *options)
        assert {column: found[column] for column in wanted} == wanted
