"""Items a second of our side alone: fetch, decode and Arrow, from frames that a server of its own replays."""

from benchmarks.common import best, table
from benchmarks.replay import SHAPES, Replay, chains, scope, ways, window_of
from kafka_census.kafka.protocol.collect_settings import CollectSettings
from kafka_census.kafka.protocol.endpoint import Endpoint
from kafka_census.kafka.protocol.settings import ClusterSettings
from kafka_census.kafka.rpc import rpc
from kafka_census.landing.fetch.arrow import PageEncoder, WaveId
from kafka_census.landing.fetch.fetch import Fetcher

ITEMS = 200_000
COLLECT = CollectSettings(pages_per_wave=1000)


def main() -> None:
    """A row per RPC and way of paging."""
    rows: list[list[object]] = []
    for name in SHAPES:
        for paging in ways(name):
            with Replay(name, paging, ITEMS, window_of(name)) as server:
                seconds, (pages, items) = best(lambda: walked(name, paging, server.endpoint, ITEMS), 3)  # noqa: B023
            rows.append([name, paging, pages, items, seconds, int(items / seconds)])
    table(
        f"Our side alone, about {ITEMS:,} items, fastest of 3",
        ["rpc", "paging", "pages", "items", "s", "items/s"],
        rows,
    )


def walked(name: str, paging: str, endpoint: Endpoint, items: int) -> tuple[int, int]:
    """Walk everything that the server replays, to Arrow: pages and items."""
    fetcher = Fetcher(name, scope(name), ClusterSettings("bench", ()), COLLECT)
    walked = rpc(name, scope(name))
    encoder = PageEncoder.of_rpc(walked, WaveId("c", "k", 0))
    pages = found = 0
    for page in fetcher.pages(chains(name, paging, items, endpoint, window_of(name))):
        if page.error_code or (page.paging != paging):
            raise ValueError(f"{name} by {page.paging}: {page.error_message}")
        encoder.encode(walked, page)
        pages, found = pages + 1, found + len(page.rows)
    return pages, found
