"""Mutated answers, thousands of them: each walk ends in pages that can be landed, in time and in little memory."""

import resource
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest

from emulator import asking
from emulator.asking import cluster, faults, serving, settings, walk
from emulator.census import census
from kafka_census.declarations.walks import WALKS
from kafka_census.errors import CensusError
from kafka_census.kafka.paging.page import Page
from kafka_census.kafka.protocol.cluster import bootstrap
from kafka_census.kafka.protocol.collect_settings import CollectSettings
from kafka_census.kafka.rpc import rpc as rpc_named
from kafka_census.landing.fetch.arrow import PageEncoder, WaveId
from kafka_emulator.features import LATEST
from kafka_emulator.mutations import mutated
from kafka_emulator.server import Server

pytestmark = pytest.mark.timeout(300)


QUICK = replace(asking.QUICK, page_limit=5, pages_per_wave=20, connect_timeout_ms=2_000, chain_deadline_ms=500)
LONGEST = 10
"""Seconds that one walk may take, on a machine that does other things."""

MOST_MEMORY = 200 * 1024
"""KiB that the process may grow by."""

SIDE_QUESTIONS = ("ApiVersions", "FindCoordinator", "Metadata", "DescribeConfigs", "DescribeCluster")

SECTIONS: dict[str, Any] = {
    "brokers": {"count": 1},
    "groups": {"count": 12},
    "topics": {"partitions": 12},
    "transactions": {"count": 5},
}


@pytest.fixture(autouse=True)
def frugal() -> Iterator[None]:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    yield
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < MOST_MEMORY


@pytest.fixture(autouse=True)
def on_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """A coordinator may have any host by now: no other one is looked up, and none is connected to."""
    real = socket.getaddrinfo

    def local(host: Any, *args: Any) -> Any:
        if host != "127.0.0.1":
            raise socket.gaierror(socket.EAI_NONAME, "only loopback here")
        return real(host, *args)

    monkeypatch.setattr(socket, "getaddrinfo", local)


def landed(pages: list[Page], rpc: str, scope: str) -> None:
    """The pages end as a walk does, and fit the landing table."""
    walked = rpc_named(rpc, scope)
    encoder = PageEncoder.of_rpc(walked, WaveId("census", "cluster", 0))
    for page in pages:
        batch = encoder.encode(walked, page)
        batch.validate(full=True)
        for column in batch.columns:
            no_null_elements(column)
    last = pages[-1]
    assert [page.error_code for page in pages[:-1]] == [0] * (len(pages) - 1)
    assert bool(last.error_code) == (last.error_message is not None)
    assert last.error_code == 0 or last.rows == ()


def no_null_elements(column: Any) -> None:
    """Lists may be null here and there; what is in them is not."""
    if pa.types.is_list(column.type):
        assert column.flatten().null_count == 0
        no_null_elements(column.flatten())
    elif pa.types.is_struct(column.type):
        for position in range(column.type.num_fields):
            no_null_elements(column.field(position))


def test_a_mutation_is_the_same_again_and_its_size_is_true() -> None:
    for frame, different in ((bytes([0, 0, 0, 12, *range(12)]), 400), (bytes(4), 1)):
        found = [mutated(frame, f"{seed}") for seed in range(500)]
        assert found == [mutated(frame, f"{seed}") for seed in range(500)]
        assert all(int.from_bytes(one[:4]) == len(one) - 4 for one in found)
        assert frame not in found
        assert len(set(found)) > different


@pytest.fixture
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    """Brokers that page by KIP-1062, or of the version that the parameter names."""
    is_paging = request.param == "paging"
    with serving(cluster(LATEST if is_paging else request.param, kip_1062=is_paging, **SECTIONS)) as server:
        yield server
        assert server.failure is None


def mutating(server: Server, seed: int, *apis: str | None) -> None:
    """From now on all answers of these APIs are mutated; None: of every one."""
    server.faults = faults(*({"api": api, "always": True, "do": {"mutate": seed}} for api in apis))
    server.asked.clear()


def mutations(server: Server) -> int:
    apis = {fault.api for fault in server.faults.declared}
    return sum(number for (_, api), number in server.asked.items() if apis & {api, None})


OWN, SIDE, VERSIONS = (), SIDE_QUESTIONS[1:], SIDE_QUESTIONS


@pytest.mark.parametrize(
    ("server", "side_questions"),
    [("paging", OWN), ("paging", VERSIONS), ("4.4", SIDE), ("3.9", OWN), ("2.8", SIDE), ("2.8", VERSIONS)],
    indirect=["server"],
    ids=["paging", "versions of paging", "side of 4.4", "3.9", "side of 2.8", "versions of 2.8"],
)
def test_walks_of_a_mutating_broker_end_in_pages(server: Server, side_questions: tuple[str, ...]) -> None:
    """The walk's own answers; those that say where keys are and how large a page may be; those of ApiVersions."""
    listed, total = census(server, CollectSettings()), 0
    for walked in WALKS:
        keys = listed.keys_at(walked)
        for seed in range(3) if keys or walked.keys is None else ():
            mutating(server, seed, walked.rpc, *side_questions)
            start = time.monotonic()
            pages = walk(server, walked.rpc, walked.scope, keys=keys, collect=QUICK)
            assert time.monotonic() - start < LONGEST, f"{walked.rpc} of {walked.scope}, seed {seed}"
            landed(pages, walked.rpc, walked.scope)
            total += mutations(server)
    assert total >= 120


@pytest.mark.parametrize("server", ["4.4", "2.8"], indirect=True)
@pytest.mark.parametrize("apis", [("DescribeCluster", "Metadata"), SIDE_QUESTIONS], ids=["answers", "versions"])
def test_a_bootstrap_at_a_mutating_broker_names_a_cluster_or_says_why_not(
    server: Server, apis: tuple[str, ...]
) -> None:
    """In time, and as no other error than the project's own; of old brokers it asks Metadata."""
    total = 0
    for seed in range(60):
        mutating(server, seed, *apis)
        start = time.monotonic()
        with suppress(CensusError):
            view = bootstrap(settings(server), QUICK)
            assert view.cluster_id
            assert view.brokers
        assert time.monotonic() - start < LONGEST, f"seed {seed}"
        total += mutations(server)
    assert total >= 60
