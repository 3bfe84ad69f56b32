"""A census of all tables of a calm cluster: nothing is wrong, and no word of `--fail-on` fails the run."""

from collections.abc import Callable
from dataclasses import replace

from e2e.operator import Operator
from emulator.asking import serving
from kafka_census.report.kinds import WORDS
from kafka_census.tables import TABLES
from kafka_emulator.__main__ import server_of
from kafka_emulator.scenario import read


def test_nothing_is_wrong_with_a_calm_cluster(operator: Callable[..., Operator]) -> None:
    """No problem, no value that is not known, no rule of the gate that warns."""
    server = server_of(read("calm"))
    with serving(server):
        census = replace(operator(server.bootstrap_servers, "calm"), tables=TABLES)
        ran = census.run("census", "--fail-on", ",".join(WORDS), KAFKA_CENSUS__COLLECT__COLLECT_ON="driver")
    assert ran.out.splitlines()[0].rpartition(": ")[2] == "nothing is wrong", ran.out
    assert (ran.code, ran.error) == (0, "")
