"""Live group members in separate processes, until they are killed: `with` waits until they have their assignments."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

from harness import processes
from harness.oracle import java_program

_JAVA = Path(__file__).with_name("java")


class Live:
    """A program that prints `ready` once its members have assignments; its output goes to `log`."""

    def __init__(self, command: Sequence[str], log: Path, env: Mapping[str, str] | None = None) -> None:
        self._start = partial(processes.start, command, log, env)
        self._log, self._alive = log, ExitStack()

    def __enter__(self) -> None:
        self._alive.enter_context(together(self))

    def __exit__(self, *_error: object) -> None:
        self._alive.close()


@contextmanager
def together(*members: Live) -> Iterator[None]:
    """Start all, then wait for all; at the end they are killed, and their groups stay until their session timeout."""
    with ExitStack() as alive:
        started = [(one._start(), one._log) for one in members]
        for process, _ in started:
            alive.callback(processes.kill, process)
        for process, log in started:
            processes.await_line(process, log, "ready", 90)
        yield


def share_members(servers: str, group: str, topic: str, log: Path, count: int = 2) -> Live:
    """A share group whose members take and acknowledge the records of a topic."""
    return _java("ShareMembers", servers, log, group, topic, str(count))


def streams_members(
    servers: str, group: str, topics: Sequence[str], log: Path, count: int = 2, *, store: bool = True
) -> Live:
    """A streams group with tasks for each topic; it processes nothing.

    With a store the tasks for the first topic have a state store, whose changelog topic the brokers create.
    """
    kind = "store" if store else "stateless"
    return _java("StreamsMembers", servers, log, group, ",".join(topics), str(count), kind)


def _java(program: str, servers: str, log: Path, *arguments: str) -> Live:
    config = log.with_suffix(".properties")
    config.write_text(f"bootstrap.servers={servers}\n")
    return Live(java_program(_JAVA / f"{program}.java", str(config), *arguments), log)
