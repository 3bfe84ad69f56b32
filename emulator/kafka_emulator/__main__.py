"""`kafka-emulator --scenario calm`: an emulated cluster on loopback, until interrupted.

Prints one line, `bootstrap.servers=…`, once every broker listens. Exit codes: 0 interrupted, 1 a declared
fault was never hit or the emulator itself failed, 2 bad usage or a bad scenario file.
"""

import argparse
import asyncio
import contextlib
import gc
import signal
import sys
from pathlib import Path
from typing import Any

from kafka_census.errors import CensusError, ConfigError
from kafka_emulator.changes import run_events
from kafka_emulator.faults import Faults
from kafka_emulator.features import AS_VERSIONS, Speaks
from kafka_emulator.handlers import HANDLERS
from kafka_emulator.patterns import available
from kafka_emulator.scenario import Scenario
from kafka_emulator.scenario_file import names, read
from kafka_emulator.server import Server
from kafka_emulator.truth import Truth
from kafka_emulator.world import World

COLLECT_EVERY = 100_000
"""New objects between two collections: about as many as ten large pages have."""


def server_of(scenario: Scenario) -> Server:
    """The brokers of a scenario; they do not listen yet."""
    known = {handler.name for handler in HANDLERS}
    for fault in scenario.faults:
        if fault.api is not None and fault.api not in known:
            raise ConfigError(f"a fault names the API '{fault.api}'; there are {', '.join(sorted(known))}")
    speaks = {}
    for broker in range(1, scenario.brokers.count + 1):
        paged = scenario.kip_1062_of.get(broker, scenario.kip_1062)
        min_isr = paged if scenario.kip_637 is None else scenario.kip_637
        version = scenario.as_versions.get(broker, scenario.as_version)
        speaks[broker] = Speaks(version, kip_1062=paged, kip_637=min_isr)
    world = World(scenario, min(one.as_version for one in speaks.values()))
    return Server(world, speaks, Faults(scenario.faults))


async def run(scenario: Scenario, truth: Path | None) -> Server:
    """Serve until interrupted; returns the server, which has the results."""
    server = server_of(scenario)
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    with contextlib.ExitStack() as open_files:
        await server.listen()
        if truth is not None:
            log = Truth(open_files.enter_context(truth.open("w", encoding="utf-8")), server.world)
            server.world.on_change = log.changed
        print(f"bootstrap.servers={server.bootstrap_servers}", flush=True)  # noqa: T201 - a caller waits for it
        keep_still()
        events = asyncio.create_task(run_events(server, scenario.events))
        await stop.wait()
        if events.done():
            server.failure = server.failure or events.exception()
        events.cancel()
        server.close()
    return server


def keep_still() -> None:
    """Make garbage collection rare: the objects of the world stay, and answers have no cycles."""
    gc.freeze()
    gc.set_threshold(COLLECT_EVERY)


def _arguments(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="kafka-emulator", description=__doc__.partition("\n")[0])
    parser.add_argument("--scenario", default="calm", metavar="NAME", help=f"{', '.join(names())}, or a file")
    parser.add_argument("--brokers", type=int, metavar="N")
    parser.add_argument("--groups", type=int, metavar="N", help="generated groups")
    parser.add_argument("--partitions", type=int, metavar="N", help="generated partitions")
    parser.add_argument("--seed", type=int, metavar="S")
    parser.add_argument("--kip-1062", action=argparse.BooleanOptionalAction, default=None, help="whether brokers page")
    parser.add_argument(
        "--kip-637",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="whether Metadata has min.insync.replicas",
    )
    parser.add_argument("--as-version", choices=AS_VERSIONS, help="the Kafka that all brokers are like")
    parser.add_argument("--truth", type=Path, metavar="PATH", help="write what was so, as JSON lines")
    return parser.parse_args(arguments)


def _changes(chosen: argparse.Namespace) -> dict[str, Any]:
    """The values of the command line that replace those of the file, for all brokers."""
    given = {
        "brokers.count": chosen.brokers,
        "groups.count": chosen.groups,
        "topics.partitions": chosen.partitions,
        "seed": chosen.seed,
        "kip_1062": chosen.kip_1062,
        "kip_637": chosen.kip_637,
        "as_version": chosen.as_version,
    }
    changes = {key: value for key, value in given.items() if value is not None}
    if chosen.as_version is not None:
        changes["as_versions"] = {}
    if chosen.kip_1062 is not None:
        changes["kip_1062_of"] = {}
    return changes


def main(arguments: list[str] | None = None) -> int:
    """Run the emulator with these arguments, by default those of this process; returns the exit code."""
    chosen = _arguments(arguments)
    try:
        available()
        server = asyncio.run(run(read(chosen.scenario, _changes(chosen)), chosen.truth))
    except CensusError as error:
        print(f"kafka-emulator: {error}", file=sys.stderr)  # noqa: T201 - the one line of an error
        return error.exit_code
    except OSError as error:
        return _failed(ConfigError(f"{chosen.truth or 'sockets'}: {error.strerror}"))
    never = ", ".join(map(str, server.faults.never_hit))
    if never:
        return _failed(CensusError(f"declared faults were never hit: {never}"))
    if server.failure is not None:
        return _failed(CensusError(f"the emulator failed: {type(server.failure).__name__}: {server.failure}"))
    return 0


def _failed(error: CensusError) -> int:
    print(f"kafka-emulator: {error}", file=sys.stderr)  # noqa: T201 - the one line of an error
    return error.exit_code


if __name__ == "__main__":
    sys.exit(main())
